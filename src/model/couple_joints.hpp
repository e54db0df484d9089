// Coupled joints: from a mechanism whose every joint moves by itself to one whose q are the joints that do.
#pragma once

#include "catena/model/mechanism.hpp"

namespace catena {

// The robot is valid: every coupling ends at joints that move by themselves. Nothing changes where there is none.
void couple_joints(const Robot& robot, Mechanism& out);

}  // namespace catena
