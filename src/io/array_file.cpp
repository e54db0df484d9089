#include "catena/tables.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "io/byte_source.hpp"
#include "io/npy.hpp"
#include "system/descriptor.hpp"

namespace catena {

bool ArrayFile::is_one(const std::string& path) {
  system::FileStatus about;
  if (!system::status_of(path, about) || about.kind != system::FileStatus::Kind::regular) return false;
  const system::Descriptor file(system::open_file(path, system::opening::to_read));
  char start[6] = {};
  return file.open() && system::read_some(file.get(), start, sizeof start) == sizeof start &&
         std::memcmp(start, io::npy_magic, sizeof start) == 0;
}

ArrayFile::ArrayFile(const std::string& path) : name_(path) {
  io::ByteSource source(path, [] { return false; });
  const io::NpyHeader header = io::read_npy_header(source);
  start_ = source.taken();
  if (!header.is_number)
    throw TableError(fmt::format("{}: the array's type is {}; save numbers, float64 or float32 or integers", path,
                                 header.type_text));
  if (header.shape.size() < 2)
    throw TableError(fmt::format("{}: the array's shape is {}; a table is (rows, columns), one row per state", path,
                                 header.shape_text));
  kind_ = header.type.kind, item_ = header.type.size, swapped_ = header.type.swapped;
  type_ = header.type_text;
  columns_ = header.shape.back();
  rows_ = 1;
  for (std::size_t k = 0; k + 1 < header.shape.size(); ++k) rows_ *= header.shape[k];
  in_rows_ = !header.fortran_order || rows_ <= 1 || columns_ <= 1;
  descriptor_ = system::open_file(path, system::opening::to_read);
  system::FileStatus about;
  if (descriptor_ < 0 || !system::status_of(descriptor_, about))
    throw TableError(fmt::format("{}: cannot be read: {}", path, std::strerror(errno)));
  bytes_ = about.size;
  changed_ns_ = about.changed_ns;
  const std::uint64_t held = columns_ > 0 ? (bytes_ - start_) / (columns_ * item_) : rows_;
  if (held < rows_)
    throw TableError(
        fmt::format("{}: the file is cut off: its header announces {} rows, and it holds {}", path, rows_, held));
  if (bytes_ - start_ > rows_ * columns_ * item_)
    throw TableError(fmt::format("{}: {} bytes follow the {} rows that the header announces", path,
                                 bytes_ - start_ - rows_ * columns_ * item_, rows_));
}

ArrayFile::~ArrayFile() {
  unmap();
  if (descriptor_ >= 0) ::close(descriptor_);
}

void ArrayFile::unmap() {
  if (mapped_ != nullptr) system::unmap_file(mapped_, mapped_bytes_);
  mapped_ = nullptr;
}

const void* ArrayFile::window(std::uint64_t from, std::uint64_t count) {
  unmap();
  if (count == 0 || columns_ == 0) return nullptr;
  const std::uint64_t page = system::mapping_step();
  const std::uint64_t first = start_ + from * columns_ * item_, begin = first / page * page;
  mapped_bytes_ = static_cast<std::size_t>(first - begin + count * columns_ * item_);
  system::FileStatus about;  // reading a mapping beyond the end of its file would end the process
  if (!system::status_of(descriptor_, about) || about.size < begin + mapped_bytes_)
    throw TableError(fmt::format("{}: became shorter while it was read", name_));
  mapped_ = system::map_file(descriptor_, begin, mapped_bytes_);
  if (mapped_ == nullptr)
    throw TableError(fmt::format("{}: cannot be mapped into memory: {}", name_, std::strerror(errno)));
  return static_cast<const char*>(mapped_) + (first - begin);
}

template <class S>
void ArrayFile::read(std::uint64_t from, std::uint64_t count, std::vector<S>& to) {
  const char* bytes = static_cast<const char*>(window(from, count));
  const io::NpyType type{kind_, item_, swapped_};
  to.resize(count * columns_);
  for (S& value : to) {
    value = static_cast<S>(type.decode(bytes));
    bytes += item_;
  }
}

template void ArrayFile::read(std::uint64_t, std::uint64_t, std::vector<double>&);
template void ArrayFile::read(std::uint64_t, std::uint64_t, std::vector<float>&);

std::string array_header(std::uint64_t rows, std::uint64_t columns, bool single_precision) {
  return io::npy_header({rows, columns}, single_precision);
}

}  // namespace catena
