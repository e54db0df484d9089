// Closed loops in printed equations: the open tree's own, and the equations that close it.
#pragma once

#include "catena/program.hpp"

namespace catena {

// The same robot with its loops open: every joint of the tree is a coordinate. Throws std::invalid_argument if joints
// are coupled too.
Mechanism open_tree(const Mechanism& robot);

// φ(q) and J = ∂φ/∂q of a robot's loops, after the results that `others` gives: docs/equations/closed_loops.md (1),
// (2).
MoreResults with_loops(const Closure<double>& closure, MoreResults others);

}  // namespace catena
