// Parameters that a real robot can have, nearest to what was measured: masses and inertias of real mass distributions,
// friction and rotors that are not negative. docs/identification.md.
#pragma once

#include <span>
#include <vector>

#include "catena/identify/identification.hpp"
#include "catena/model/robot.hpp"

namespace catena {

struct PhysicalFit {
  std::vector<double> parameters;  // θ (model/parameters.hpp)
  std::vector<double> values;      // of the base parameters, in the order of the estimates
  std::vector<double> residuals;   // of each joint, root mean square
  double distance = 0.0;  // from the estimates, in standard errors: root of the mean square, correlations regarded
};

// θ with the least weighted sum of squares among all that are physically possible; what the data leave open stays near
// the model's own. The weights are those of `found`.
PhysicalFit fit_physical(const Mechanism& robot, const Measurements& data, const Identification& found,
                         bool drives = true);

// The robot with these parameters. What is fixed to a moving link is in that link's parameters: it has no mass of its
// own any more.
Robot with_parameters(const Robot& robot, std::span<const double> parameters);

}  // namespace catena
