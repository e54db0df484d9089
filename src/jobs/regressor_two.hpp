// The matrix Y of torques with a reference velocity: M q̈ + C(q, q̇) q̇_r + g = Y θ.
#pragma once

#include "formulations/regressor/two_velocities.hpp"
#include "jobs/descriptor.hpp"

namespace catena {

struct RegressorTwoJob : AnyJob {
  static JobInfo describe() {
    return {.name = "regressor_two",
            .words = "Y of inverse_two, M q̈ + C(q, q̇) q̇_r + g = Y θ, with θ as for the regressor",
            .result = "the regressor",
            .inputs = {Input::q, Input::qd, Input::qdd, Input::reference},
            .outputs = {{"Y", "∂τ/∂θ, 16 columns for each joint", Kind::rows, unit::mixed, nv, np}}};
  }
  using Formulations = FormulationList<TensorRegressorTwo>;
  static constexpr std::string_view standard(int) { return TensorRegressorTwo::info.name; }
  template <class Job>
  static constexpr std::string_view in_lanes() {
    return {};  // as the regressor
  }

  template <class F, class S>
  static void call(const TreeFor<S>& robot, const Inputs<S>& in, typename F::template Workspace<S>& ws,
                   std::span<S> Y) {
    F::template run<S>(robot, {{in.q, in.qd, in.qdd}, in.reference}, ws, Y);
  }
};

}  // namespace catena
