#include "support/same_robot.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>

#include "catena/dynamics.hpp"
#include "catena/mechanism.hpp"
#include "catena/robot_file.hpp"
#include "catena/validate.hpp"
#include "support/following.hpp"
#include "support/random_robot.hpp"

namespace catena::test {

Robot opened(Robot robot) {
  robot.loops.clear();
  robot.independent.clear();
  robot.start.clear();
  robot.closed.clear();
  for (JointDescription& joint : robot.joints) joint.dependent = false;
  return robot;
}

namespace {

constexpr double rounding = 1e-12;

std::vector<double> torques(const Robot& robot, const State& x) {
  std::vector<double> tau(x.q.size());
  InverseDynamics<double> inverse(make_mechanism(robot, {.stiff = true}));
  inverse(x.q, x.qd, x.qdd, tau);
  return tau;
}

std::string name_of(const Robot& robot, int link) { return robot.links[static_cast<std::size_t>(link)].name; }

void expect_same_joint(const JointDescription& a, const JointDescription& b) {
  EXPECT_EQ(a.name, b.name);
  EXPECT_EQ(a.type, b.type) << a.name;
  EXPECT_EQ(a.limits.lower, b.limits.lower) << a.name;
  EXPECT_EQ(a.limits.upper, b.limits.upper) << a.name;
  EXPECT_EQ(a.limits.velocity, b.limits.velocity) << a.name;
  EXPECT_EQ(a.limits.effort, b.limits.effort) << a.name;
  EXPECT_EQ(a.drive.viscous, b.drive.viscous) << a.name;
  EXPECT_EQ(a.drive.coulomb, b.drive.coulomb) << a.name;
  EXPECT_DOUBLE_EQ(a.drive.rotor_inertia, b.drive.rotor_inertia) << a.name;  // MJCF says it behind the gear
  EXPECT_EQ(a.drive.gear_ratio, b.drive.gear_ratio) << a.name;
  EXPECT_EQ(a.drive.spring, b.drive.spring) << a.name;
  EXPECT_EQ(a.drive.spring_rest, b.drive.spring_rest) << a.name;
  EXPECT_EQ(a.drive.offset, b.drive.offset) << a.name;
  EXPECT_EQ(a.drive.stribeck, b.drive.stribeck) << a.name;
  EXPECT_EQ(a.drive.stribeck_speed, b.drive.stribeck_speed) << a.name;
  EXPECT_EQ(a.passive, b.passive) << a.name;
  ASSERT_EQ(a.elastic.has_value(), b.elastic.has_value()) << a.name;
  if (a.elastic) {
    EXPECT_EQ(a.elastic->stiffness, b.elastic->stiffness) << a.name;
    EXPECT_EQ(a.elastic->damping, b.elastic->damping) << a.name;
    EXPECT_EQ(a.elastic->full, b.elastic->full) << a.name;
  }
  ASSERT_EQ(a.coupling.terms.size(), b.coupling.terms.size()) << a.name;
  for (std::size_t k = 0; k < a.coupling.terms.size(); ++k) {
    EXPECT_EQ(a.coupling.terms[k].joint, b.coupling.terms[k].joint) << a.name;
    EXPECT_EQ(a.coupling.terms[k].factor, b.coupling.terms[k].factor) << a.name;
  }
  EXPECT_EQ(a.coupling.offset, b.coupling.offset) << a.name;
}

// Every joint of a is one of b, between the same links (URDF may put a link between, which a does not have).
void expect_same_joints(const Robot& a, const Robot& b) {
  for (const JointDescription& joint : a.joints) {
    ASSERT_GE(b.joint_index(joint.name), 0) << joint.name;
    const JointDescription& other = b.joints[static_cast<std::size_t>(b.joint_index(joint.name))];
    expect_same_joint(joint, other);
    EXPECT_EQ(name_of(a, joint.parent), name_of(b, other.parent)) << joint.name;
    if (a.link_index(name_of(b, other.child)) >= 0) {
      EXPECT_EQ(name_of(a, joint.child), name_of(b, other.child)) << joint.name;
    }
  }
}

void expect_same_loops(const Robot& a, const Robot& b) {
  ASSERT_EQ(a.loops.size(), b.loops.size());
  for (std::size_t k = 0; k < a.loops.size(); ++k) {
    EXPECT_EQ(a.loops[k].name, b.loops[k].name);
    EXPECT_EQ(a.loops[k].type, b.loops[k].type) << a.loops[k].name;
    EXPECT_EQ(a.loops[k].frames, b.loops[k].frames) << a.loops[k].name;
  }
  EXPECT_EQ(a.independent, b.independent);
  EXPECT_EQ(a.start, b.start);
}

void expect_same_motion(const Robot& a, const Robot& b) {
  Random random(99);
  const State x = random_state(random, a.dof());
  const auto poses_b = poses(b, x.q);
  for (const auto& [name, pose] : poses(a, x.q)) {
    ASSERT_TRUE(poses_b.contains(name)) << name;
    expect_near(pose, poses_b.at(name));
  }
  const std::vector<double> tau_a = torques(a, x), tau_b = torques(b, x);
  for (std::size_t k = 0; k < tau_a.size(); ++k) {
    double scale = 1.0;
    for (const double tau : tau_a) scale = std::max(scale, std::abs(tau));
    EXPECT_NEAR(tau_a[k], tau_b[k], rounding * scale);
  }
}

}  // namespace

void expect_near(const Vec3<double>& a, const Vec3<double>& b) {
  EXPECT_NEAR(a.x, b.x, rounding);
  EXPECT_NEAR(a.y, b.y, rounding);
  EXPECT_NEAR(a.z, b.z, rounding);
}
void expect_near(const Mat3<double>& a, const Mat3<double>& b) {
  expect_near(a.column_x(), b.column_x());
  expect_near(a.column_y(), b.column_y());
  expect_near(a.column_z(), b.column_z());
}
void expect_near(const Pose<double>& a, const Pose<double>& b) {
  expect_near(a.R, b.R);
  expect_near(a.p, b.p);
}

std::map<std::string, Pose<double>> poses(const Robot& robot, const std::vector<double>& q) {
  std::map<int, Pose<double>> links{{robot.root(), {}}};
  const std::vector<double> all = Following(robot).positions(q);
  while (links.size() < robot.links.size()) {
    std::size_t moving = 0;
    for (const JointDescription& joint : robot.joints) {
      const double x = joint.type == JointType::fixed ? 0.0 : all.at(moving++);
      if (!links.contains(joint.parent)) continue;
      Pose<double> motion;
      if (joint.type == JointType::revolute) motion.R = rotation_about(joint.axis, x);
      if (joint.type == JointType::prismatic) motion.p = x * joint.axis;
      links[joint.child] = links[joint.parent] * joint.origin * motion * joint.child_frame;
    }
  }
  std::map<std::string, Pose<double>> named;
  for (const auto& [k, pose] : links) named[robot.links[static_cast<std::size_t>(k)].name] = pose;
  for (const FrameDescription& frame : robot.frames) named[frame.name] = links[frame.link] * frame.pose;
  return named;
}

void expect_same(const Robot& a, const Robot& b, double inertia) {
  EXPECT_EQ(a.name, b.name);
  EXPECT_EQ(a.gravity, b.gravity);
  EXPECT_EQ(a.tool_name(), b.tool_name());
  const Robot tree_a = opened(a), tree_b = opened(b);
  const Mechanism mechanism = make_mechanism(tree_a);
  EXPECT_EQ(mechanism.frames[static_cast<std::size_t>(mechanism.tool)].name, b.tool_name());
  EXPECT_EQ(name_of(a, a.root()), name_of(b, b.root()));
  expect_same_joints(a, b);
  const std::vector<int> moving_a = tree_a.moving_joints(), moving_b = tree_b.moving_joints();
  ASSERT_EQ(moving_a.size(), moving_b.size());
  for (std::size_t k = 0; k < moving_a.size(); ++k)
    expect_same_joint(a.joints[static_cast<std::size_t>(moving_a[k])], b.joints[static_cast<std::size_t>(moving_b[k])]);
  for (const LinkDescription& link : a.links) {
    ASSERT_GE(b.link_index(link.name), 0) << link.name;
    const Inertial& body = b.links[static_cast<std::size_t>(b.link_index(link.name))].inertial;
    EXPECT_EQ(link.inertial.mass, body.mass) << link.name;
    EXPECT_EQ(link.inertial.com, body.com) << link.name;
    const Sym3<double> difference = body.inertia - link.inertial.inertia;
    for (const double x : {difference.xx, difference.yy, difference.zz, difference.xy, difference.xz, difference.yz})
      EXPECT_LE(std::abs(x), inertia * link.inertial.inertia.trace()) << link.name;
  }
  expect_same_loops(a, b);
  expect_same_motion(tree_a, tree_b);
}

void expect_round_trips(const Robot& robot) {
  const Robot by_toml = parse_toml(to_toml(robot), "again.toml");
  const Robot by_urdf = parse_urdf(to_urdf(robot), "again.urdf");
  expect_same(robot, by_toml);
  expect_same(robot, by_urdf);
  expect_same(robot, parse_urdf(to_urdf(by_toml), "twice.urdf"));
  expect_same(robot, parse_toml(to_toml(by_urdf), "twice.toml"));
  expect_round_trips_as_mjcf(robot);
}

bool is_written_as_mjcf(const Robot& robot) {
  for (const LoopDescription& loop : robot.loops)
    if (loop.type != LoopType::spherical && loop.type != LoopType::revolute && loop.type != LoopType::fixed)
      return false;
  if (const int world = robot.link_index("world"); world >= 0)  // MuJoCo's own link
    if (world != robot.root() || robot.links[static_cast<std::size_t>(world)].inertial.mass > 0.0) return false;
  return std::all_of(robot.links.begin(), robot.links.end(), [](const LinkDescription& link) {
    const Vec3<double> moments = eigenvalues(link.inertial.inertia);
    return moments.x + moments.y >= (1.0 - rounding) * moments.z;
  });
}

void expect_round_trips_as_mjcf(Robot robot) {
  for (JointDescription& joint : robot.joints)
    if (!joint.moves()) joint.limits = {}, joint.drive = {}, joint.coupling = {};  // MJCF has no joint there
  if (!is_written_as_mjcf(robot)) {
    EXPECT_THROW(to_mjcf(robot), ModelError);
    return;
  }
  constexpr double edge = 1e-14;  // what a plate, at the edge of what a body can have, is given
  const Robot by_mjcf = parse_robot(to_mjcf(robot), "again.mjcf");
  expect_same(robot, by_mjcf, edge);
  expect_same(robot, parse_toml(to_toml(by_mjcf), "twice.toml"), edge);
  expect_same(robot, parse_urdf(to_urdf(by_mjcf), "twice.urdf"), edge);
  expect_same(robot, parse_robot(to_mjcf(parse_urdf(to_urdf(robot), "again.urdf")), "twice.mjcf"), edge);
}

}  // namespace catena::test
