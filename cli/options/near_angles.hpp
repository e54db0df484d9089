// Right angles that a file gives with too few digits: 1.57079632679, 1.5708. What they cost, and what taking them as
// exact would change.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "options/model_options.hpp"

namespace catena::cli {

struct NearAngles {
  std::vector<std::string> joints;  // the joints with such angles
  double farthest = 0.0;            // largest distance of an entry from 0 or ±1
  double snap = 0.0;                // the tolerance with which all of them are taken as exact
  Mechanism snapped;                // the robot with that tolerance
  double torque_change = 0.0;       // resulting change, relative to the largest torque

  std::string who() const;  // "angles of joint1, joint2 are within 4.9e-12 of right angles"
};

// None where all angles are exact, or where --snap was given: then the user has decided.
std::optional<NearAngles> find_near_angles(const ModelOptions& options, const Robot& robot, const Mechanism& exact);

}  // namespace catena::cli
