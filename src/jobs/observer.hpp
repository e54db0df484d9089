// What an observer of generalized momenta integrates.
#pragma once

#include "formulations/momenta/observer.hpp"
#include "jobs/descriptor.hpp"

namespace catena {

struct ObserverJob : AnyJob {
  static JobInfo describe() {
    return {.name = "observer",
            .words = "generalized momenta p = M q̇ and β = Cᵀ q̇ - g, less friction and springs: ṗ = τ + β",
            .result = "the momentum",
            .inputs = {Input::q, Input::qd},
            .outputs = {{"p", "momentum of each coordinate", Kind::momenta, unit::mixed, nv},
                        {"beta", "its rate, less the torque", Kind::momenta_rate, unit::effort, nv}}};
  }
  using Formulations = FormulationList<SweptMomenta, MomentaByMatrices>;
  static constexpr std::string_view standard(int) { return SweptMomenta::info.name; }
  template <class Job>
  static constexpr std::string_view in_lanes() {
    return {};  // robots with a chart take three other jobs: run/charted_observer.hpp
  }

  template <class F, class S>
  static void call(const TreeFor<S>& robot, const Inputs<S>& in, typename F::template Workspace<S>& ws,
                   std::span<S> out) {
    const std::size_t n = index(robot.joints());
    F::template run<S>(robot, in.q, in.qd, ws, out.first(n), out.last(n));
  }
};

}  // namespace catena
