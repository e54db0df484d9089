// Forward dynamics by any inertia matrix and any bias: M q̈ = τ - b, solved by LDLᵀ from the tips inward (Walker and
// Orin's third method; Balafoutis, section 6.4). Equations (1)-(6): docs/equations/composite_ldlt.md.
#pragma once

#include "forces/joint_forces.hpp"
#include "formulations/bias/by_inverse.hpp"
#include "formulations/inertia/generalized_links.hpp"
#include "formulations/inverse/tensor_augmented.hpp"
#include "formulations/shared/ldlt.hpp"

namespace catena {

// `unrolled`: whether small robots have their own unrolled code, which is faster and takes long to compile.
template <class Inertia, class Bias, bool unrolled = true>
struct CompositeLdlt {
  static constexpr FormulationInfo info{
      "composite-ldlt", "forward", "Walker and Orin 1982, method 3; Balafoutis 1989, Algorithms 6.2 and 5.5",
      "docs/equations/composite_ldlt.md", "n³/6 + 25n²/2 + 310n/3 - 150 M, n³/6 + 13n²/2 + 337n/3 - 154 A"};

  template <class S>
  struct Workspace {
    typename Inertia::template Workspace<S> inertia;
    typename Bias::template Workspace<S> bias_by;
    Array<S> bias;       // (1) by q
    Array<S> M;          // (2) by q
    Array<S> L;          // (3) D, Lᵀ, tips first
    Array<S> inverse_D;  // (3) tips first
    Array<S> x;          // (4)-(6) tips first
    Array<S> pivots;     // (3) D by link

    explicit Workspace(const TreeFor<S>& robot)
        : inertia(robot),
          bias_by(robot),
          bias(index(robot.joints())),
          M(index(robot.joints()) * index(robot.joints())),
          L(M.size()),
          inverse_D(index(robot.joints())),
          x(index(robot.joints())),
          pivots(index(robot.joints())) {}
  };

  template <class S>
  static void run(const TreeFor<S>& robot, std::span<const S> q, std::span<const S> qd, std::span<const S> tau,
                  Workspace<S>& ws, std::span<S> qdd) {
    form<S>(robot, q, qd, ws);
    if constexpr (unrolled)
      if (with_unrolled_size(robot.joints(), [&](auto size) { solve_small<size, S>(robot, tau, ws, qdd); })) return;
    factor_large<S>(robot, ws);
    solve<S>(robot, q, tau, ws, qdd);
  }

  // b, M and its factors.
  template <class S>
  static void factor(const TreeFor<S>& robot, std::span<const S> q, std::span<const S> qd, Workspace<S>& ws) {
    form<S>(robot, q, qd, ws);
    factor_large<S>(robot, ws);
  }

  // q̈ for torques τ, any number of times after one factor() at the same q.
  template <class S>
  static void solve(const TreeFor<S>& robot, std::span<const S>, std::span<const S> tau, Workspace<S>& ws,
                    std::span<S> qdd) {
    for (int row = 0; row < robot.joints(); ++row) {
      const std::size_t j = index(q_of_row(robot, row));
      ws.x[index(row)] = tau[j] - ws.bias[j];
    }
    solve_ldlt<S>({ws.L, robot.joints()}, ws.inverse_D, ws.x);  // (4)-(6)
    for (int row = 0; row < robot.joints(); ++row) qdd[index(q_of_row(robot, row))] = ws.x[index(row)];
  }

  // b and M of the rigid links.
  template <class S>
  static void form_rigid(const TreeFor<S>& robot, std::span<const S> q, std::span<const S> qd, Workspace<S>& ws) {
    const MatrixView<S> M{ws.M, robot.joints()};
    if constexpr (requires { Bias::template after_stage<S>(robot, qd, ws.inertia.stage, ws.bias_by, ws.bias); }) {
      Inertia::template run<S>(robot, q, ws.inertia, M);                                // (2), and a stage
      Bias::template after_stage<S>(robot, qd, ws.inertia.stage, ws.bias_by, ws.bias);  // (1), which reuses the stage
      return;
    }
    Bias::template run<S>(robot, q, qd, ws.bias_by, ws.bias);  // (1)
    if constexpr (requires { Inertia::template with_turns<S>(robot, q, ws.bias_by.turns(), ws.inertia, M); }) {
      Inertia::template with_turns<S>(robot, q, ws.bias_by.turns(), ws.inertia, M);  // (2)
    } else {
      Inertia::template run<S>(robot, q, ws.inertia, M);
    }
  }

 private:
  template <class S>
  static void form(const TreeFor<S>& robot, std::span<const S> q, std::span<const S> qd, Workspace<S>& ws) {
    form_rigid<S>(robot, q, qd, ws);
    add_joint_inertia<S>(robot, {ws.M, robot.joints()});
  }

  // Row and column r of the matrix that is factored belong to link n - 1 - r.
  template <class T>
  static int q_of_row(const BasicTree<T>& robot, int row) {
    return robot.link(robot.joints() - 1 - row).q;
  }
  // (3) for any size.
  template <class S>
  static void factor_large(const TreeFor<S>& robot, Workspace<S>& ws) {
    const int n = robot.joints();
    const MatrixView<S> M{ws.M, n}, L{ws.L, n};
    for (int row = 0; row < n; ++row)
      for (int column = row; column < n; ++column) L(row, column) = M(q_of_row(robot, row), q_of_row(robot, column));
    factor_ldlt<S>(L, ws.inverse_D);
    for (int row = 0; row < n; ++row) ws.pivots[index(n - 1 - row)] = L(row, row);
  }
  // (3)-(6) for a small size, in one step.
  template <int N, class S>
  static void solve_small(const TreeFor<S>& robot, std::span<const S> tau, Workspace<S>& ws, std::span<S> qdd) {
    const MatrixView<S> M{ws.M, N};
    Ldlt<S, N> ldlt;
    S x[N];
    detail::unrolled<N>([&](auto row) {
      const int q = q_of_row(robot, row);
      detail::unrolled<row + 1>(
          [&](auto column) { ldlt.entries[ldlt.at(row, column)] = M(q, q_of_row(robot, column)); });
      x[row] = tau[index(q)] - ws.bias[index(q)];
    });
    ldlt.factor();
    ldlt.solve(x);
    detail::unrolled<N>([&](auto row) {
      ws.pivots[N - 1 - row] = ldlt.entries[ldlt.at(row, row)];
      qdd[index(q_of_row(robot, row))] = x[row];
    });
  }
};

using CompositeForward = CompositeLdlt<GeneralizedLinks, BiasByInverse<TensorAugmented>>;

}  // namespace catena
