// The matrix A of the robot's momentum about its centre of mass, h = A q̇, and the robot's inertia there.
#pragma once

#include "formulations/kinematics/centroidal.hpp"
#include "jobs/descriptor.hpp"
#include "jobs/has_centre.hpp"

namespace catena {

struct CentroidalJob : AnyJob {
  static JobInfo describe() {
    return {.name = "centroidal",
            .words = "matrix A of the momentum about the centre of mass, h = A q̇, and the inertia of all links there",
            .result = "the momentum matrix",
            .inputs = {Input::q},
            .outputs = {{"A", "linear momentum over angular momentum about the centre of mass, by rates, world axes",
                         Kind::columns, unit::mixed, exactly(6), nv, false, momentum_rows},
                        {"I_com", "inertia of the moving links as one body about their centre of mass, world axes",
                         Kind::tensor, unit::mixed, exactly(3), exactly(3), true, point_rows},
                        {"com", "centre of mass of the moving links, in the world", Kind::point, unit::length,
                         exactly(3), one, false, point_rows},
                        {"mass", "mass of the moving links", Kind::scalar, unit::mass}}};
  }
  using Formulations = FormulationList<CompositeMomenta>;
  template <class S>
  using Check = HasCentre<S>;
  static constexpr std::string_view standard(int) { return CompositeMomenta::info.name; }

  template <class F, class S>
  static void call(const TreeFor<S>& robot, const Inputs<S>& in, typename F::template Workspace<S>& ws,
                   std::span<S> out) {
    F::template run<S>(robot, in.q, ws, out);
  }
};

}  // namespace catena
