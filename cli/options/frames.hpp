// Frames by name, as --frame takes them.
#pragma once

#include <string>

#include "catena/mechanism.hpp"

namespace catena::cli {

// Index of the frame; for an empty name, that of the model's tool. Throws UsageError that lists the frames.
int frame_index(const Mechanism& robot, const std::string& name);

}  // namespace catena::cli
