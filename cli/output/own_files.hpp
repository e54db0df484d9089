// Distinguishes files that a command generated from files written by hand.
#pragma once

#include <string>
#include <vector>

namespace catena::cli {

// Throws UsageError where one of these files exists, is not empty and does not say in its first lines that catena wrote
// it: its contents would be lost. Does nothing with `force`.
void require_own(const std::vector<std::string>& files, bool force);

}  // namespace catena::cli
