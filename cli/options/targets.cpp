#include "options/targets.hpp"

#include <fmt/format.h>

#include <numbers>

#include "options/numbers.hpp"
#include "terminal/errors.hpp"
#include "terminal/words.hpp"

namespace catena::cli {

Targets parse_targets(const std::string& text, const std::string& option, bool degrees) {
  Targets targets;
  std::size_t length = 0;
  for (const std::string& part : split(text, ';')) {
    const std::vector<double> numbers = parse_numbers(part, option);
    if (numbers.size() != 3 && numbers.size() != 6)
      throw UsageError(fmt::format("{}: a target is x,y,z or x,y,z,roll,pitch,yaw; target {} has {} numbers", option,
                                   targets.poses.size() + 1, numbers.size()));
    if (length != 0 && numbers.size() != length)
      throw UsageError(fmt::format("{}: give all targets as positions, or all as poses", option));
    length = numbers.size();
    Pose<double> pose{.p = {numbers[0], numbers[1], numbers[2]}};
    const double unit = degrees ? std::numbers::pi / 180.0 : 1.0;
    if (length == 6) pose.R = rotation_from_rpy(unit * Vec3<double>{numbers[3], numbers[4], numbers[5]});
    targets.poses.push_back(pose);
  }
  targets.aim = length == 6 ? Aim::pose : Aim::position;
  return targets;
}

}  // namespace catena::cli
