// A column of numbers as the page carries it: PackedColumn of page/src/data.ts.
#pragma once

#include <span>
#include <string>

#include "report/robot.hpp"

namespace catena::report {

// Every finite number comes back within 1e-9 of the column's range, or within the digits that a double has; numbers
// that are all equal come back as they are.
Json packed(std::span<const double> values);

std::string base64(std::string_view bytes);
std::string deflated(std::string_view bytes);  // zlib; throws std::runtime_error

}  // namespace catena::report
