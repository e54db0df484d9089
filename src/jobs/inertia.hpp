// The inertia matrix.
#pragma once

#include "formulations/inertia/base_origin.hpp"
#include "formulations/inertia/common_frame.hpp"
#include "formulations/inertia/denoc.hpp"
#include "formulations/inertia/fijany_bejczy.hpp"
#include "formulations/inertia/generalized_links.hpp"
#include "formulations/inertia/noc.hpp"
#include "formulations/inertia/progressive.hpp"
#include "formulations/inertia/renaud.hpp"
#include "formulations/inertia/root_axes.hpp"
#include "formulations/inertia/spatial_composite.hpp"
#include "formulations/inertia/walker_orin.hpp"
#include "formulations/inertia/walker_orin_1.hpp"
#include "formulations/inertia/walker_orin_2.hpp"
#include "jobs/descriptor.hpp"

namespace catena {

struct InertiaJob : AnyJob {
  static JobInfo describe() {
    return {.name = "inertia",
            .words = "inertia matrix M(q), rotors included",
            .result = "the inertia matrix",
            .inputs = {Input::q},
            .outputs = {{"M", "inertia matrix", Kind::form, unit::inertia, nv, nv, true}},
            .by_depth = true,
            .on_moving_base = RootAxes::info.name};
  }
  using Formulations =
      FormulationList<WalkerOrin1, WalkerOrin2, WalkerOrin, GeneralizedLinks, SpatialComposite, DenocInertia,
                      BaseOriginInertia, Renaud, FijanyBejczy, CommonFrame, RootAxes, Noc, ProgressiveInertia>;
  // The fastest for this number of joints, as measured: docs/formulations.md.
  static constexpr std::string_view standard(int joints) {
    return joints <= 12 ? GeneralizedLinks::info.name : CommonFrame::info.name;
  }
  static constexpr std::string_view standard_wide(int joints) {
    return joints <= 12 ? GeneralizedLinks::info.name : RootAxes::info.name;
  }

  template <class F, class S>
  static void call(const TreeFor<S>& robot, const Inputs<S>& in, typename F::template Workspace<S>& ws,
                   std::span<S> M) {
    F::template run<S>(robot, in.q, ws, MatrixView<S>{M, robot.joints()});
  }
};

}  // namespace catena
