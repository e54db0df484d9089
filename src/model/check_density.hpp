// The step of validate_tree() that checks whether masses are in grams.
#pragma once

#include "catena/validate.hpp"

namespace catena {

inline constexpr double largest_mass = 1e4;  // kg, of a link; if larger, probably g

// The tree must have no other faults.
void check_density(const Robot& robot, Findings& findings);

}  // namespace catena
