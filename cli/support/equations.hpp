// Equations for commands: what the library refuses, with the option that asked for it.
#pragma once

#include <string>

#include "catena/equations/equations.hpp"

namespace catena::cli {

// Throws UsageError. `symbols` is the option that has the list of symbols.
Equations equations_of(const Robot& robot, const Mechanism& mechanism, const EquationsRequest& request,
                       const std::string& symbols);

}  // namespace catena::cli
