// Positions of all joints of a robot with closed loops as straight-line code: a fixed number of steps of Newton's
// method, and whether the loops were closed by them. Sines are those of the start alone: later angles are turned on
// from there by series, exact to rounding for the steps of a controller. Equations: docs/equations/closed_loops.md (8).
#pragma once

#include <span>
#include <vector>

#include "catena/program.hpp"
#include "model/closed_cluster.hpp"

namespace catena {

namespace detail {
// For |angle| up to 0.6.
inline Turn<Expr> short_turn(const Expr& angle) {
  const Expr z = angle * angle;
  Expr c(0.0), s(0.0);
  for (int k = 16; k > 0; k -= 2) {
    c = 1.0 - (1.0 / (k * (k - 1))) * z * (k == 16 ? Expr(1.0) : c);
    s = 1.0 - (1.0 / (k * (k + 1))) * z * (k == 16 ? Expr(1.0) : s);
  }
  return {c, angle * s};
}
}  // namespace detail

// From q of every joint: where loops leave a joint independent it is there; the others are looked for from there.
inline std::vector<SymbolicMatrix> closing_steps(const BasicMechanism<Expr>& robot, std::span<const Expr> q,
                                                 int steps) {
  const auto& closure = robot.coordinates.closure;
  const std::size_t first = robot.coordinates.is_free() ? 1 : 0;  // a quaternion has four entries, for three joints
  std::vector<Expr> start(closure.movers.size());
  for (std::size_t m = first * base_joints; m < start.size(); ++m) start[m] = q[m + first];
  std::vector<Expr> x = start;
  const auto joint_at = [&](TreeJoint joint, const std::vector<Expr>& at) {
    Expr position = closure.joints[joint].offset;
    for (const auto& [mover, factor] : closure.joints[joint].terms) position = position + factor * at[index(mover)];
    return position;
  };
  const auto turn_of = [&](const LinkConstants<Expr>& link, const Expr& at) {
    const Expr from = joint_at(link.q, start);
    const Turn<Expr> t = sincos_of_sum(from, link.theta), by = detail::short_turn(at - from);
    return Turn<Expr>{t.c * by.c - t.s * by.s, t.s * by.c + t.c * by.s};
  };
  Expr squares(0.0), ways(0.0);
  for (const LoopCluster& loops : closure.clusters) {
    ClosedCluster<Expr> cluster(robot, closure, loops);
    std::vector<Expr> step(loops.dependent.size());
    for (int k = 0; k < steps; ++k) {
      cluster.place(x, turn_of);
      cluster.newton_step(x, step);
    }
    cluster.place(x, turn_of);
    for (const Expr& part : cluster.equations().phi()) squares += part * part;
    for (const int m : loops.dependent) ways += (x[index(m)] - start[index(m)]) * (x[index(m)] - start[index(m)]);
  }
  SymbolicMatrix positions{"q_tree", "positions of all joints (rad, m)", sizes_of(robot).joints, 1, {}};
  for (const TreeJoint joint : robot.all_joints())
    if (!robot.carried || joint >= base_joints) positions.entries.push_back(joint_at(joint, x));
  constexpr double closed = 1e-22, near = 0.36;  // squares of metres and of sines; of the ways of all joints
  const Expr both = (0.5 + 0.5 * sign(closed - squares)) * (0.5 + 0.5 * sign(near - ways));
  const SymbolicMatrix flag{"closed", "1 where the loops were closed, not far from the start, else 0", 1, 1, {both}};
  return {positions, flag};
}

}  // namespace catena
