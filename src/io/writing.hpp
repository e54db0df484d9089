// Shared by the two writers.
#pragma once

#include "catena/robot.hpp"

namespace catena::io {

// Throws ModelError: a robot that could not be read back is not written.
void require_valid(const Robot& robot);

const char* type_name(JointType type);
bool is_massless(const Inertial& body);

}  // namespace catena::io
