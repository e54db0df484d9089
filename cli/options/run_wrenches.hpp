// External wrenches of a run: constant ones and tables, on frames that are there or will be attached.
#pragma once

#include <string>
#include <vector>

#include "catena/simulation.hpp"
#include "options/efforts.hpp"

namespace catena::cli {

// `frames`: all that are there at some time. A wrench on one that is not there at a time waits for it. Throws
// UsageError and InputError.
Wrenches wrenches_of_run(const WrenchOptions& options, const std::string& robot,
                         const std::vector<std::string>& frames);

}  // namespace catena::cli
