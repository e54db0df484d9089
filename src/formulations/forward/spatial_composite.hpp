// Forward dynamics by Featherstone's composite bodies in spatial arithmetic, the bias by Newton and Euler, and LDLᵀ.
// Equations (1)-(3): docs/equations/spatial_composite_forward.md.
#pragma once

#include "formulations/forward/composite_ldlt.hpp"
#include "formulations/inertia/spatial_composite.hpp"
#include "formulations/inverse/luh_walker_paul.hpp"

namespace catena {

struct SpatialCompositeForward : CompositeLdlt<SpatialComposite, BiasByInverse<LuhWalkerPaul>, false> {
  static constexpr FormulationInfo info{"spatial-composite", "forward",
                                        "Featherstone 1984, in Balafoutis 1989, Table 6.3",
                                        "docs/equations/spatial_composite_forward.md", "1303 M, 1019 A at n = 6"};
};

}  // namespace catena
