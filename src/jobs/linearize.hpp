// The linearized model about a motion: δτ = D δq̈ + V δq̇ + P δq.
#pragma once

#include "formulations/linearize/algorithms_7_1_7_2.hpp"
#include "formulations/linearize/common_frame.hpp"
#include "formulations/linearize/dual.hpp"
#include "formulations/linearize/tensor.hpp"
#include "jobs/descriptor.hpp"

namespace catena {

struct LinearizeJob : AnyJob {
  static JobInfo describe() {
    return {.name = "linearize",
            .words = "linearized model: D = ∂τ/∂q̈, V = ∂τ/∂q̇, P = ∂τ/∂q, friction, rotors and springs included",
            .result = "the linearized model",
            .inputs = {Input::q, Input::qd, Input::qdd},
            .outputs = {{"D", "∂τ/∂q̈, the inertia matrix", Kind::form, unit::inertia, nv, nv, true},
                        {"V", "∂τ/∂q̇", Kind::damping, unit::mixed, nv, nv},
                        {"P", "∂τ/∂q", Kind::stiffness, unit::mixed, nv, nv}},
            .by_depth = true};
  }
  using Formulations = FormulationList<TensorLinearized, Algorithms71And72, CommonFrameLinearized, DualLinearized>;
  // The fastest for this number of joints in series, as measured: docs/formulations.md.
  static constexpr std::string_view standard(int joints) { return up_to(12, joints); }
  static constexpr std::string_view standard_wide(int joints) { return up_to(6, joints); }

 private:
  static constexpr std::string_view up_to(int most, int joints) {
    return joints <= most ? TensorLinearized::info.name : CommonFrameLinearized::info.name;
  }

 public:
  template <class F, class S>
  static void call(const TreeFor<S>& robot, const Inputs<S>& in, typename F::template Workspace<S>& ws,
                   std::span<S> out) {
    const auto [D, V, P] = three_matrices(out, robot.joints());
    F::template run<S>(robot, {in.q, in.qd, in.qdd}, ws, {D, V, P});
  }
};

}  // namespace catena
