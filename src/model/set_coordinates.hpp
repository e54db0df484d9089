// The coordinates of a mechanism whose tree is made: the joints that move by themselves, and how the others follow
// them.
#pragma once

#include "catena/mechanism.hpp"

namespace catena {

// The robot is valid: every coupling ends at joints that move by themselves. Limits by joint are there already.
void set_coordinates(const Robot& robot, Mechanism& out);

}  // namespace catena
