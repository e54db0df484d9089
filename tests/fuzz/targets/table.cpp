// The same bytes as a table of joints, one whose columns are plain numbers, and one of a free base that moves.
#include <cmath>

#include "catena/tables.hpp"
#include "fuzz/support/input_file.hpp"
#include "fuzz/support/violation.hpp"

namespace catena::fuzz {
namespace {

std::vector<TableFormat> formats() {
  return {{.joints = 2, .joint_names = {"shoulder", "elbow"}, .results = {"tau"}, .columns = {"M1_1", "t"}},
          {.joints = 1, .groups = {"t", "fx", "fy"}, .required = 3, .plain = true},
          {.joints = 2,
           .groups = {"q", "qd", "base"},
           .required = 2,
           .batches = false,
           .position_names = {"x", "y", "z"},
           .base_motion = 12}};
}

void read_rows(const std::string& path, const TableFormat& format) {
  TableReader table(path, format);
  require(table.carried_header().find('\n') == std::string::npos, "a header of two lines");
  TableRow row;
  while (table.next(row)) {
    require(row.values.size() == format.width(), "a row of another length");
    for (const double value : row.values) require(std::isfinite(value), "a number that is none was read");
  }
  table.next(row);
}

}  // namespace

void fuzz_table(Input input) {
  const std::string path = as_file(input, "table");
  for (const TableFormat& format : formats()) or_say_why<TableError>([&] { read_rows(path, format); });
}

}  // namespace catena::fuzz
