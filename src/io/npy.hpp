// The header of a NumPy .npy file: what we read and what we write.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "byte_source.hpp"

namespace catena::io {

inline constexpr const char npy_magic[] = "\x93NUMPY";

struct NpyHeader {
  std::uint64_t rows = 0, columns = 0;
  std::size_t item_size = 8;  // 8: float64, 4: float32
};

// Takes the header from the source. Throws TableError when it is not a 2-D little-endian float array in C order.
NpyHeader read_npy_header(ByteSource& source);

// A float64 header of always the same length, so that the number of rows can be written in at the end.
std::string npy_header(std::uint64_t rows, std::uint64_t columns);

}  // namespace catena::io
