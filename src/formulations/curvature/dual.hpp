// Second derivatives of λᵀτ by running the fastest inverse dynamics on dual numbers of dual numbers, once per entry: no
// derivation by hand. docs/equations/curvature.md compares.
#pragma once

#include "catena/scalar/dual.hpp"
#include "formulations/curvature/composite.hpp"
#include "formulations/inverse/tensor_augmented.hpp"

namespace catena {

struct DualCurvature {
  static constexpr FormulationInfo info{"dual", "curvature", "exact second derivatives of the recursion",
                                        "docs/equations/curvature.md", "4n² inverse dynamics, each about ten times"};
  static constexpr bool reference_only = true;

  template <class S>
  struct Workspace {
    using D = Dual<Dual<S>>;
    TensorAugmented::Workspace<D> inverse;
    Array<D> q, qd, qdd, tau;

    explicit Workspace(const TreeFor<S>& robot)
        : inverse(robot), q(index(robot.joints())), qd(q.size()), qdd(q.size()), tau(q.size()) {}
  };

  template <class S>
  static void run(const TreeFor<S>& robot, const Motion<S>& x, std::span<const S> lambda, Workspace<S>& ws,
                  const SecondDerivatives<S>& out) {
    using D = Dual<Dual<S>>;
    for (std::size_t j = 0; j < ws.q.size(); ++j) {
      ws.q[j] = D(Dual<S>(x.q[j], S{}));
      ws.qd[j] = D(Dual<S>(x.qd[j], S{}));
      ws.qdd[j] = D(Dual<S>(x.qdd[j], S{}));
    }
    differentiate<S>(robot, ws, lambda, ws.q, ws.q, out.q_q);
    differentiate<S>(robot, ws, lambda, ws.q, ws.qd, out.q_qd);
    differentiate<S>(robot, ws, lambda, ws.q, ws.qdd, out.q_qdd);
    differentiate<S>(robot, ws, lambda, ws.qd, ws.qd, out.qd_qd);
  }

 private:
  template <class S>
  static void differentiate(const TreeFor<S>& robot, Workspace<S>& ws, std::span<const S> lambda,
                            Array<Dual<Dual<S>>>& first, Array<Dual<Dual<S>>>& second, const MatrixView<S>& matrix) {
    const S seed(ConstantOf<S>(1));
    for (int j = 0; j < matrix.n; ++j)
      for (int k = 0; k < matrix.n; ++k) {
        first[index(j)].value.derivative = seed;
        second[index(k)].derivative.value = seed;
        TensorAugmented::run<Dual<Dual<S>>>(robot, {ws.q, ws.qd, ws.qdd}, ws.inverse, ws.tau);
        first[index(j)].value.derivative = S{};
        second[index(k)].derivative.value = S{};
        S sum{};
        for (int i = 0; i < matrix.n; ++i) sum += lambda[index(i)] * ws.tau[index(i)].derivative.derivative;
        matrix(j, k) = sum;
      }
  }
};

}  // namespace catena
