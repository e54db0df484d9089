// The inverse of the inertia matrix from its LDLᵀ factors, column by column. Equations (2)-(6):
// docs/equations/composite_ldlt.md.
#pragma once

#include "forces/joint_forces.hpp"
#include "formulations/inertia/generalized_links.hpp"
#include "formulations/shared/ldlt.hpp"

namespace catena {

struct CompositeInverse {
  static constexpr FormulationInfo info{"composite-ldlt", "inverse_inertia", "Balafoutis 1989, Algorithm 6.2, and LDLᵀ",
                                        "docs/equations/composite_ldlt.md", "none published"};

  template <class S>
  struct Workspace {
    GeneralizedLinks::Workspace<S> inertia;
    Array<S> M, inverse_pivots;
    Array<S> pivots;  // of M by link, which are checked

    explicit Workspace(const TreeFor<S>& robot)
        : inertia(robot),
          M(index(robot.joints()) * index(robot.joints())),
          inverse_pivots(index(robot.joints())),
          pivots(index(robot.joints())) {}
  };

  template <class S>
  static void run(const TreeFor<S>& robot, std::span<const S> q, Workspace<S>& ws, const MatrixView<S>& inverse) {
    const MatrixView<S> M{ws.M, robot.joints()};
    GeneralizedLinks::run<S>(robot, q, ws.inertia, M);
    add_joint_inertia<S>(robot, M);
    invert_ldlt<S>(M, ws.inverse_pivots, inverse);
    // What remains of joint i when all others give way: not more than its pivot in any order.
    for (int i = 0; i < robot.joints(); ++i) {
      const int j = robot.link(i).q;
      ws.pivots[index(i)] = ConstantOf<S>(1) / inverse(j, j);
    }
  }
};

}  // namespace catena
