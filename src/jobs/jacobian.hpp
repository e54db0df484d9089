// Geometric Jacobian of a frame, along the axes of the base link.
#pragma once

#include "formulations/kinematics/frames.hpp"
#include "formulations/kinematics/jacobian_by_screws.hpp"
#include "formulations/kinematics/jacobian_in_link.hpp"
#include "jobs/descriptor.hpp"

namespace catena {

struct JacobianJob : AnyJob {
  static JobInfo describe() {
    return {.name = "jacobian",
            .words = "geometric Jacobian of a frame, along the axes of the base link",
            .result = "the Jacobian",
            .inputs = {Input::q},
            .outputs = {{"J", "velocity over angular velocity of the frame, along the axes of the base link",
                         Kind::columns, unit::mixed, exactly(6), nv, false, twist_rows}},
            .takes_frame = true};
  }
  using Formulations = FormulationList<FrameJacobian, JacobianByScrews, JacobianInLink>;
  static constexpr std::string_view standard(int) { return FrameJacobian::info.name; }

  template <class F, class S>
  static void call(const TreeFor<S>& robot, const Inputs<S>& in, typename F::template Workspace<S>& ws,
                   std::span<S> J) {
    F::template run<S>(robot, in.q, frame_of(robot, in), ws, J);
  }
};

}  // namespace catena
