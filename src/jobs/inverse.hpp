// Inverse dynamics: the torques of a motion.
#pragma once

#include "formulations/inverse/christoffel.hpp"
#include "formulations/inverse/denoc.hpp"
#include "formulations/inverse/hollerbach_3x3.hpp"
#include "formulations/inverse/hollerbach_4x4.hpp"
#include "formulations/inverse/kane.hpp"
#include "formulations/inverse/luh_walker_paul.hpp"
#include "formulations/inverse/tensor.hpp"
#include "formulations/inverse/tensor_augmented.hpp"
#include "formulations/inverse/uicker_kahn.hpp"
#include "formulations/inverse/waters.hpp"
#include "jobs/descriptor.hpp"

namespace catena {

using InverseFormulations = FormulationList<UickerKahn, ChristoffelInverse, Waters, Hollerbach4x4, Hollerbach3x3, Kane,
                                            LuhWalkerPaul, DenocInverse, Tensor, TensorAugmented>;

struct InverseJob : AnyJob {
  static JobInfo describe() {
    return {.name = "inverse",
            .words = "torques of a motion (inverse dynamics), friction, rotors and springs included",
            .result = "the torque",
            .inputs = {Input::q, Input::qd, Input::qdd},
            .outputs = {{"tau", "joint torques and forces", Kind::torque, unit::effort, nv}}};
  }
  using Formulations = InverseFormulations;
  static constexpr std::string_view standard(int) { return TensorAugmented::info.name; }

  template <class F, class S>
  static void call(const TreeFor<S>& robot, const Inputs<S>& in, typename F::template Workspace<S>& ws,
                   std::span<S> tau) {
    F::template run<S>(robot, {in.q, in.qd, in.qdd}, ws, tau);
  }
};

}  // namespace catena
