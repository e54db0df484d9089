// The torques that hold the robot still.
#pragma once

#include "formulations/gravity/progressive.hpp"
#include "formulations/inverse/at_rest.hpp"
#include "jobs/inverse.hpp"

namespace catena {

struct GravityJob : AnyJob {
  static JobInfo describe() {
    return {.name = "gravity",
            .words = "torques that hold the robot still against its weight, springs and offsets",
            .result = "the torque",
            .inputs = {Input::q},
            .outputs = {{"g", "torques that hold the robot still", Kind::weight, unit::effort, nv}}};
  }
  using Formulations = InverseFormulations::Serving<AtRest, ProgressiveGravity>;
  static constexpr std::string_view standard(int joints) { return InverseJob::standard(joints); }

  template <class F, class S>
  static void call(const TreeFor<S>& robot, const Inputs<S>& in, typename F::template Workspace<S>& ws,
                   std::span<S> g) {
    F::template run<S>(robot, in.q, ws, g);
  }
};

}  // namespace catena
