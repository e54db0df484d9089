// The part of validate_tree() that asks whether masses are in grams.
#pragma once

#include "catena/validate.hpp"

namespace catena {

inline constexpr double largest_mass = 1e4;  // kg, of a link; else probably g

// Of a tree without other faults.
void check_density(const Robot& robot, Findings& findings);

}  // namespace catena
