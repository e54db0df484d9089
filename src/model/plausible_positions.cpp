#include "model/plausible_positions.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "catena/math/index.hpp"
#include "model/words.hpp"

namespace catena {

PlausiblePositions::PlausiblePositions(const Robot& robot) {
  constexpr double turn = 2.0 * std::numbers::pi;
  const std::vector<int> moving = robot.moving_joints();
  for (std::size_t k = 0; k < moving.size(); ++k) {
    const JointDescription& joint = robot.joints[index(moving[k])];
    const double lower = joint.limits.lower, upper = joint.limits.upper;
    if (joint.type != JointType::revolute || !std::isfinite(lower) || !std::isfinite(upper) || lower > upper) continue;
    const std::size_t entry = robot.floating.empty() ? k : k + 1;  // after a quaternion
    ranges_.push_back({entry, std::min(lower, std::max(-turn, lower - turn)),
                       std::max(upper, std::min(turn, upper + turn)), joint.limits, joint.name});
  }
}

std::string PlausiblePositions::doubt(std::span<const double> q) const {
  for (const Range& range : ranges_) {
    const double at = q[range.entry];
    if (at >= range.lowest && at <= range.highest) continue;
    return "joint '" + words::escaped(range.joint) + "' at " + words::rounded(at) + " rad is far beyond its limits, " +
           words::rounded(range.limits.lower) + " to " + words::rounded(range.limits.upper) +
           " rad; degrees instead of radians?";
  }
  return "";
}

}  // namespace catena
