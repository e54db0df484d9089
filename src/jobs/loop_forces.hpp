// What holds closed loops together while the robot moves: a tree has none. For robots with loops:
// coordinates/closed_loops.hpp.
#pragma once

#include "formulations/kinematics/all_joints.hpp"
#include "jobs/descriptor.hpp"

namespace catena {

inline constexpr std::string_view wrench_columns[] = {"fx", "fy", "fz", "mx", "my", "mz"};

struct LoopForcesJob : AnyJob {
  static JobInfo describe() {
    return {.name = "loop_forces",
            .words =
                "wrenches that hold closed loops, with motors at the coordinates: force and moment of the first "
                "frame on the second, about the first frame's origin along its axes",
            .result = "the loop force",
            .inputs = {Input::q, Input::qd, Input::qdd},
            .outputs = {{"loop_forces", "force over moment on the second frame of each loop, in its first frame",
                         Kind::loop_force, unit::mixed, nl, exactly(6)}}};
  }
  using Formulations = FormulationList<LoopMultipliers>;
  static constexpr std::string_view standard(int) { return LoopMultipliers::info.name; }

  template <class F, class S>
  static void call(const TreeFor<S>&, const Inputs<S>&, typename F::template Workspace<S>&, std::span<S>) {}
};

}  // namespace catena
