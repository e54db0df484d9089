#include "states/timed_rows.hpp"

#include <fmt/format.h>

#include "catena/tables.hpp"
#include "terminal/errors.hpp"
#include "terminal/interrupt.hpp"

namespace catena::cli {
namespace {

TableFormat format_of(const std::vector<std::string>& columns) {
  std::vector<std::string> all{"t"};
  all.insert(all.end(), columns.begin(), columns.end());
  return {.joints = 1,
          .groups = all,
          .required = static_cast<int>(all.size()),
          .plain = true,
          .batches = false,
          .stop = interrupted};
}

}  // namespace

bool has_columns(const std::string& path, const std::vector<std::string>& columns) {
  try {
    const TableReader table(path, format_of(columns));
    return true;
  } catch (const TableError&) {
    return false;
  }
}

std::vector<std::vector<double>> timed_rows(const std::string& path, const std::vector<std::string>& columns) {
  std::vector<std::vector<double>> rows;
  try {
    TableReader table(path, format_of(columns));
    for (TableRow row; table.next(row);) {
      rows.emplace_back(row.values.begin(), row.values.end());
      if (rows.size() > 1 && !(rows.back()[0] > rows[rows.size() - 2][0]))
        throw InputError(fmt::format("{}: t = {} comes after {}; times must increase", table.place(), rows.back()[0],
                                     rows[rows.size() - 2][0]));
    }
  } catch (const TableError& error) {
    throw InputError(error.what());
  }
  if (rows.empty()) throw InputError(path + ": has no rows");
  return rows;
}

}  // namespace catena::cli
