// The pose of a frame in the base link's frame (4 x 4, homogeneous).
#pragma once

#include "formulations/kinematics/frames.hpp"
#include "jobs/descriptor.hpp"

namespace catena {

struct PoseJob : AnyJob {
  static JobInfo describe() {
    return {.name = "pose",
            .words = "where a frame is, seen from the base link (4 x 4, homogeneous)",
            .result = "the pose",
            .inputs = {Input::q},
            .outputs = {{"T", "base link from frame, homogeneous", Kind::pose, unit::mixed, exactly(4), exactly(4)}},
            .takes_frame = true};
  }
  using Formulations = FormulationList<FramePose>;
  static constexpr std::string_view standard(int) { return FramePose::info.name; }

  template <class F, class S>
  static void call(const TreeFor<S>& robot, const Inputs<S>& in, typename F::template Workspace<S>& ws,
                   std::span<S> T) {
    F::template run<S>(robot, in.q, frame_of(robot, in), ws, T);
  }
};

}  // namespace catena
