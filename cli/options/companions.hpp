// Options that mean something only beside others.
#pragma once

#include <string>
#include <vector>

#include "options/app.hpp"

namespace catena::cli {

// `option` ("--wrench-axes") means something only beside one of `companions`. Its help says so, and without any of them
// it is refused. The companions may be added later.
void goes_with(CLI::App& command, const std::string& option, const std::vector<std::string>& companions);

}  // namespace catena::cli
