// Drive gains fitted along with the parameters: i_j = α_j (x_jᵀβ + l_j), one α = 1/gain per joint.
#pragma once

#include "identify/solution.hpp"

namespace catena::identification {

BaseParameter gain_parameter(const Mechanism& robot, Coordinate joint);
// The step from what was found, with α = 1, when gains are fitted too: its inverse has n rows more.
Solution solve_with_gains(const RowLayout& layout, const LogEvidence& log, const Model& model,
                          const WeightedSolution& found);

}  // namespace catena::identification
