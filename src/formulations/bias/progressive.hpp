// Bias vector link by link (Laus, Simoni and Martins, eqs 35 and 36): each link adds C_i q̇ and its weight at the
// joints that move it. Equations (1)-(3): docs/equations/progressive_bias.md. Components along the base axes.
#pragma once

#include "formulations/coriolis/progressive.hpp"

namespace catena {

struct ProgressiveBias {
  static constexpr FormulationInfo info{"progressive", "bias", "Laus, Simoni and Martins, eqs 35 and 36",
                                        "docs/equations/progressive_bias.md", "none published"};

  template <class S>
  using Workspace = ProgressiveCoriolis::Workspace<S>;

  template <class S>
  static void run(const TreeFor<S>& robot, std::span<const S> q, std::span<const S> qd, Workspace<S>& ws,
                  std::span<S> b) {
    joint_turns<S>(robot, q, ws.turns);
    place_links<S>(robot, q, qd, ws.turns, ws.links);
    for (S& torque : b) torque = S{};
    for (int i = 0; i < robot.joints(); ++i) {
      const auto& link = robot.link(i);
      const auto columns = ProgressiveCoriolis::form_columns(robot, i, link, ws.links[index(i)], ws.links, ws.columns);
      Vec3<S> force = static_cast<Vec3<S>>(-(link.mass * robot.gravity)), moment{};  // (1)
      for (const auto& column : columns) {                                           // (2)
        force += qd[index(column.q)] * column.force;
        if (column.revolute) moment += qd[index(column.q)] * column.moment;
      }
      for (const auto& row : columns) {  // (3)
        S& torque = b[index(row.q)];
        torque += dot(row.linear, force);
        if (row.revolute) torque += dot(row.angular, moment);
      }
    }
  }
};

}  // namespace catena
