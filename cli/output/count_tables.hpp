// docs/operation-counts.md: the published tables of operation counts with ours beside them, counted when it is written.
#pragma once

#include <string>

namespace catena::cli {

std::string operation_counts_page();

}  // namespace catena::cli
