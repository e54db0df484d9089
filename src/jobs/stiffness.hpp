// How torques vary with positions.
#pragma once

#include "formulations/linearize/stiffness.hpp"
#include "jobs/linearize.hpp"

namespace catena {

struct StiffnessJob : AnyJob {
  static JobInfo describe() {
    return {.name = "stiffness",
            .words = "P = ∂τ/∂q of the linearized model, springs included",
            .result = "the stiffness matrix",
            .inputs = {Input::q, Input::qd, Input::qdd},
            .outputs = {{"P", "∂τ/∂q", Kind::stiffness, unit::mixed, nv, nv}},
            .by_depth = true};
  }
  using Formulations = LinearizeJob::Formulations::Serving<Stiffness>;
  static constexpr std::string_view standard(int joints) { return LinearizeJob::standard(joints); }
  static constexpr std::string_view standard_wide(int joints) { return LinearizeJob::standard_wide(joints); }
  template <class Job>
  static constexpr std::string_view in_lanes() {
    return {};
  }

  template <class F, class S>
  static void call(const TreeFor<S>& robot, const Inputs<S>& in, typename F::template Workspace<S>& ws,
                   std::span<S> P) {
    F::template run<S>(robot, {in.q, in.qd, in.qdd}, ws, MatrixView<S>{P, robot.joints()});
  }
};

}  // namespace catena
