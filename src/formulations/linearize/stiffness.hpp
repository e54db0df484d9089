// P = ∂τ/∂q alone, from any linearization: docs/equations/tensor_linearized.md.
#pragma once

#include "formulations/linearize/tensor.hpp"

namespace catena {

template <class Linearized>
struct Stiffness {
  static constexpr FormulationInfo info{Linearized::info.name, "stiffness", Linearized::info.source,
                                        Linearized::info.equations, Linearized::info.cost};

  template <class S>
  struct Workspace {
    typename Linearized::template Workspace<S> linearized;
    Array<S> D, V;

    explicit Workspace(const TreeFor<S>& robot)
        : linearized(robot), D(index(robot.joints()) * index(robot.joints())), V(D.size()) {}
  };

  template <class S>
  static void run(const TreeFor<S>& robot, const Motion<S>& x, Workspace<S>& ws, const MatrixView<S>& P) {
    Linearized::template run<S>(robot, x, ws.linearized, {{ws.D, P.n}, {ws.V, P.n}, P});
  }
};

}  // namespace catena
