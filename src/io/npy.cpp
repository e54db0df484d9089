#include "io/npy.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <charconv>
#include <cmath>
#include <cstring>
#include <limits>
#include <string_view>
#include <utility>

#include "catena/tables.hpp"
#include "io/column_names.hpp"

namespace catena::io {
namespace {

static_assert(std::endian::native == std::endian::little, "numbers are read and written as little-endian bytes");

constexpr std::size_t header_size = 128;  // a multiple of 64, with space for any number of rows
constexpr std::size_t longest_dictionary = 65536;
constexpr std::uint64_t most_turned = std::uint64_t{1} << 28;  // bytes of an array in Fortran order

// The text after 'key': in the Python dictionary of the header, up to its end; empty when there is no such key.
std::string_view after_key(std::string_view dictionary, std::string_view key) {
  const std::size_t at = dictionary.find(key);
  if (at == std::string_view::npos) return {};
  const std::size_t colon = dictionary.find(':', at + key.size());
  if (colon == std::string_view::npos) return {};
  const std::size_t value = dictionary.find_first_not_of(' ', colon + 1);
  return value == std::string_view::npos ? std::string_view{} : dictionary.substr(value);
}

// "(3, 4)" as {3, 4}; false when it is not a tuple of sizes. Python 2 wrote (3L, 4L).
bool parse_shape(std::string_view text, std::vector<std::uint64_t>& shape) {
  if (!text.starts_with('(') || !text.ends_with(')')) return false;
  const char* at = text.data() + 1;
  const char* const end = text.data() + text.size() - 1;
  while (at < end) {
    if (*at == ' ' || *at == ',' || *at == 'L') {
      ++at;
      continue;
    }
    std::uint64_t size = 0;
    const auto [stop, error] = std::from_chars(at, end, size);
    if (error != std::errc{}) return false;
    shape.push_back(size);
    at = stop;
  }
  return true;
}

// "'<f8'" as a number type; false for anything else.
bool parse_type(std::string_view text, NpyType& type) {
  if (text.size() != 5 || text.front() != '\'' || text.back() != '\'') return false;
  const char order = text[1];
  type.kind = text[2];
  type.size = static_cast<std::size_t>(text[3] - '0');
  type.swapped = order == '>' && type.size > 1;
  const bool whole = type.kind == 'i' || type.kind == 'u';
  const bool known_size = type.size == 4 || type.size == 8 || (whole && (type.size == 1 || type.size == 2));
  const bool known_order = order == '<' || order == '>' || order == '=' || (order == '|' && type.size == 1);
  return (whole || type.kind == 'f') && known_size && known_order;
}

// The value of 'descr': a word in quotes, or the list of a record's fields.
std::string_view type_of(std::string_view dictionary) {
  const std::string_view text = after_key(dictionary, "'descr'");
  return text.substr(0, text.starts_with('[') ? std::string_view::npos : text.find_first_of(",}"));
}

std::string dictionary_text(ByteSource& source) {
  const std::string_view start = source.block(8);
  const int version = start.size() == 8 ? static_cast<unsigned char>(start[6]) : 0;
  if (version < 1 || version > 3)
    throw TableError(fmt::format("{}: .npy version {} is not known", source.name(), version));
  const std::size_t width = version == 1 ? 2 : 4;
  const std::string_view bytes = source.block(width);
  std::size_t length = 0;
  for (std::size_t k = bytes.size(); k-- > 0;) length = (length << 8) | static_cast<unsigned char>(bytes[k]);
  if (length > longest_dictionary) throw TableError(fmt::format("{}: the .npy header is damaged", source.name()));
  const bool whole = bytes.size() == width;
  std::string text(source.block(length));
  if (!whole || text.size() != length) throw TableError(fmt::format("{}: the .npy header is cut off", source.name()));
  return text;
}

// The number of items; false when the size in bytes of an array of this shape, or of a part of it, exceeds a 64-bit
// integer: of rows, say, of which there are none.
bool count(const std::vector<std::uint64_t>& shape, std::size_t item_size, std::uint64_t& items) {
  items = 1;
  std::uint64_t bytes = item_size;
  for (const std::uint64_t size : shape) {
    items *= size;
    if (__builtin_mul_overflow(bytes, std::max<std::uint64_t>(size, 1), &bytes)) return false;
  }
  return true;
}

template <class T>
T raw(const char* bytes, bool swapped) {
  char ordered[sizeof(T)];
  std::memcpy(ordered, bytes, sizeof(T));
  if (swapped) std::reverse(ordered, ordered + sizeof(T));
  T value{};
  std::memcpy(&value, ordered, sizeof(T));
  return value;
}

template <class T>
double whole(const char* bytes, bool swapped) {
  constexpr auto largest = std::int64_t{1} << 53;
  const T value = raw<T>(bytes, swapped);
  if (std::cmp_greater(value, largest) || std::cmp_less(value, -largest))
    return std::numeric_limits<double>::infinity();
  return static_cast<double>(value);
}

}  // namespace

double NpyType::decode(const char* bytes) const {
  if (kind == 'f') return size == 8 ? raw<double>(bytes, swapped) : static_cast<double>(raw<float>(bytes, swapped));
  const bool is_signed = kind == 'i';
  switch (size) {
    case 1:
      return is_signed ? whole<std::int8_t>(bytes, false) : whole<std::uint8_t>(bytes, false);
    case 2:
      return is_signed ? whole<std::int16_t>(bytes, swapped) : whole<std::uint16_t>(bytes, swapped);
    case 4:
      return is_signed ? whole<std::int32_t>(bytes, swapped) : whole<std::uint32_t>(bytes, swapped);
    default:
      return is_signed ? whole<std::int64_t>(bytes, swapped) : whole<std::uint64_t>(bytes, swapped);
  }
}

NpyHeader read_npy_header(ByteSource& source) {
  const std::string dictionary = dictionary_text(source);
  NpyHeader header;
  const std::string_view type = type_of(dictionary);
  header.is_number = parse_type(type, header.type);
  header.type_text = shown(type);
  const std::string_view order = after_key(dictionary, "'fortran_order'");
  header.fortran_order = order.starts_with("True");
  const std::string_view shape = after_key(dictionary, "'shape'");
  const std::string_view tuple = shape.substr(0, shape.find(')') + 1);
  header.shape_text = shown(tuple);
  if (type.empty() || !(header.fortran_order || order.starts_with("False")) || !parse_shape(tuple, header.shape))
    throw TableError(
        fmt::format("{}: the .npy header is damaged: it must name descr, fortran_order and shape", source.name()));
  std::uint64_t items = 0;
  if (!count(header.shape, header.type.size, items))
    throw TableError(
        fmt::format("{}: the array's shape is {}, more than any file holds", source.name(), header.shape_text));
  return header;
}

std::string npy_header(const std::vector<std::uint64_t>& shape, bool single_precision) {
  std::string text = npy_magic;
  text += '\x01';
  text += '\0';
  const std::size_t length = header_size - 10;
  text += static_cast<char>(length & 0xFF);
  text += static_cast<char>(length >> 8);
  text += fmt::format("{{'descr': '{}', 'fortran_order': False, 'shape': ({}{}), }}", single_precision ? "<f4" : "<f8",
                      fmt::join(shape, ", "), shape.size() == 1 ? "," : "");
  text.resize(header_size - 1, ' ');
  return text + '\n';
}

ArrayRows::ArrayRows(std::unique_ptr<ByteSource> source, const NpyHeader& header, std::uint64_t columns)
    : source_(std::move(source)), type_(header.type), columns_(columns) {
  if (!header.is_number)
    throw TableError(fmt::format("{}: the array's type is {}; save numbers, float64 or float32 or integers",
                                 source_->name(), header.type_text));
  std::uint64_t items = 0;
  count(header.shape, type_.size, items);
  rows_ = columns_ > 0 ? items / columns_ : 0;
  require_filled();
  const bool turns =
      header.fortran_order && items > 0 &&
      std::count_if(header.shape.begin(), header.shape.end(), [](std::uint64_t size) { return size > 1; }) > 1;
  if (turns) turn(header);
}

void ArrayRows::fail(const std::string& what) const {
  throw TableError(fmt::format("{}: row {}: {}", source_->name(), row_, what));
}

void ArrayRows::require_filled() const {
  if (source_->size() == 0) return;  // a pipe has no size
  const std::uint64_t left = source_->size() - source_->taken(), row_size = columns_ * type_.size;
  if (row_size > 0 && left / row_size < rows_)
    throw TableError(fmt::format("{}: the file is cut off: its header announces {} rows, and it holds {}",
                                 source_->name(), rows_, left / row_size));
  if (left > rows_ * row_size)
    throw TableError(fmt::format("{}: {} bytes follow the {} rows that the header announces", source_->name(),
                                 left - rows_ * row_size, rows_));
}

void ArrayRows::turn(const NpyHeader& header) {
  const std::uint64_t items = rows_ * columns_;
  if (items > most_turned / sizeof(double))
    throw TableError(fmt::format(
        "{}: an array of {} in Fortran order is too large to be transposed; save numpy.ascontiguousarray(…)",
        source_->name(), header.shape_text));
  // Element (i, j, c) of k x m x columns_ is at i + k (j + m c); its row is i m + j. Two dimensions: m = 1.
  const std::uint64_t k = header.shape.front(), m = rows_ / k;
  turned_.resize(items);
  for (std::uint64_t c = 0, row = 0; c < columns_; ++c)
    for (std::uint64_t j = 0; j < m; ++j)
      for (std::uint64_t i = 0; i < k; ++i, ++row) {
        const std::string_view bytes = source_->block(type_.size);
        if (source_->stopped()) return;
        if (bytes.size() != type_.size)
          throw TableError(
              fmt::format("{}: the file is cut off after {} of its {} numbers", source_->name(), row, items));
        turned_[(i * m + j) * columns_ + c] = type_.decode(bytes.data());
      }
}

bool ArrayRows::next(std::span<double> row) {
  if (row_ == rows_ || source_->stopped()) return false;
  const std::size_t size = columns_ * type_.size;
  if (!turned_.empty()) {
    std::copy_n(turned_.data() + row_ * columns_, columns_, row.data());
    ++row_;
    return true;
  }
  const std::string_view block = source_->block(size);
  if (source_->stopped()) return false;
  ++row_;
  if (block.size() != size) fail(fmt::format("the file ends here, but its header announces {} rows", rows_));
  if (type_.is_native_double()) {
    std::memcpy(row.data(), block.data(), size);
  } else {
    for (std::size_t k = 0; k < columns_; ++k) row[k] = type_.decode(block.data() + k * type_.size);
  }
  return true;
}

void ArrayRows::require_finite(std::span<const double> row) const {
  for (std::size_t k = 0; k < columns_; ++k)
    if (!std::isfinite(row[k]))
      fail(fmt::format("column {} is {}", k + 1, type_.kind == 'f' ? "not finite" : "an integer beyond 2^53"));
}

void ArrayRows::require_end() {
  if (!source_->stopped() && !source_->peek(1).empty())
    throw TableError(fmt::format("{}: bytes follow the {} rows that the header announces", source_->name(), rows_));
}

}  // namespace catena::io
