// The same bytes as a log whose columns are named in it, as one whose columns the caller names, and as an array.
#include <vector>

#include "catena/tables.hpp"
#include "fuzz/support/input_file.hpp"
#include "fuzz/support/violation.hpp"
#include "io/column_file.hpp"

namespace catena::fuzz {
namespace {

void read_log(const std::string& path, const std::vector<std::string>& columns) {
  io::ColumnFile file(path, columns);
  file.rows();
  for (std::size_t k = 0; k < file.names().size(); ++k) file.want(k);
  std::vector<double> row(file.names().size());
  while (file.next(row)) {
  }
}

void read_array(const std::string& path) {
  if (!ArrayFile::is_one(path)) return;
  ArrayFile array(path);
  constexpr std::uint64_t block = 64;
  std::vector<double> numbers;
  for (std::uint64_t row = 0; row < array.rows() && array.columns() > 0; row += block)
    array.read(row, std::min(block, array.rows() - row), numbers);
}

}  // namespace

void fuzz_log(Input input) {
  const std::string path = as_file(input, "log");
  or_say_why<TableError>([&] { read_log(path, {}); });
  or_say_why<TableError>([&] { read_log(path, {"t", "q1", "tau1"}); });
  or_say_why<TableError>([&] { read_array(path); });
}

}  // namespace catena::fuzz
