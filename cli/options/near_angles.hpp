// Right angles that a file gives with too few digits: 1.57079632679, 1.5708. What they cost, and what it would change
// to take them as exact.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "options/model_options.hpp"

namespace catena::cli {

struct NearAngles {
  std::vector<std::string> joints;  // whose angles are concerned
  double farthest = 0.0;            // from 0 or ±1, of all entries
  double snap = 0.0;                // the tolerance that takes them all as exact
  Mechanism snapped;                // the robot with it
  double torque_change = 0.0;       // what it changes, of the largest torque

  std::string who() const;  // "angles of joint1, joint2 are within 4.9e-12 of right ones"
};

// None where all is exact, or where --snap was given: then a person has chosen.
std::optional<NearAngles> find_near_angles(const ModelOptions& options, const Robot& robot, const Mechanism& exact);

}  // namespace catena::cli
