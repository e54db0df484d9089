#include <numbers>

#include "catena/mechanism.hpp"

namespace catena {
namespace {

// One of the six: its z is an axis of the base frame, its x the axis after the next, so that each frame follows from
// the one before it by a right angle about x and one about z. The last is the base frame itself.
// docs/equations/moving_base.md (2)
LinkConstants<double> base_joint_link(int i) {
  LinkConstants<double> link;
  link.parent = i - 1;  // the first one's parent is the base
  link.q = TreeJoint(i);
  link.revolute = i >= 3;
  if (i == 0) return link;
  link.tilt.cos_alpha = 0.0, link.tilt.sin_alpha = 1.0;
  link.z_in_parent = {0.0, -1.0, 0.0};
  if (i + 1 == base_joints) return link;
  link.fixed_turn = {0.0, 1.0};
  link.theta = 0.5 * std::numbers::pi;
  return link;
}

}  // namespace

Mechanism on_moving_base(const Mechanism& robot) {
  require_fixed_base(robot, "a base whose motion is prescribed does");
  Mechanism out = robot;
  out.carried = true;
  out.flat = false;
  out.has_prismatic = true;
  out.links.clear();
  for (int i = 0; i < base_joints; ++i) out.links.push_back(base_joint_link(i));
  for (LinkConstants<double> link : robot.links) {
    link.parent += base_joints;  // base_link itself becomes the last of the six
    link.q = TreeJoint(link.q + base_joints);
    out.links.push_back(link);
  }
  for (auto& frame : out.frames) frame.link += base_joints;
  out.drives.insert_front(base_joints, {});
  out.passive.insert_front(base_joints, 0);
  out.joint_names.insert_front(base_joints, {});
  const char* const names[] = {"base_px", "base_py", "base_pz", "base_rx", "base_ry", "base_rz"};
  for (int k = 0; k < base_joints; ++k) out.joint_names[TreeJoint(k)] = names[k];

  out.coordinates.base = BaseKind::moving;
  out.coordinates.joint_limits.insert_front(base_joints, {});
  for (TreeJoint& joint : out.coordinates.joints) joint = TreeJoint(joint + base_joints);
  if (robot.is_coupled()) out.coordinates.following.insert_front(base_joints, {});
  Closure<double>& closure = out.coordinates.closure;
  for (LoopCluster& cluster : closure.clusters) {
    cluster.carrier += base_joints;
    for (int& link : cluster.links) link += base_joints;
  }
  for (TreeJoint& joint : closure.movers) joint = TreeJoint(joint + base_joints);
  if (robot.coordinates.is_closed()) closure.joints.insert_front(base_joints, {});
  // Frame 0 at zero: its z is the first axis of the base frame, its x the third.
  constexpr Vec3<double> x{1.0, 0.0, 0.0}, y{0.0, 1.0, 0.0}, z{0.0, 0.0, 1.0};
  const Mat3<double> turn = Mat3<double>::from_columns(z, -y, x);
  out.world_from_base.R = robot.world_from_base.R * turn;
  out.gravity = turn.transpose() * robot.gravity;
  compute_augmented_links(out);
  return out;
}

}  // namespace catena
