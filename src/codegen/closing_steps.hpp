// Positions of all joints of a robot with closed loops as straight-line code: a fixed number of steps of Newton's method,
// and whether the loops were closed by them. Equations: docs/equations/closed_loops.md (8).
#pragma once

#include <span>
#include <vector>

#include "catena/program.hpp"
#include "model/closed_cluster.hpp"

namespace catena {

// From q of every joint: where loops leave a joint independent it is there; the others are looked for from there.
inline std::vector<SymbolicMatrix> closing_steps(const BasicMechanism<Expr>& robot, std::span<const Expr> q, int steps) {
  const auto& closure = robot.coordinates.closure;
  const std::size_t first = robot.coordinates.is_free() ? 1 : 0;  // a quaternion has four entries, for three joints
  std::vector<Expr> x(closure.movers.size());
  for (std::size_t m = first * base_joints; m < x.size(); ++m) x[m] = q[m + first];
  Expr squares(0.0);
  for (const LoopCluster& loops : closure.clusters) {
    ClosedCluster<Expr> cluster(robot, closure, loops);
    std::vector<Expr> step(loops.dependent.size());
    for (int k = 0; k < steps; ++k) {
      cluster.place(x);
      cluster.newton_step(x, step);
    }
    cluster.place(x);
    for (const Expr& part : cluster.equations().phi()) squares += part * part;
  }
  SymbolicMatrix positions{"q_tree", "positions of all joints (rad, m)", robot.joints(), 1, {}};
  for (const auto& row : closure.joints) {
    positions.entries.push_back(row.offset);
    for (const auto& [mover, factor] : row.terms) positions.entries.back() += factor * x[index(mover)];
  }
  constexpr double closed = 1e-22;  // squares of metres and of sines
  const SymbolicMatrix flag{
      "closed", "1 where the loops were closed, else 0", 1, 1, {0.5 + 0.5 * sign(closed - squares)}};
  return {positions, flag};
}

}  // namespace catena
