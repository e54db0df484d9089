#include "model/set_coordinates.hpp"

#include <algorithm>
#include <cmath>
#include <string_view>
#include <unordered_map>

#include "model/close_loops.hpp"
#include "model/joint_rows.hpp"

namespace catena {
namespace {

using Joint = FollowingJoint<double>;

// The range of q in which the joint keeps its own limits.
void narrow(const Joint& joint, const JointLimits& own, JointLimits& limits) {
  const double factor = joint.terms.front().factor, size = std::abs(factor);
  double lower = (own.lower - joint.offset) / factor, upper = (own.upper - joint.offset) / factor;
  if (factor < 0.0) std::swap(lower, upper);
  limits.lower = std::max(limits.lower, lower);
  limits.upper = std::min(limits.upper, upper);
  limits.velocity = std::min(limits.velocity, own.velocity / size);
}

// Coordinates are the joints that the loops leave independent.
void set_closed(const Robot& robot, Mechanism& out) {
  std::vector<Problem> problems;
  Coordinates& coordinates = out.coordinates;
  coordinates.closure = find_closure(robot, out, problems);
  if (!problems.empty()) throw ModelError(format_problems(robot.name, problems));
  out.has_passive = false;
  for (const TreeJoint j : out.all_joints()) {
    const auto& movers = coordinates.closure.movers;
    const auto mover = std::find(movers.begin(), movers.end(), j);
    if (mover == movers.end() || coordinates.closure.coordinate[static_cast<std::size_t>(mover - movers.begin())] < 0) {
      out.passive[j] = 0;  // coordinates may have motors
      continue;
    }
    out.has_passive = out.has_passive || out.passive[j] != 0;
    coordinates.joints.push_back(j);
    coordinates.limits.push_back(coordinates.joint_limits[j]);
  }
}

}  // namespace

void set_coordinates(const Robot& robot, Mechanism& out) {
  if (!robot.loops.empty()) return set_closed(robot, out);
  const std::vector<int> moving = robot.moving_joints(), all = robot.tree_joints();
  Coordinates& coordinates = out.coordinates;
  for (const TreeJoint j : out.all_joints()) {
    if (robot.joints[index(all[index(j)])].is_coupled()) {
      out.passive[j] = 0;  // the joints it follows may have motors
      continue;
    }
    coordinates.joints.push_back(j);
    coordinates.limits.push_back(coordinates.joint_limits[j]);
  }
  if (moving.size() == all.size()) return;
  const JointRows rows(robot, moving);
  for (const TreeJoint j : out.all_joints()) {
    Joint joint = rows.of(all[index(j)]);
    std::erase_if(joint.terms, [](const Joint::Term& term) { return term.factor == 0.0; });
    if (joint.terms.size() == 1)  // its forces act on that one coordinate as the coordinate's own do
      narrow(joint, coordinates.joint_limits[j], coordinates.limits[joint.terms.front().coordinate]);
    coordinates.following.push_back(joint);
  }
}

ByCoordinate<DriveConstants<double>> drives_by_coordinate(const Mechanism& robot) {
  ByCoordinate<DriveConstants<double>> drives(index(robot.nv()));
  if (!robot.is_coupled()) {
    for (const Coordinate c : robot.coordinates.all()) drives[c] = robot.drives[robot.coordinates.joints[c]];
    return drives;
  }
  for (const TreeJoint j : robot.all_joints()) {
    const Joint& joint = robot.coordinates.following[j];
    if (joint.terms.size() != 1) continue;
    const auto& [c, factor] = joint.terms.front();
    drives[c].viscous += factor * factor * robot.drives[j].viscous;
    drives[c].coulomb += std::abs(factor) * robot.drives[j].coulomb;
    drives[c].reflected_inertia += factor * factor * robot.drives[j].reflected_inertia;
    drives[c].offset += factor * robot.drives[j].offset;
    const double more = std::abs(factor) * robot.drives[j].stribeck;
    if (more != 0.0) {
      const double before = drives[c].stribeck, speed = robot.drives[j].stribeck_speed / std::abs(factor);
      drives[c].stribeck_speed = (before * drives[c].stribeck_speed + more * speed) / (before + more);
      drives[c].stribeck = before + more;
    }
    const double stiffness = drives[c].stiffness, added = factor * factor * robot.drives[j].stiffness;
    if (added == 0.0) continue;
    const double rest = (robot.drives[j].rest - joint.offset) / factor;
    drives[c].rest = (stiffness * drives[c].rest + added * rest) / (stiffness + added);
    drives[c].stiffness = stiffness + added;
  }
  return drives;
}

std::vector<std::string> coordinate_names(const Mechanism& robot) {
  std::vector<std::string> names;
  for (const Coordinate c : robot.coordinates.all()) names.push_back(robot.name_of(c));
  return names;
}
std::vector<std::string> tree_joint_names(const Mechanism& robot) {
  std::vector<std::string> names;
  for (const TreeJoint joint : robot.all_joints())
    if (!robot.carried || joint >= base_joints) names.push_back(robot.joint_names[joint]);
  return names;
}
Mechanism with_all_positions(const Mechanism& robot) {
  Mechanism out = robot;
  out.coordinates.closure.placed = robot.coordinates.is_closed();
  return out;
}
std::vector<std::string> position_names(const Mechanism& robot) {
  std::vector<std::string> names = coordinate_names(robot);
  if (robot.coordinates.closure.placed) {
    names.clear();
    for (const TreeJoint joint : robot.coordinates.closure.movers) names.push_back(robot.joint_names[joint]);
  }
  if (!robot.coordinates.is_free()) return names;
  const std::string stem = names.front().substr(0, names.front().size() - 1);  // NAME_x
  names.insert(names.begin() + 3, stem + "qx");
  for (std::size_t k = 0; k < 3; ++k) names[4 + k] = stem + (k == 0 ? "qy" : k == 1 ? "qz" : "qw");
  return names;
}

}  // namespace catena
