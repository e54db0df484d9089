// Options that are meaningful only together with others.
#pragma once

#include <string>
#include <vector>

#include "options/app.hpp"

namespace catena::cli {

// `option` ("--wrench-axes") is meaningful only together with one of `companions`. Its help says so, and without any of
// them it is refused. The companions may be added later.
void goes_with(CLI::App& command, const std::string& option, const std::vector<std::string>& companions);

}  // namespace catena::cli
