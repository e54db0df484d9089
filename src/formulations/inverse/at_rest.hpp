// The weight of the links by any inverse dynamics: the bias at q̇ = 0. docs/equations/statics.md says what remains of
// each.
#pragma once

#include "formulations/bias/by_inverse.hpp"

namespace catena {

template <class Inverse>
struct AtRest {
  static constexpr FormulationInfo info{Inverse::info.name, "gravity", Inverse::info.source, Inverse::info.equations,
                                        Inverse::info.cost};
  static constexpr bool reference_only = is_reference_only<Inverse>();

  template <class S>
  using Workspace = typename BiasByInverse<Inverse>::template Workspace<S>;

  template <class S>
  static void run(const TreeFor<S>& robot, std::span<const S> q, Workspace<S>& ws, std::span<S> g) {
    BiasByInverse<Inverse>::template run<S>(robot, q, ws.zeros, ws, g);
  }
};

}  // namespace catena
