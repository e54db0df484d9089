// External wrenches of a run: constants and tables, on frames that exist or will be attached.
#pragma once

#include <string>
#include <vector>

#include "catena/simulation.hpp"
#include "options/efforts.hpp"

namespace catena::cli {

// `frames`: all frames that exist at some time. A wrench acts only while its frame exists. Throws UsageError and
// InputError.
Wrenches wrenches_of_run(const WrenchOptions& options, const std::string& robot,
                         const std::vector<std::string>& frames);

}  // namespace catena::cli
