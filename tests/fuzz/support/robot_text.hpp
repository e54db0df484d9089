// A robot file of some format, and what must hold of a robot that was read.
#pragma once

#include <string>

#include "fuzz/targets.hpp"

namespace catena::fuzz {

void read_robot_file(Input input, const std::string& ending);

}  // namespace catena::fuzz
