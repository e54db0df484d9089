#include "sim/closed_tree.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>
#include <utility>

#include "catena/factorization.hpp"
#include "catena/validate.hpp"
#include "model/set_coordinates.hpp"

namespace catena {
namespace {

constexpr double jump = 1e-6;  // rad or m: frames that are nearer meet

Mechanism closed(const Mechanism& tree, Robot& robot) {
  const Findings findings = validate(robot);
  if (!findings.ok()) throw ModelError(format_problems(robot.name, findings.errors));
  Mechanism out = tree;
  out.coordinates.joints = {};
  out.coordinates.limits = {};
  set_coordinates(robot, out);
  return out;
}

// Named coordinates may not fit any more once there are other loops.
Mechanism closed_anyhow(const Mechanism& tree, Robot robot, std::span<const double> q) {
  const std::vector<int> joints = robot.tree_joints();
  robot.closed.clear();
  for (std::size_t j = 0; j < joints.size(); ++j) {
    JointDescription& joint = robot.joints[index(joints[j])];
    joint.dependent = false;
    robot.start[joint.name] = q[j];
  }
  try {
    return closed(tree, robot);
  } catch (const ModelError&) {
    if (robot.independent.empty()) throw;
    robot.independent.clear();
    return closed(tree, robot);
  }
}

}  // namespace

ClosedTree::ClosedTree(const Mechanism& tree, Robot robot, std::span<const double> q)
    : robot_(closed_anyhow(tree, std::move(robot), q)), chart_(robot_.coordinates, robot_) {
  const Closure<double>& closure = robot_.coordinates.closure;
  for (std::size_t m = 0; m < closure.movers.size(); ++m) {
    const TreeJoint joint = closure.movers[m];
    if (const double by = closure.closed[m] - q[index(joint)]; std::abs(by) > jump)
      throw std::domain_error("the frames do not meet: joint '" + robot_.joint_names[joint] +
                              "' would have to jump by " + std::to_string(by));
  }
}

std::vector<double> ClosedTree::of_coordinates(std::span<const double> tree) const {
  std::vector<double> own;
  for (const TreeJoint joint : robot_.coordinates.joints) own.push_back(tree[index(joint)]);
  return own;
}

Inputs<double> ClosedTree::of_joints(std::span<const double> q, std::span<const double> qd) {
  return chart_.place({.q = q, .qd = qd});
}

std::vector<double> ClosedTree::pulled(std::span<const double> p) const {
  std::vector<double> out(index(robot_.nv()));
  chart_.loops().pull_rows(p, 1, out);
  return out;
}

std::vector<double> ClosedTree::rates_after(std::span<const double> q_tree, std::span<const double> p) {
  const std::vector<double> q = of_coordinates(q_tree), still(q.size());
  of_joints(q, still);
  std::vector<double> v(q.size());
  Factorization<double> inertia(robot_);
  inertia.factor(q);
  inertia.solve(pulled(p), v);
  const Inputs<double> all = of_joints(q, v);
  return {all.qd.begin(), all.qd.end()};
}

}  // namespace catena
