// Hybrid dynamics by the inertia matrix and the bias: the block of the passive joints is solved by LDLᵀ, tips first.
// Equations (1), (2): docs/equations/hybrid.md.
#pragma once

#include <limits>
#include <vector>

#include "formulations/forward/composite_ldlt.hpp"
#include "formulations/hybrid/given.hpp"

namespace catena {

struct HybridBlockLdlt {
  static constexpr FormulationInfo info{"block-ldlt", "hybrid", "textbook mechanics", "docs/equations/hybrid.md",
                                        "inertia matrix, bias, n² and t³/6 for t passive joints"};

  template <class S>
  struct Workspace : CompositeForward::Workspace<S> {  // only the part of L and x for passive joints is used
    Array<int> given_torque;                           // links of passive joints, tips first

    explicit Workspace(const TreeFor<S>& robot) : CompositeForward::Workspace<S>(robot) {
      for (S& pivot : this->pivots) pivot = S(std::numeric_limits<ConstantOf<S>>::max());  // for joints that have none
      for (int i = robot.joints() - 1; i >= 0; --i)
        if (robot.is_passive(robot.link(i).q)) given_torque.push_back(i);
    }
  };

  template <class S>
  static void run(const TreeFor<S>& robot, const Given<S>& in, Workspace<S>& ws, const Found<S>& out) {
    CompositeForward::form_rigid<S>(robot, in.q, in.qd, ws);
    const MatrixView<S> M{ws.M, robot.joints()};
    for (const TreeJoint j : robot.all_joints())
      if (!robot.is_passive(j)) out.qdd[index(j)] = in.qdd[index(j)];
    solve_passive<S>(robot, in.tau, M, ws, out.qdd);  // (1)
    for (const TreeJoint j : robot.all_joints()) {    // (2)
      S& tau = out.tau[index(j)];
      tau = robot.is_passive(j) ? in.tau[index(j)] : ws.bias[index(j)];
      if (robot.is_passive(j)) continue;
      for (int k = 0; k < robot.joints(); ++k) tau += M(j, k) * out.qdd[index(k)];
    }
  }

 private:
  // (1) M_tt q̈_t = τ_t - b_t - M_ta q̈_a, with the rotors of passive joints in M_tt.
  template <class S>
  static void solve_passive(const TreeFor<S>& robot, std::span<const S> tau, const MatrixView<S>& M, Workspace<S>& ws,
                            std::span<S> qdd) {
    const int size = static_cast<int>(ws.given_torque.size());
    const auto joint = [&](int row) { return robot.link(ws.given_torque[index(row)]).q; };
    const MatrixView<S> L{std::span<S>(ws.L).first(index(size) * index(size)), size};
    const std::span<S> x = std::span<S>(ws.x).first(index(size));
    for (int row = 0; row < size; ++row) {
      const TreeJoint t = joint(row);
      for (int column = row; column < size; ++column) L(row, column) = M(t, joint(column));
      L(row, row) = with_added(L(row, row), added_inertia(robot, robot.link(ws.given_torque[index(row)])));
      S& rest = x[index(row)];
      rest = tau[index(t)] - ws.bias[index(t)];
      for (const TreeJoint a : robot.all_joints())
        if (!robot.is_passive(a)) rest -= M(t, a) * qdd[index(a)];
    }
    factor_ldlt<S>(L, ws.inverse_D);
    solve_ldlt<S>(L, ws.inverse_D, x);
    for (int row = 0; row < size; ++row) {
      ws.pivots[index(ws.given_torque[index(row)])] = L(row, row);
      qdd[index(joint(row))] = x[index(row)];
    }
  }
};

}  // namespace catena
