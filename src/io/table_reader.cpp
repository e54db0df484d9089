// Reading state tables: which kind it is, by its first bytes.
#include <fmt/format.h>

#include "byte_source.hpp"
#include "catena/io/state_table.hpp"
#include "npy.hpp"
#include "table_source.hpp"
#include "zip_archive.hpp"

namespace catena {

TableReader::TableReader(const std::string& path, const TableFormat& format) {
  if (format.joints < 1) throw TableError(fmt::format("{}: the robot has no joints to tabulate", path));
  auto bytes = std::make_unique<io::ByteSource>(path, format.stop);
  if (bytes->peek(6) == io::npy_magic) {
    source_ = io::npy_source(std::move(bytes), format);
  } else if (io::is_zip(bytes->peek(4))) {
    if (path == "-" || bytes->size() == 0)
      throw TableError(fmt::format("{}: a .npz archive has its contents at its end; give it as a file", bytes->name()));
    source_ = io::npz_source(path, format);
  } else if (path.ends_with(".npy") || path.ends_with(".npz")) {
    throw TableError(
        fmt::format("{}: is not a {} file (it does not start as one)", path, path.substr(path.size() - 4)));
  } else {
    source_ = io::csv_source(std::move(bytes), format);
  }
}

TableReader::~TableReader() = default;
TableReader::TableReader(TableReader&&) noexcept = default;

bool TableReader::next(TableRow& row) { return source_->next(row); }
const std::string& TableReader::carried_header() const { return source_->carried_header; }
std::string TableReader::place() const { return source_->place(); }
std::uint64_t TableReader::bytes_read() const { return source_->bytes_read(); }
std::uint64_t TableReader::bytes_total() const { return source_->bytes_total(); }

}  // namespace catena
