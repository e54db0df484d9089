// The coordinates of a mechanism whose tree has been built: the independent joints, and how the others follow
// them.
#pragma once

#include "catena/mechanism.hpp"

namespace catena {

// The robot must be valid: every coupling ends at independent joints, and its loops have been closed. Limits by joint
// must already be set. Throws ModelError if the loops do not close.
void set_coordinates(const Robot& robot, Mechanism& out);

}  // namespace catena
