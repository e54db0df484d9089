// Momentum of the whole robot, and its centre of mass.
#pragma once

#include "formulations/kinematics/centroidal.hpp"
#include "jobs/descriptor.hpp"
#include "jobs/has_centre.hpp"

namespace catena {

struct MomentumJob : AnyJob {
  static JobInfo describe() {
    return {.name = "momentum",
            .words = "momentum of the moving links, linear and about their centre of mass, and that centre",
            .result = "the momentum",
            .inputs = {Input::q, Input::qd},
            .outputs = {{"h", "linear momentum over angular momentum about the centre of mass, world axes",
                         Kind::momentum, unit::mixed, exactly(6), one, false, momentum_rows},
                        {"com", "centre of mass of the moving links, in the world", Kind::point, unit::length,
                         exactly(3), one, false, point_rows}}};
  }
  using Formulations = FormulationList<LinkMomenta>;
  template <class S>
  using Check = HasCentre<S>;
  static constexpr std::string_view standard(int) { return LinkMomenta::info.name; }

  template <class F, class S>
  static void call(const TreeFor<S>& robot, const Inputs<S>& in, typename F::template Workspace<S>& ws,
                   std::span<S> out) {
    F::template run<S>(robot, in.q, in.qd, ws, out);
  }
};

}  // namespace catena
