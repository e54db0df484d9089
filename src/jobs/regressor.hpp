// The matrix Y that relates torques linearly to the parameters: τ = Y θ.
#pragma once

#include "formulations/regressor/tensor.hpp"
#include "jobs/descriptor.hpp"

namespace catena {

struct RegressorJob : AnyJob {
  static JobInfo describe() {
    return {.name = "regressor",
            .words = "Y of τ = Y θ, θ for each joint: m, m c, J of its link, friction, rotor and spring",
            .result = "the regressor",
            .inputs = {Input::q, Input::qd, Input::qdd},
            .outputs = {{"Y", "∂τ/∂θ, 16 columns for each joint", Kind::rows, unit::mixed, nv, np}}};
  }
  using Formulations = FormulationList<TensorRegressor>;
  static constexpr std::string_view standard(int) { return TensorRegressor::info.name; }
  template <class Job>
  static constexpr std::string_view in_lanes() {
    return {};  // mostly stores of zeros, which lanes do not speed up
  }

  template <class F, class S>
  static void call(const TreeFor<S>& robot, const Inputs<S>& in, typename F::template Workspace<S>& ws,
                   std::span<S> Y) {
    F::template run<S>(robot, {in.q, in.qd, in.qdd}, ws, Y);
  }
};

}  // namespace catena
