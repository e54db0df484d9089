// Denavit-Hartenberg rows as a table.
#pragma once

#include <string>
#include <vector>

#include "catena/dh_rows.hpp"

namespace catena::cli {

std::vector<std::string> dh_table_formats();  // text, markdown, latex, csv
std::string dh_table(const DhForm& rows, const std::string& format);

}  // namespace catena::cli
