// The weight of the links by any inverse dynamics: τ at q̇ = q̈ = 0. Each has its own page; docs/equations/statics.md
// says what is left of them.
#pragma once

#include <algorithm>
#include <vector>

#include "catena/dynamics/formulation.hpp"

namespace catena {

template <class Inverse>
struct AtRest {
  static constexpr FormulationInfo info{Inverse::info.name, "gravity", Inverse::info.source, Inverse::info.equations,
                                        Inverse::info.cost};

  template <class S>
  struct Workspace {
    typename Inverse::template Workspace<S> inverse;
    std::vector<S> zeros;  // q̇ and q̈

    explicit Workspace(const MechanismFor<S>& robot) : inverse(robot), zeros(index(robot.n())) {}
  };

  template <class S>
  static void run(const MechanismFor<S>& robot, std::span<const S> q, Workspace<S>& ws, std::span<S> g) {
    std::fill(ws.zeros.begin(), ws.zeros.end(), S{});
    Inverse::template run<S>(robot, {q, ws.zeros, ws.zeros}, ws.inverse, g);
  }
};

}  // namespace catena
