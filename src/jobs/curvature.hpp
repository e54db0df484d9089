// Second derivatives of torques, weighed: λᵀ∂²τ.
#pragma once

#include "formulations/curvature/composite.hpp"
#include "formulations/curvature/dual.hpp"
#include "jobs/descriptor.hpp"

namespace catena {

struct CurvatureJob : AnyJob {
  static JobInfo describe() {
    return {.name = "curvature",
            .words = "second derivatives of inverse dynamics, λᵀ∂²τ, for pairs of positions, speeds and accelerations",
            .result = "the curvature",
            .inputs = {Input::q, Input::qd, Input::qdd, Input::lambda},
            .outputs = {{"H_q_q", "λᵀ∂²τ/∂q∂q", Kind::curvature_q_q, unit::mixed, nv, nv},
                        {"H_q_qd", "λᵀ∂²τ/∂q∂q̇", Kind::curvature_q_qd, unit::mixed, nv, nv},
                        {"H_q_qdd", "λᵀ∂²τ/∂q∂q̈", Kind::curvature_q_qdd, unit::mixed, nv, nv},
                        {"H_qd_qd", "λᵀ∂²τ/∂q̇∂q̇", Kind::curvature_qd_qd, unit::mixed, nv, nv, true}}};
  }
  using Formulations = FormulationList<CompositeCurvature, DualCurvature>;
  static constexpr std::string_view standard(int) { return CompositeCurvature::info.name; }

  template <class F, class S>
  static void call(const TreeFor<S>& robot, const Inputs<S>& in, typename F::template Workspace<S>& ws,
                   std::span<S> out) {
    F::template run<S>(robot, {in.q, in.qd, in.qdd}, in.lambda, ws, second_derivatives(out, robot.joints()));
  }
};

}  // namespace catena
