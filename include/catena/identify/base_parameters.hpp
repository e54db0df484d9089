// Base parameters: the combinations of a robot's parameters that show in torques, each alone. docs/identification.md.
#pragma once

#include <string>
#include <vector>

#include "catena/model/mechanism.hpp"

namespace catena {

// A part of a combination: factor times an entry of θ (model/parameters.hpp).
struct ParameterTerm {
  int parameter = 0;
  double factor = 1.0;
};

struct BaseParameter {
  std::vector<ParameterTerm> terms;  // the first has the factor 1: its column of Y is this one's
  std::string text;                  // "m3 cx3 + 0.0825 m4"
  std::string unit;
  double nominal = 0.0;  // as the model has it

  int column() const { return terms.front().parameter; }
};

// All of them, links from the base outward. Without drives: of the links alone, friction and rotors known to be absent.
// τ = Σ Y_column(k) value(k), the sum over them, for every motion. They are found from the regressor at random motions,
// the same ones at every call.
std::vector<BaseParameter> base_parameters(const Mechanism& robot, bool drives = true);

}  // namespace catena
