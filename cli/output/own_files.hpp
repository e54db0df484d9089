// Files that a command writes anew each time, and those that are somebody's own work.
#pragma once

#include <string>
#include <vector>

namespace catena::cli {

// Throws UsageError where one of these files exists, is not empty and does not say in its first lines that catena wrote
// it: what is in it would be lost. Not with `force`.
void require_own(const std::vector<std::string>& files, bool force);

}  // namespace catena::cli
