// Hybrid dynamics: each joint has a given torque, if it is passive, or a given acceleration; the other one is computed.
#pragma once

#include "formulations/hybrid/articulated_body.hpp"
#include "formulations/hybrid/block_ldlt.hpp"
#include "jobs/descriptor.hpp"

namespace catena {

struct HybridJob : AnyJob {
  static JobInfo describe() {
    return {
        .name = "hybrid",
        .words =
            "accelerations of passive joints and torques of the others (hybrid dynamics), friction, rotors and springs "
            "included",
        .result = "the acceleration or torque",
        .inputs = {Input::q, Input::qd, Input::qdd, Input::tau},
        .outputs = {{"qdd", "joint accelerations: found where passive, else as given", Kind::acceleration,
                     unit::acceleration, nv},
                    {"tau", "joint torques and forces: as given where passive, else found", Kind::found_torque,
                     unit::effort, nv}},
        .inverts_inertia = true,
        .only_passive = true,
        .by_matrix = "block-ldlt"};
  }
  using Formulations = FormulationList<HybridArticulatedBody, HybridBlockLdlt>;
  static constexpr std::string_view standard(int) { return HybridArticulatedBody::info.name; }
  template <class Job>
  static constexpr std::string_view in_lanes() {
    return {};
  }
  template <class S>
  using Check = RegularPassiveBlock<S>;

  template <class F, class S>
  static void call(const TreeFor<S>& robot, const Inputs<S>& in, typename F::template Workspace<S>& ws,
                   std::span<S> out) {
    const std::size_t n = index(robot.joints());
    F::template run<S>(robot, Given<S>{in.q, in.qd, in.qdd, in.tau}, ws, Found<S>{out.first(n), out.last(n)});
  }
};

}  // namespace catena
