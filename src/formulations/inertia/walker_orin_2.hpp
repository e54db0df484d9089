// Inertia matrix by halves of columns: for a unit acceleration of one joint only the links beyond it move, and symmetry
// gives the rest (Walker and Orin's method 2). Equation (1): docs/equations/walker_orin_2.md.
#pragma once

#include "formulations/shared/still_robot.hpp"

namespace catena {

struct WalkerOrin2 {
  static constexpr FormulationInfo info{"walker-orin-2", "inertia",
                                        "Walker and Orin 1982, method 2; Balafoutis 1989, eq. 6.2.4",
                                        "docs/equations/walker_orin_2.md", "not published"};
  static constexpr bool reference_only = true;

  template <class S>
  struct Workspace {
    StillRobot<S> still;
    JointTurns<S> turns;

    explicit Workspace(const TreeFor<S>& robot) : still(robot), turns(robot.joints()) {}
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
    for (int j = 0; j < robot.joints(); ++j)
      ws.still.unit_torques(robot, q, turns, j, [&](int i, const S& torque) {
        M.set_symmetric(robot.link(i).q, robot.link(j).q, torque);  // (1)
      });
  }
};

}  // namespace catena
