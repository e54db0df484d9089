// Forward dynamics: the accelerations under torques.
#pragma once

#include "formulations/forward/articulated_body.hpp"
#include "formulations/forward/base_origin.hpp"
#include "formulations/forward/composite_ldlt.hpp"
#include "formulations/forward/conjugate_gradient.hpp"
#include "formulations/forward/denoc.hpp"
#include "formulations/forward/noc.hpp"
#include "formulations/forward/spatial_composite.hpp"
#include "formulations/forward/walker_orin.hpp"
#include "jobs/descriptor.hpp"

namespace catena {

struct ForwardJob : AnyJob {
  static JobInfo describe() {
    return {.name = "forward",
            .words = "accelerations under torques (forward dynamics), friction, rotors and springs included",
            .result = "the acceleration",
            .inputs = {Input::q, Input::qd, Input::tau},
            .outputs = {{"qdd", "joint accelerations", Kind::acceleration, unit::acceleration, nv}},
            .inverts_inertia = true,
            .by_matrix = "composite-ldlt",
            .by_clusters = "articulated-body"};
  }
  using Formulations =
      FormulationList<DenocForward, ArticulatedBody, CompositeForward, BaseOriginForward, WalkerOrinForward1,
                      WalkerOrinForward2, WalkerOrinForward, ConjugateGradient, SpatialCompositeForward, NocForward>;
  // Up to nine joints, the inertia matrix and its LDLᵀ are faster than articulated bodies. Measured on general revolute
  // chains over 4096 states (g++ 12.2 -O3 -march=native, Xeon of family 6 model 143), ns per call, composite-ldlt
  // against articulated-body: 8 joints 468 / 503, 9 joints 541 / 578, 10 joints 712 / 644.
  // docs/equations/composite_ldlt.md has the table.
  static constexpr std::string_view standard(int joints) {
    return joints <= 9 ? CompositeForward::info.name : ArticulatedBody::info.name;
  }
  template <class Job>
  static constexpr std::string_view in_lanes() {
    return ArticulatedBody::info.name;  // the other is unrolled for every size
  }
  template <class S>
  using Check = RegularInertia<S>;

  template <class F, class S>
  static void call(const TreeFor<S>& robot, const Inputs<S>& in, typename F::template Workspace<S>& ws,
                   std::span<S> qdd) {
    F::template run<S>(robot, in.q, in.qd, in.tau, ws, qdd);
  }
};

}  // namespace catena
