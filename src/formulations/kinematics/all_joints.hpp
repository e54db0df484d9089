// The chart of a plain tree: its joints are where q puts them, and no loop closes it.
#pragma once

#include <algorithm>

#include "catena/formulation/formulation.hpp"

namespace catena {

// The positions of the tree's joints. Equations: docs/equations/charts.md (1).
struct AllJoints {
  static constexpr FormulationInfo info{"chart", "place", "textbook mechanics", "docs/equations/charts.md",
                                        "none published"};
  template <class S>
  struct Workspace {
    explicit Workspace(const TreeFor<S>&) {}
  };
  template <class S>
  static void run(const TreeFor<S>&, std::span<const S> q, Workspace<S>&, std::span<S> out) {
    std::copy_n(q.begin(), out.size(), out.begin());
  }
};

// The multipliers of closed loops. Equations: docs/equations/closed_loops.md (6), (13).
struct LoopMultipliers {
  static constexpr FormulationInfo info{"multipliers", "loop_forces", "textbook mechanics",
                                        "docs/equations/closed_loops.md", "none published"};
  template <class S>
  struct Workspace {
    explicit Workspace(const TreeFor<S>&) {}
  };
};

}  // namespace catena
