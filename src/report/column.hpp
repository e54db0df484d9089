// A column of numbers in the encoding of the page: PackedColumn of page/src/data.ts.
#pragma once

#include <span>
#include <string>

#include "report/robot.hpp"

namespace catena::report {

// Every finite number is restored within 1e-9 of the column's range, or to the precision of a double; a column of equal
// numbers is restored exactly.
Json packed(std::span<const double> values);

std::string base64(std::string_view bytes);
std::string deflated(std::string_view bytes);  // zlib; throws std::runtime_error

}  // namespace catena::report
