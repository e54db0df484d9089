// D, V and P by running the fastest inverse dynamics on dual numbers, once per column: no derivation by hand.
// docs/equations/tensor_linearized.md compares.
#pragma once

#include "catena/scalar/dual.hpp"
#include "formulations/inverse/tensor_augmented.hpp"
#include "formulations/linearize/tensor.hpp"

namespace catena {

struct DualLinearized {
  static constexpr FormulationInfo info{"dual", "linearize", "exact derivatives of the recursion",
                                        "docs/equations/tensor_linearized.md",
                                        "3n inverse dynamics, each about thrice"};

  template <class S>
  struct Workspace {
    TensorAugmented::Workspace<Dual<S>> inverse;
    Array<Dual<S>> q, qd, qdd, tau;

    explicit Workspace(const TreeFor<S>& robot)
        : inverse(robot), q(index(robot.joints())), qd(q.size()), qdd(q.size()), tau(q.size()) {}
  };

  template <class S>
  static void run(const TreeFor<S>& robot, const Motion<S>& x, Workspace<S>& ws, const Sensitivities<S>& out) {
    for (std::size_t j = 0; j < ws.q.size(); ++j) {
      ws.q[j] = Dual<S>(x.q[j], S{});
      ws.qd[j] = Dual<S>(x.qd[j], S{});
      ws.qdd[j] = Dual<S>(x.qdd[j], S{});
    }
    differentiate<S>(robot, ws, ws.qdd, out.D);
    differentiate<S>(robot, ws, ws.qd, out.V);
    differentiate<S>(robot, ws, ws.q, out.P);
  }

 private:
  template <class S>
  static void differentiate(const TreeFor<S>& robot, Workspace<S>& ws, Array<Dual<S>>& along,
                            const MatrixView<S>& matrix) {
    for (int j = 0; j < matrix.n; ++j) {
      along[index(j)].derivative = S(ConstantOf<S>(1));
      TensorAugmented::run<Dual<S>>(robot, {ws.q, ws.qd, ws.qdd}, ws.inverse, ws.tau);
      along[index(j)].derivative = S{};
      for (int i = 0; i < matrix.n; ++i) matrix(i, j) = ws.tau[index(i)].derivative;
    }
  }
};

}  // namespace catena
