// Torques of a motion with a reference velocity: M q̈ + C(q, q̇) q̇_r + g.
#pragma once

#include "formulations/inverse/two_velocities.hpp"
#include "jobs/descriptor.hpp"

namespace catena {

struct InverseTwoJob : AnyJob {
  static JobInfo describe() {
    return {
        .name = "inverse_two",
        .words = "torques with a reference velocity, M q̈ + C(q, q̇) q̇_r + g, friction of q̇, rotors and springs included",
        .result = "the torque",
        .inputs = {Input::q, Input::qd, Input::qdd, Input::reference},
        .outputs = {{"tau", "joint torques and forces", Kind::torque, unit::effort, nv}}};
  }
  using Formulations = FormulationList<TensorTwo, MatricesTwo>;
  static constexpr std::string_view standard(int) { return TensorTwo::info.name; }

  template <class F, class S>
  static void call(const TreeFor<S>& robot, const Inputs<S>& in, typename F::template Workspace<S>& ws,
                   std::span<S> tau) {
    F::template run<S>(robot, {{in.q, in.qd, in.qdd}, in.reference}, ws, tau);
  }
};

}  // namespace catena
