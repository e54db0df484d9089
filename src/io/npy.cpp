#include "npy.hpp"

#include <fmt/format.h>

#include <charconv>
#include <string_view>
#include <vector>

#include "catena/io/state_table.hpp"

namespace catena::io {
namespace {

constexpr std::size_t header_size = 128;  // a multiple of 64, with room for any number of rows
constexpr std::size_t longest_dictionary = 65536;

// The text after 'key': in the Python dictionary of the header, up to the end; empty when the key is not there.
std::string_view after_key(std::string_view dictionary, std::string_view key) {
  const std::size_t at = dictionary.find(key);
  if (at == std::string_view::npos) return {};
  const std::size_t colon = dictionary.find(':', at + key.size());
  if (colon == std::string_view::npos) return {};
  const std::size_t value = dictionary.find_first_not_of(' ', colon + 1);
  return value == std::string_view::npos ? std::string_view{} : dictionary.substr(value);
}

// "(3, 4), …" as {3, 4}; empty when it is not a tuple of sizes.
std::vector<std::uint64_t> parse_shape(std::string_view text) {
  std::vector<std::uint64_t> shape;
  if (!text.starts_with('(')) return {};
  const char* at = text.data() + 1;
  const char* const end = text.data() + text.size();
  while (at < end && *at != ')') {
    if (*at == ' ' || *at == ',') {
      ++at;
      continue;
    }
    std::uint64_t size = 0;
    const auto [stop, error] = std::from_chars(at, end, size);
    if (error != std::errc{}) return {};
    shape.push_back(size);
    at = stop;
  }
  return shape;
}

std::string dictionary_text(ByteSource& source) {
  const std::string_view start = source.block(8);
  const int version = start.size() == 8 ? static_cast<unsigned char>(start[6]) : 0;
  if (version < 1 || version > 3)
    throw TableError(fmt::format("{}: .npy version {} is not known", source.name(), version));
  std::size_t length = 0;
  const std::string_view bytes = source.block(version == 1 ? 2 : 4);
  for (std::size_t k = bytes.size(); k-- > 0;) length = (length << 8) | static_cast<unsigned char>(bytes[k]);
  if (length > longest_dictionary) throw TableError(fmt::format("{}: the .npy header is damaged", source.name()));
  const std::string text(source.block(length));
  if (text.size() != length) throw TableError(fmt::format("{}: the .npy header is cut off", source.name()));
  return text;
}

}  // namespace

NpyHeader read_npy_header(ByteSource& source) {
  const std::string dictionary = dictionary_text(source);
  NpyHeader header;
  const std::string_view type = after_key(dictionary, "'descr'");
  if (type.starts_with("'<f8'")) {
    header.item_size = 8;
  } else if (type.starts_with("'<f4'")) {
    header.item_size = 4;
  } else {
    throw TableError(fmt::format("{}: the array's type is {}; save it as float64 ('<f8') or float32 ('<f4')",
                                 source.name(), type.substr(0, type.find_first_of(",}"))));
  }
  if (!after_key(dictionary, "'fortran_order'").starts_with("False"))
    throw TableError(fmt::format("{}: the array is in Fortran order; save numpy.ascontiguousarray(…)", source.name()));
  const std::string_view shape_text = after_key(dictionary, "'shape'");
  const std::vector<std::uint64_t> shape = parse_shape(shape_text);
  if (shape.size() != 2)
    throw TableError(fmt::format("{}: the array's shape is {}; a table has two dimensions, one row a state",
                                 source.name(), shape_text.substr(0, shape_text.find(')') + 1)));
  header.rows = shape[0];
  header.columns = shape[1];
  return header;
}

std::string npy_header(std::uint64_t rows, std::uint64_t columns) {
  std::string text = npy_magic;
  text += '\x01';
  text += '\0';
  const std::size_t length = header_size - 10;
  text += static_cast<char>(length & 0xFF);
  text += static_cast<char>(length >> 8);
  text += fmt::format("{{'descr': '<f8', 'fortran_order': False, 'shape': ({}, {}), }}", rows, columns);
  text.resize(header_size - 1, ' ');
  return text + '\n';
}

}  // namespace catena::io
