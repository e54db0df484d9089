// Bias vector b = C q̇ + g by any inverse dynamics: τ at q̈ = 0. Each inverse dynamics has its own page;
// docs/equations/base_origin_bias.md compares them.
#pragma once

#include <algorithm>

#include "catena/formulation/formulation.hpp"
#include "formulations/shared/reference_only.hpp"

namespace catena {

template <class Inverse>
struct BiasByInverse {
  static constexpr FormulationInfo info{Inverse::info.name, "bias", Inverse::info.source, Inverse::info.equations,
                                        Inverse::info.cost};
  static constexpr bool reference_only = is_reference_only<Inverse>();

  template <class S>
  struct Workspace {
    typename Inverse::template Workspace<S> inverse;
    Array<S> zeros;  // q̈

    explicit Workspace(const TreeFor<S>& robot) : inverse(robot), zeros(index(robot.joints())) {}
    const JointTurns<S>& turns() const { return inverse.turns; }  // for the next step that needs them
  };

  template <class S>
  static void run(const TreeFor<S>& robot, std::span<const S> q, std::span<const S> qd, Workspace<S>& ws,
                  std::span<S> b) {
    std::fill(ws.zeros.begin(), ws.zeros.end(), S{});
    Inverse::template run<S>(robot, {q, qd, ws.zeros}, ws.inverse, b);
  }
};

}  // namespace catena
