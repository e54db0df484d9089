// Finds a frame by the name a user types.
#pragma once

#include <string_view>

#include "catena/mechanism.hpp"

namespace catena {

// A link or frame by its name; "tool" is the model's tool, unless something has that name itself. -1: not found.
inline int find_frame(const Mechanism& robot, std::string_view name) {
  const int found = robot.frame_index(name);
  return found < 0 && name == "tool" ? robot.tool : found;
}

}  // namespace catena
