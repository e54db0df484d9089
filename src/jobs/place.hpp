// The positions of all joints of the tree: of coupled ones and of those that follow from closed loops too.
#pragma once

#include "formulations/kinematics/all_joints.hpp"
#include "jobs/descriptor.hpp"

namespace catena {

struct PlaceJob : AnyJob {
  static JobInfo describe() {
    return {.name = "place",
            .words = "positions of every joint of the tree, including those that follow from couplings and loops",
            .result = "the position",
            .inputs = {Input::q},
            .outputs = {{"q_tree", "positions of the joints of the tree", Kind::positions, unit::position, nt}}};
  }
  using Formulations = FormulationList<AllJoints>;
  static constexpr std::string_view standard(int) { return AllJoints::info.name; }

  template <class F, class S>
  static void call(const TreeFor<S>& robot, const Inputs<S>& in, typename F::template Workspace<S>& ws,
                   std::span<S> q_tree) {
    F::template run<S>(robot, in.q, ws, q_tree);
  }
};

}  // namespace catena
