// Shared by the writers.
#pragma once

#include <string>
#include <string_view>

#include "catena/robot.hpp"

namespace catena::io {

// Throws ModelError: a robot that could not be read back is not written.
void require_valid(const Robot& robot);

const char* type_name(JointType type);
bool is_massless(const Inertial& body);
std::string xml_string(std::string_view text);  // in double quotes

}  // namespace catena::io
