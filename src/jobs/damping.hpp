// How torques vary with speeds.
#pragma once

#include "jobs/linearize.hpp"

namespace catena {

struct DampingJob : AnyJob {
  static JobInfo describe() {
    return {.name = "damping",
            .words = "V = ∂τ/∂q̇ of the linearized model, friction included; it is the same at any acceleration",
            .result = "the damping matrix",
            .inputs = {Input::q, Input::qd},
            .outputs = {{"V", "∂τ/∂q̇", Kind::damping, unit::mixed, nv, nv}}};
  }
  using Formulations = FormulationList<TensorDamping>;
  static constexpr std::string_view standard(int) { return TensorDamping::info.name; }
  template <class Job>
  static constexpr std::string_view in_lanes() {
    return {};
  }

  template <class F, class S>
  static void call(const TreeFor<S>& robot, const Inputs<S>& in, typename F::template Workspace<S>& ws,
                   std::span<S> V) {
    F::template run<S>(robot, in.q, in.qd, ws, MatrixView<S>{V, robot.joints()});
  }
};

}  // namespace catena
