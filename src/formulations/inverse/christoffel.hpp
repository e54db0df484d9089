// Inverse dynamics in closed form (Balafoutis, eqs 5.2.9 and 5.2.10): the inertia coefficients times the accelerations,
// the Christoffel matrix times the rates, and gravity. Equation (1): docs/equations/christoffel.md. For counting and
// comparison only.
#pragma once

#include "formulations/coriolis/progressive.hpp"
#include "formulations/gravity/progressive.hpp"
#include "formulations/inertia/progressive.hpp"

namespace catena {

struct ChristoffelInverse {
  static constexpr FormulationInfo info{"christoffel", "inverse", "Balafoutis 1989, eqs 5.2.9 and 5.2.10",
                                        "docs/equations/christoffel.md",
                                        "3n³/2 + 35n²/2 + 9n - 16 M, 7n³/6 + 23n²/2 + 64n/3 - 28 A (Vukobratovic)"};
  static constexpr bool reference_only = true;

  template <class S>
  struct Workspace {
    ProgressiveInertia::Workspace<S> inertia;
    ProgressiveCoriolis::Workspace<S> coriolis;
    ProgressiveGravity::Workspace<S> gravity;
    Array<S> D, C;  // (1) by q

    explicit Workspace(const TreeFor<S>& robot)
        : inertia(robot),
          coriolis(robot),
          gravity(robot),
          D(index(robot.joints()) * index(robot.joints())),
          C(D.size()) {}
  };

  template <class S>
  static void run(const TreeFor<S>& robot, const Motion<S>& x, Workspace<S>& ws, std::span<S> tau) {
    const MatrixView<S> D{ws.D, robot.joints()}, C{ws.C, robot.joints()};
    ProgressiveInertia::run<S>(robot, x.q, ws.inertia, D);
    ProgressiveCoriolis::run<S>(robot, x.q, x.qd, ws.coriolis, C);
    ProgressiveGravity::run<S>(robot, x.q, ws.gravity, tau);
    for (int i = 0; i < robot.joints(); ++i)  // (1)
      for (int j = 0; j < robot.joints(); ++j) tau[index(i)] += D(i, j) * x.qdd[index(j)] + C(i, j) * x.qd[index(j)];
  }
};

}  // namespace catena
