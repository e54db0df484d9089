// The source of a TableReader: a CSV table, an array, or an archive of arrays.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "catena/tables.hpp"
#include "io/byte_source.hpp"

namespace catena {

struct TableReader::Source {
  explicit Source(const TableFormat& table) : format(table), values(format.width()) {
    for (std::size_t g = format.groups.size(); g-- > 0;)  // groups of size 0 have no columns
      if (format.count(g) == 0) format.groups.erase(format.groups.begin() + static_cast<std::ptrdiff_t>(g));
    format.required = std::min(format.required, static_cast<int>(format.groups.size()));
  }
  virtual ~Source() = default;
  virtual bool next(TableRow& row) = 0;
  virtual std::string place() const = 0;
  virtual std::uint64_t bytes_read() const = 0;
  virtual std::uint64_t bytes_total() const = 0;

  [[noreturn]] void fail(const std::string& what) const { throw TableError(place() + ": " + what); }

  TableFormat format;
  std::vector<double> values;
  std::string carried_header;
  bool named = false;  // columns are identified by joint names
};

namespace io {

std::unique_ptr<TableReader::Source> npy_source(std::unique_ptr<ByteSource> bytes, const TableFormat& format);
std::unique_ptr<TableReader::Source> npz_source(const std::string& path, const TableFormat& format);

}  // namespace io
}  // namespace catena
