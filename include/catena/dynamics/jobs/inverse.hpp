// Inverse dynamics: the torques of a motion.
#pragma once

#include "catena/dynamics/inverse/christoffel.hpp"
#include "catena/dynamics/inverse/denoc.hpp"
#include "catena/dynamics/inverse/hollerbach_3x3.hpp"
#include "catena/dynamics/inverse/hollerbach_4x4.hpp"
#include "catena/dynamics/inverse/kane.hpp"
#include "catena/dynamics/inverse/luh_walker_paul.hpp"
#include "catena/dynamics/inverse/tensor.hpp"
#include "catena/dynamics/inverse/tensor_augmented.hpp"
#include "catena/dynamics/inverse/uicker_kahn.hpp"
#include "catena/dynamics/inverse/waters.hpp"
#include "catena/dynamics/jobs/descriptor.hpp"

namespace catena {

using InverseFormulations = FormulationList<UickerKahn, ChristoffelInverse, Waters, Hollerbach4x4, Hollerbach3x3, Kane,
                                            LuhWalkerPaul, DenocInverse, Tensor, TensorAugmented>;

struct InverseJob : AnyJob {
  static JobInfo describe() {
    return {.name = "inverse",
            .words = "torques of a motion (inverse dynamics), friction and rotors included",
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
