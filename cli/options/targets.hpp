// Places that a frame is to be brought to, as typed.
#pragma once

#include <string>
#include <vector>

#include "catena/inverse_kinematics.hpp"

namespace catena::cli {

// "x,y,z" or "x,y,z,roll,pitch,yaw", several with ; between them: all of one kind. Throws UsageError.
struct Targets {
  Aim aim = Aim::position;
  std::vector<Pose<double>> poses;
};
Targets parse_targets(const std::string& text, const std::string& option, bool degrees);

}  // namespace catena::cli
