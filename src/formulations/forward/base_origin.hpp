// Forward dynamics by Lin's inertia matrix and bias, both measured from the base: they share one stage, and LDLᵀ
// solves. Equations (1)-(3): docs/equations/base_origin_forward.md.
#pragma once

#include "formulations/bias/base_origin.hpp"
#include "formulations/forward/composite_ldlt.hpp"
#include "formulations/inertia/base_origin.hpp"

namespace catena {

struct BaseOriginForward : CompositeLdlt<BaseOriginInertia, BaseOriginBias, false> {
  static constexpr FormulationInfo info{"base-origin", "forward", "Lin 1991, eqs 12, 45-57 and 65",
                                        "docs/equations/base_origin_forward.md",
                                        "M and b: 23n² + 44n - 82 M, 15n² + 40n - 70 A"};
};

}  // namespace catena
