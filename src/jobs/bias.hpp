// The torques at zero acceleration.
#pragma once

#include "formulations/bias/base_origin.hpp"
#include "formulations/bias/by_inverse.hpp"
#include "formulations/bias/progressive.hpp"
#include "jobs/inverse.hpp"

namespace catena {

struct BiasJob : AnyJob {
  static JobInfo describe() {
    return {.name = "bias",
            .words = "torques at zero acceleration: Coriolis, centrifugal, gravity, friction and springs",
            .result = "the bias vector",
            .inputs = {Input::q, Input::qd},
            .outputs = {{"b", "torques at zero acceleration", Kind::bias, unit::effort, nv}}};
  }
  using Formulations = InverseFormulations::Serving<BiasByInverse, BaseOriginBias, ProgressiveBias>;
  static constexpr std::string_view standard(int joints) { return InverseJob::standard(joints); }

  template <class F, class S>
  static void call(const TreeFor<S>& robot, const Inputs<S>& in, typename F::template Workspace<S>& ws,
                   std::span<S> b) {
    F::template run<S>(robot, in.q, in.qd, ws, b);
  }
};

}  // namespace catena
