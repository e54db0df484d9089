#include "options/near_angles.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "terminal/errors.hpp"

namespace catena::cli {
namespace {

constexpr double near_zero = 1e-5;  // 1.5708 is off by 3.7e-6; no calibration finds angles this small

// How far the entry is from 0, where it is near 0 but not 0; else 0.
double distance(double entry) {
  const double size = std::abs(entry);
  return size > 0.0 && size < near_zero ? size : 0.0;
}

// For the rotations that lead to a link; sines and cosines come in pairs, so entries near ±1 need no check.
double distance_of(const LinkConstants<double>& link) {
  double far = 0.0;
  for (const double entry : {link.tilt.cos_alpha, link.tilt.sin_alpha, link.tilt.cos_gamma, link.tilt.sin_gamma,
                             link.fixed_turn.c, link.fixed_turn.s})
    far = std::max(far, distance(entry));
  return far;
}

// For the rotation that leads to the first link: gravity along that link's axes.
double distance_of_base(const Mechanism& robot) {
  const Vec3<double>& g = robot.gravity;
  const double size = std::hypot(g.x, g.y, g.z);
  if (!(size > 0.0)) return 0.0;
  return std::max({distance(g.x / size), distance(g.y / size), distance(g.z / size)});
}

}  // namespace

std::string NearAngles::who() const {
  constexpr std::size_t most = 6;
  std::vector<std::string> names;
  for (const std::string& joint : joints)
    if (names.size() < most) names.push_back(printable(joint));
  const std::string rest = joints.size() > most ? fmt::format(" and {} more", joints.size() - most) : "";
  return fmt::format("angles of {}{} are within {:.1e} of right angles", fmt::join(names, ", "), rest, farthest);
}

std::optional<NearAngles> find_near_angles(const ModelOptions& options, const Robot& robot, const Mechanism& exact) {
  if (options.snap) return std::nullopt;
  NearAngles found;
  for (int i = 0; i < exact.joints(); ++i) {
    const double far = std::max(distance_of(exact.link(i)), i == 0 ? distance_of_base(exact) : 0.0);
    if (far == 0.0) continue;
    found.joints.push_back(exact.joint_names[exact.link(i).q]);
    found.farthest = std::max(found.farthest, far);
  }
  if (found.joints.empty()) return std::nullopt;
  found.snap = found.farthest < 1e-6 ? 1e-6 : near_zero;
  found.snapped = options.mechanism_with(robot, found.snap);
  found.torque_change = torque_change(exact, found.snapped);
  return found;
}

}  // namespace catena::cli
