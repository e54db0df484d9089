// How accelerations vary with positions, speeds and torques: the derivatives of forward dynamics.
#pragma once

#include "formulations/linearize/articulated_response.hpp"
#include "formulations/linearize/response.hpp"
#include "jobs/linearize.hpp"

namespace catena {

struct ResponseJob : AnyJob {
  static JobInfo describe() {
    return {.name = "response",
            .words = "derivatives of forward dynamics: how accelerations depend on positions, speeds and torques",
            .result = "the response",
            .inputs = {Input::q, Input::qd, Input::tau},
            .outputs = {{"qdd_q", "∂q̈/∂q", Kind::response_to_q, unit::mixed, nv, nv},
                        {"qdd_qd", "∂q̈/∂q̇", Kind::response_to_qd, unit::mixed, nv, nv},
                        {"qdd_tau", "∂q̈/∂τ, the inverse of the inertia matrix", Kind::response_to_tau, unit::mixed, nv,
                         nv, true}},
            .inverts_inertia = true,
            .by_matrix = "tensor"};
  }
  using Formulations = FormulationList<Response<TensorLinearized>, ArticulatedResponse, Response<DualLinearized>>;
  // The fastest for this number of joints, as measured: docs/formulations.md.
  static constexpr std::string_view standard(int joints) {
    return joints <= 14 ? TensorLinearized::info.name : ArticulatedResponse::info.name;
  }
  static constexpr std::string_view standard_wide(int joints) {
    return joints <= 11 ? TensorLinearized::info.name : ArticulatedResponse::info.name;
  }
  template <class Job>
  static constexpr std::string_view in_lanes() {
    return TensorLinearized::info.name;
  }
  template <class S>
  using Check = RegularInertia<S>;

  template <class F, class S>
  static void call(const TreeFor<S>& robot, const Inputs<S>& in, typename F::template Workspace<S>& ws,
                   std::span<S> out) {
    const auto [to_q, to_qd, to_tau] = three_matrices(out, robot.joints());
    F::template run<S>(robot, in.q, in.qd, in.tau, ws, {to_q, to_qd, to_tau});
  }
};

}  // namespace catena
