// Inertia matrix column by column, each an inverse dynamics of the whole robot for a unit acceleration of one joint
// (Walker and Orin's method 1). Equation (1): docs/equations/walker_orin_1.md.
#pragma once

#include "formulations/shared/still_robot.hpp"

namespace catena {

struct WalkerOrin1 {
  static constexpr FormulationInfo info{"walker-orin-1", "inertia",
                                        "Walker and Orin 1982, method 1; Balafoutis 1989, eq. 6.2.4",
                                        "docs/equations/walker_orin_1.md", "not published"};
  static constexpr bool reference_only = true;

  template <class S>
  struct Workspace {
    StillRobot<S> still;
    Array<S> unit, column;  // (1) by q
    JointTurns<S> turns;

    explicit Workspace(const TreeFor<S>& robot)
        : still(robot), unit(index(robot.joints())), column(index(robot.joints())), turns(robot.joints()) {}
  };

  template <class S>
  static void run(const TreeFor<S>& robot, std::span<const S> q, Workspace<S>& ws, const MatrixView<S>& M) {
    joint_turns<S>(robot, q, ws.turns);
    with_turns<S>(robot, q, ws.turns, ws, M);
  }

  // For a caller that has the joints' sines and cosines.
  template <class S>
  static void with_turns(const TreeFor<S>& robot, std::span<const S> q, const JointTurns<S>& turns, Workspace<S>& ws,
                         const MatrixView<S>& M) {
    M.set_zero();
    for (S& entry : ws.unit) entry = S{};
    for (const auto& link : robot.links) {
      ws.unit[index(link.q)] = S(ConstantOf<S>(1));
      ws.still.torques(robot, q, turns, ws.unit, ws.column);  // (1)
      ws.unit[index(link.q)] = S{};
      M(link.q, link.q) = ws.column[index(link.q)];
      for (int m = link.parent; m != base_link;
           m = robot.link(m).parent)  // of the two entries of a pair, the one at the ancestor
        M.set_symmetric(link.q, robot.link(m).q, ws.column[index(robot.link(m).q)]);
    }
  }
};

}  // namespace catena
