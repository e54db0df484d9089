// Target poses of a frame, as typed.
#pragma once

#include <string>
#include <vector>

#include "catena/inverse_kinematics.hpp"

namespace catena::cli {

// "x,y,z" or "x,y,z,roll,pitch,yaw", several separated by ;, all of the same kind. Throws UsageError.
struct Targets {
  Aim aim = Aim::position;
  std::vector<Pose<double>> poses;
};
Targets parse_targets(const std::string& text, const std::string& option, bool degrees);

}  // namespace catena::cli
