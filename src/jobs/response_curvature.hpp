// Second derivatives of accelerations, weighed: λᵀ∂²q̈.
#pragma once

#include "formulations/curvature/response.hpp"
#include "formulations/linearize/articulated_response.hpp"
#include "formulations/linearize/dual.hpp"
#include "jobs/curvature.hpp"

namespace catena {

struct ResponseCurvatureJob : AnyJob {
  static JobInfo describe() {
    return {.name = "response_curvature",
            .words = "second derivatives of forward dynamics, λᵀ∂²q̈, for pairs of positions, speeds and torques",
            .result = "the curvature",
            .inputs = {Input::q, Input::qd, Input::tau, Input::lambda},
            .outputs = {{"H_q_q", "λᵀ∂²q̈/∂q∂q", Kind::response_curvature, unit::mixed, nv, nv},
                        {"H_q_qd", "λᵀ∂²q̈/∂q∂q̇", Kind::response_curvature, unit::mixed, nv, nv},
                        {"H_q_tau", "λᵀ∂²q̈/∂q∂τ", Kind::response_curvature, unit::mixed, nv, nv},
                        {"H_qd_qd", "λᵀ∂²q̈/∂q̇∂q̇", Kind::response_curvature, unit::mixed, nv, nv, true}},
            .inverts_inertia = true,
            .by_matrix = "composite"};
  }
  struct ByMatrix : ResponseCurvature<Response<TensorLinearized>, CompositeCurvature> {
    static constexpr FormulationInfo info{"composite", "response_curvature", "derived by us",
                                          "docs/equations/curvature.md", "none published"};
  };
  struct Articulated : ResponseCurvature<ArticulatedResponse, CompositeCurvature> {
    static constexpr FormulationInfo info{"articulated", "response_curvature", "derived by us",
                                          "docs/equations/curvature.md", "none published"};
  };
  struct ByDual : ResponseCurvature<Response<DualLinearized>, DualCurvature> {
    static constexpr FormulationInfo info{"dual", "response_curvature", "exact second derivatives of the recursion",
                                          "docs/equations/curvature.md", "4n² inverse dynamics, each about ten times"};
  };
  using Formulations = FormulationList<ByMatrix, Articulated, ByDual>;
  // As their responses: docs/formulations.md.
  static constexpr std::string_view standard(int joints) {
    return joints <= 14 ? ByMatrix::info.name : Articulated::info.name;
  }
  template <class Job>
  static constexpr std::string_view in_lanes() {
    return ByMatrix::info.name;
  }
  template <class S>
  using Check = RegularInertia<S>;

  template <class F, class S>
  static void call(const TreeFor<S>& robot, const Inputs<S>& in, typename F::template Workspace<S>& ws,
                   std::span<S> out) {
    F::template run<S>(robot, in, ws, second_derivatives(out, robot.joints()));
  }
};

}  // namespace catena
