// The acceleration of a frame at zero joint acceleration, J̇ q̇.
#pragma once

#include "formulations/kinematics/frames.hpp"
#include "jobs/descriptor.hpp"

namespace catena {

struct DriftJob : AnyJob {
  static JobInfo describe() {
    return {.name = "drift",
            .words = "acceleration of a frame while no joint accelerates, J̇ q̇",
            .result = "the drift",
            .inputs = {Input::q, Input::qd},
            .outputs = {{"Jdot_qd", "acceleration over angular acceleration of the frame at zero joint acceleration",
                         Kind::drift, unit::mixed, exactly(6), one, false, twist_rows}},
            .takes_frame = true};
  }
  using Formulations = FormulationList<FrameDrift>;
  static constexpr std::string_view standard(int) { return FrameDrift::info.name; }

  template <class F, class S>
  static void call(const TreeFor<S>& robot, const Inputs<S>& in, typename F::template Workspace<S>& ws,
                   std::span<S> out) {
    F::template run<S>(robot, in.q, in.qd, frame_of(robot, in), ws, out);
  }
};

}  // namespace catena
