// What identification found, for people and as JSON.
#pragma once

#include <optional>
#include <string>

#include "catena/identify.hpp"
#include "output/output.hpp"

namespace catena::cli {

// All that `catena identify` may have found.
struct IdentifyResult {
  Identification found;
  std::optional<PhysicalFit> fit;
  std::optional<Validation> validation, folds;
  PhysicalOptions physical;
  double period = 0.0;  // s between rows; 0: no clock
};
Json to_json(const IdentifyResult& result, const Mechanism& robot);
std::string to_text(const IdentifyResult& result, const Mechanism& robot);

Json to_json(const PayloadFit& fit, const Mechanism& robot);
std::string to_text(const PayloadFit& fit, const Mechanism& robot);

// "N m" or "N", by joint.
std::vector<std::string> torque_units(const Mechanism& robot);

// Doubts to stderr; with --strict the first one ends the program with status 1.
void tell(const std::vector<FitDoubt>& doubts);

}  // namespace catena::cli
