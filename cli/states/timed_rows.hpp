// Tables of numbers over time: t, then named columns.
#pragma once

#include <string>
#include <vector>

namespace catena::cli {

// Whether the table has t and exactly these columns.
bool has_columns(const std::string& path, const std::vector<std::string>& columns);
// All rows, t first. Throws InputError where the file cannot be read like this, has no rows, or t does not increase.
std::vector<std::vector<double>> timed_rows(const std::string& path, const std::vector<std::string>& columns);

}  // namespace catena::cli
