// Joint-parallel frames: revolute joints with parallel axes share one orientation, in which their angles only add up.
// Equations: docs/equations/shared_frames.md.
#pragma once

#include <span>

#include "catena/model/mechanism.hpp"
#include "catena/scalar/expr.hpp"

namespace catena {

// Which orientation the links of a group of parallel joints share.
enum class SharedFrames {
  none,          // each link its own, as made
  before_first,  // that of the first link before its joint turns
  after_first,   // that of the first link
};

// The same robot at the configuration q, for one run of any formulation that reads its constants on line: within a
// group no vector is turned any more; the links' constants are, once. They become functions of q, as Expr may hold.
BasicMechanism<Expr> share_parallel_frames(const BasicMechanism<Expr>& robot, std::span<const Expr> q,
                                           SharedFrames shared);

// Some two joints in a row have parallel axes.
bool has_parallel_axes(const Mechanism& robot);

}  // namespace catena
