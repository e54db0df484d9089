// The factors M = U D Uᵀ of the inertia matrix.
#pragma once

#include "formulations/factor/formed_elimination.hpp"
#include "formulations/factor/reverse_elimination.hpp"
#include "jobs/descriptor.hpp"

namespace catena {

struct FactorJob : AnyJob {
  static JobInfo describe() {
    return {.name = "factor",
            .words = "factors of the inertia matrix, M = U D Uᵀ, rotors included",
            .result = "the inertia matrix",
            .inputs = {Input::q},
            .outputs = {{"U", "unit upper triangular when joints are numbered from base to tip", Kind::factors,
                         unit::mixed, nv, nv},
                        {"D", "pivots", Kind::factors, unit::inertia, nv}},
            .inverts_inertia = true,
            .by_matrix = "ldlt"};
  }
  using Formulations = FormulationList<ReverseElimination, FormedElimination>;
  // The faster of the two, as measured: the cost of building M grows with the cube.
  static constexpr std::string_view standard(int joints) {
    return joints < 12 ? FormedElimination::info.name : ReverseElimination::info.name;
  }
  template <class S>
  using Check = PositivePivots<S>;

  template <class F, class S>
  static void call(const TreeFor<S>& robot, const Inputs<S>& in, typename F::template Workspace<S>& ws,
                   std::span<S> factors) {
    F::template run<S>(robot, in.q, ws, factor_view(factors, robot.joints()));
  }
};

}  // namespace catena
