// The coordinates of a mechanism whose tree has been built: the independent joints, and how the others follow
// them.
#pragma once

#include "catena/mechanism.hpp"

namespace catena {

// The robot must be valid: every coupling ends at independent joints. Limits by joint must already be set.
void set_coordinates(const Robot& robot, Mechanism& out);

}  // namespace catena
