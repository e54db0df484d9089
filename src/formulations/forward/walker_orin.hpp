// Forward dynamics by the first three methods of Walker and Orin: the bias is an inverse dynamics without
// accelerations, the inertia matrix comes from inverse dynamics of unit accelerations (1, 2) or from composite bodies
// (3), and LDLᵀ solves. Equations (1)-(3): docs/equations/walker_orin_forward.md. Method 4 is conjugate_gradient.hpp.
#pragma once

#include "formulations/forward/composite_ldlt.hpp"
#include "formulations/inertia/walker_orin.hpp"
#include "formulations/inertia/walker_orin_1.hpp"
#include "formulations/inertia/walker_orin_2.hpp"
#include "formulations/inverse/luh_walker_paul.hpp"

namespace catena {

struct WalkerOrinForward1 : CompositeLdlt<WalkerOrin1, BiasByInverse<LuhWalkerPaul>, false> {
  static constexpr FormulationInfo info{"walker-orin-1", "forward", "Walker and Orin 1982, method 1",
                                        "docs/equations/walker_orin_forward.md", "not published"};
  static constexpr bool reference_only = true;
};

struct WalkerOrinForward2 : CompositeLdlt<WalkerOrin2, BiasByInverse<LuhWalkerPaul>, false> {
  static constexpr FormulationInfo info{"walker-orin-2", "forward", "Walker and Orin 1982, method 2",
                                        "docs/equations/walker_orin_forward.md", "not published"};
  static constexpr bool reference_only = true;
};

struct WalkerOrinForward : CompositeLdlt<WalkerOrin, BiasByInverse<LuhWalkerPaul>, false> {
  static constexpr FormulationInfo info{"walker-orin", "forward", "Walker and Orin 1982, method 3",
                                        "docs/equations/walker_orin_forward.md", "1627 M, 1261 A at n = 6"};
  static constexpr bool reference_only = true;
};

}  // namespace catena
