// The inertia matrix.
#pragma once

#include "catena/dynamics/inertia/base_origin.hpp"
#include "catena/dynamics/inertia/common_frame.hpp"
#include "catena/dynamics/inertia/denoc.hpp"
#include "catena/dynamics/inertia/fijany_bejczy.hpp"
#include "catena/dynamics/inertia/generalized_links.hpp"
#include "catena/dynamics/inertia/noc.hpp"
#include "catena/dynamics/inertia/progressive.hpp"
#include "catena/dynamics/inertia/renaud.hpp"
#include "catena/dynamics/inertia/spatial_composite.hpp"
#include "catena/dynamics/inertia/walker_orin.hpp"
#include "catena/dynamics/inertia/walker_orin_1.hpp"
#include "catena/dynamics/inertia/walker_orin_2.hpp"
#include "catena/dynamics/jobs/descriptor.hpp"

namespace catena {

struct InertiaJob : AnyJob {
  static JobInfo describe() {
    return {.name = "inertia",
            .words = "inertia matrix M(q), rotors included",
            .result = "the inertia matrix",
            .inputs = {Input::q},
            .outputs = {{"M", "inertia matrix", Kind::form, unit::inertia, nv, nv, true}},
            .by_depth = true};
  }
  using Formulations =
      FormulationList<WalkerOrin1, WalkerOrin2, WalkerOrin, GeneralizedLinks, SpatialComposite, DenocInertia,
                      BaseOriginInertia, Renaud, FijanyBejczy, CommonFrame, Noc, ProgressiveInertia>;
  // The fastest for so many joints, as measured: docs/formulations.md.
  static constexpr std::string_view standard(int joints) {
    return joints <= 12 ? GeneralizedLinks::info.name : CommonFrame::info.name;
  }

  template <class F, class S>
  static void call(const TreeFor<S>& robot, const Inputs<S>& in, typename F::template Workspace<S>& ws,
                   std::span<S> M) {
    F::template run<S>(robot, in.q, ws, MatrixView<S>{M, robot.joints()});
  }
};

}  // namespace catena
