// Robots from files, for catena.h.
#pragma once

#include <string>

#include "catena/robot_file.hpp"

namespace catena::c {

// A file, or a robot that comes with Catena: those beside the library, wherever it was moved to.
Robot load_model(const std::string& model, const LoadOptions& options);

}  // namespace catena::c
