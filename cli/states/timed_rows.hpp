// Tables of numbers over time: t, then columns that each have a name of their own.
#pragma once

#include <string>
#include <vector>

namespace catena::cli {

// Whether it has t and these columns, all of them and no other.
bool has_columns(const std::string& path, const std::vector<std::string>& columns);
// All rows, t first. Throws InputError where the file cannot be read so, has no rows, or t does not increase.
std::vector<std::vector<double>> timed_rows(const std::string& path, const std::vector<std::string>& columns);

}  // namespace catena::cli
