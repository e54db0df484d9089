// The matrix C(q, q̇) of Coriolis and centrifugal terms: C q̇ = bias - gravity - friction, and Ṁ - 2C is skew-symmetric.
#pragma once

#include <type_traits>

#include "formulations/coriolis/denoc.hpp"
#include "formulations/coriolis/progressive.hpp"
#include "jobs/linearize.hpp"

namespace catena {

struct CoriolisJob : AnyJob {
  static JobInfo describe() {
    return {.name = "coriolis",
            .words = "matrix C(q, q̇) of the rigid links: velocity torques are C q̇, and Ṁ - 2C is skew",
            .result = "the Coriolis matrix",
            .inputs = {Input::q, Input::qd},
            .outputs = {{"C", "matrix of Coriolis and centrifugal terms", Kind::connection, unit::mixed, nv, nv}}};
  }
  using Formulations = FormulationList<DenocCoriolis, DenocChristoffel, ProgressiveCoriolis, TensorChristoffel>;
  static constexpr std::string_view standard(int) { return TensorChristoffel::info.name; }
  // Of the many possible matrices C, the others give the one built from Christoffel symbols.
  template <class F>
  static constexpr bool interchangeable = !std::is_same_v<F, DenocCoriolis>;

  template <class F, class S>
  static void call(const TreeFor<S>& robot, const Inputs<S>& in, typename F::template Workspace<S>& ws,
                   std::span<S> C) {
    F::template run<S>(robot, in.q, in.qd, ws, MatrixView<S>{C, robot.joints()});
  }
};

}  // namespace catena
