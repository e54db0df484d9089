// How accelerations vary with positions, speeds and torques: from M q̈ = τ - b follow ∂q̈/∂τ = D⁻¹, ∂q̈/∂q̇ = -D⁻¹V and
// ∂q̈/∂q = -D⁻¹P, with D, V and P about the motion that the torques produce. Equations (15), (16):
// docs/equations/tensor_linearized.md.
#pragma once

#include "forces/joint_forces.hpp"
#include "formulations/forward/composite_ldlt.hpp"
#include "formulations/linearize/tensor.hpp"

namespace catena {

// Where the three matrices go.
template <class S>
struct Responses {
  MatrixView<S> to_q, to_qd, to_tau;
};

template <class Linearized>
struct Response {
  static constexpr FormulationInfo info{Linearized::info.name, "response", Linearized::info.source,
                                        "docs/equations/tensor_linearized.md",
                                        "forward dynamics, D, V, P, one inverse and two products"};

  template <class S>
  struct Workspace : CompositeForward::Workspace<S> {  // M, and its pivots, which are checked
    typename Linearized::template Workspace<S> linearized;
    Array<S> qdd, D, V, P, inverse_pivots;

    explicit Workspace(const TreeFor<S>& robot)
        : CompositeForward::Workspace<S>(robot),
          linearized(robot),
          qdd(index(robot.joints())),
          D(index(robot.joints()) * index(robot.joints())),
          V(D.size()),
          P(D.size()),
          inverse_pivots(qdd.size()) {}
  };

  template <class S>
  static void run(const TreeFor<S>& robot, std::span<const S> q, std::span<const S> qd, std::span<const S> tau,
                  Workspace<S>& ws, const Responses<S>& out) {
    const int n = robot.joints();
    CompositeForward::run<S>(robot, q, qd, tau, ws, ws.qdd);
    const Motion<S> x{q, qd, ws.qdd};
    const Sensitivities<S> matrices{{ws.D, n}, {ws.V, n}, {ws.P, n}};
    if constexpr (requires {
                    Linearized::template with_turns<S>(robot, x, ws.bias_by.turns(), ws.linearized, matrices);
                  })
      Linearized::template with_turns<S>(robot, x, ws.bias_by.turns(), ws.linearized, matrices);
    else
      Linearized::template run<S>(robot, x, ws.linearized, matrices);
    add_joint_damping<S>(robot, qd, {ws.V, n});
    add_joint_stiffness<S>(robot, q, {ws.P, n});
    invert_ldlt<S>({ws.M, n}, ws.inverse_pivots, out.to_tau);  // (15)
    minus_product<S>(out.to_tau, {ws.P, n}, out.to_q);         // (16)
    minus_product<S>(out.to_tau, {ws.V, n}, out.to_qd);
  }
};

}  // namespace catena
