// How accelerations vary with positions, speeds and torques, for robots with many joints: ∂q̈/∂τ = M⁻¹, ∂q̈/∂q̇ = -M⁻¹V
// and ∂q̈/∂q = -M⁻¹P, each column by the articulated-body recursion instead of a dense inverse and products. Equations
// (15), (16): docs/equations/tensor_linearized.md; the recursion: docs/equations/inverse_inertia.md.
#pragma once

#include "formulations/forward/articulated_body.hpp"
#include "formulations/linearize/common_frame.hpp"
#include "formulations/linearize/response.hpp"
#include "formulations/shared/articulated_columns.hpp"

namespace catena {

struct ArticulatedResponse {
  static constexpr FormulationInfo info{"common-frame", "response", "Rodriguez and Kreutz 1988, in one frame",
                                        "docs/equations/inverse_inertia.md",
                                        "forward dynamics, D, V, P, and 25 n operations per column"};

  template <class S>
  struct Workspace : ArticulatedBody::Workspace<S> {  // with its pivots, which are checked
    CommonFrameLinearized::Workspace<S> linearized;
    ArticulatedColumns<S> columns;
    Array<S> qdd, V, P;

    explicit Workspace(const TreeFor<S>& robot)
        : ArticulatedBody::Workspace<S>(robot),
          linearized(robot),
          columns(robot),
          qdd(index(robot.joints())),
          V(qdd.size() * qdd.size()),
          P(V.size()) {}
  };

  template <class S>
  static void run(const TreeFor<S>& robot, std::span<const S> q, std::span<const S> qd, std::span<const S> tau,
                  Workspace<S>& ws, const Responses<S>& out) {
    const int n = robot.joints();
    ArticulatedBody::run<S>(robot, q, qd, tau, ws, ws.qdd);
    const MatrixView<S> V{ws.V, n}, P{ws.P, n};
    CommonFrameLinearized::with_turns<S>(robot, {q, qd, ws.qdd}, ws.turns, ws.linearized, {{}, V, P});
    add_joint_damping<S>(robot, qd, V);
    add_joint_stiffness<S>(robot, q, P);
    for (int i = 0; i < n; ++i) {
      const auto& link = robot.link(i);
      const auto& own = ws.links[index(i)];
      ws.columns.set(i, link.revolute, ws.linearized.root_from_link(link.q), own.k, own.inverse_pivot);
    }
    const typename ArticulatedColumns<S>::Wanted all[] = {
        {ws.P, out.to_q.entries}, {ws.V, out.to_qd.entries}, {{}, out.to_tau.entries}};
    ws.columns.solve(all);  // (15), (16)
  }
};

}  // namespace catena
