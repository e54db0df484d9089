// The inverse of the inertia matrix.
#pragma once

#include "formulations/inverse_inertia/articulated.hpp"
#include "formulations/inverse_inertia/composite_ldlt.hpp"
#include "formulations/inverse_inertia/rodriguez_kreutz.hpp"
#include "jobs/descriptor.hpp"

namespace catena {

struct InverseInertiaJob : AnyJob {
  static JobInfo describe() {
    return {.name = "inverse_inertia",
            .words = "inverse of the inertia matrix: how accelerations depend on torques, rotors included",
            .result = "the inverse of the inertia matrix",
            .inputs = {Input::q},
            .outputs = {{"Minv", "inverse of the inertia matrix", Kind::response_to_tau, unit::mixed, nv, nv, true}},
            .inverts_inertia = true,
            .by_matrix = "composite-ldlt"};
  }
  using Formulations = FormulationList<ArticulatedInverse, CompositeInverse, RodriguezKreutz>;
  // The faster one for this number of joints, as measured: docs/formulations.md.
  static constexpr std::string_view standard(int joints) {
    return joints <= 14 ? CompositeInverse::info.name : ArticulatedInverse::info.name;
  }
  static constexpr std::string_view standard_wide(int joints) {
    return joints <= 9 ? CompositeInverse::info.name : ArticulatedInverse::info.name;
  }
  template <class Job>
  static constexpr std::string_view in_lanes() {
    return ArticulatedInverse::info.name;  // the other is unrolled for every size
  }
  template <class S>
  using Check = RegularInertia<S>;

  template <class F, class S>
  static void call(const TreeFor<S>& robot, const Inputs<S>& in, typename F::template Workspace<S>& ws,
                   std::span<S> out) {
    F::template run<S>(robot, in.q, ws, MatrixView<S>{out, robot.joints()});
  }
};

}  // namespace catena
