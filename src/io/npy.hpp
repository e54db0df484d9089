// NumPy's .npy format, for reading and writing: the header, the number types, and the rows of an array.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "io/byte_source.hpp"

namespace catena::io {

inline constexpr const char npy_magic[] = "\x93NUMPY";

// '<f8', '>f4', '|u1', …: a number of `size` bytes; `swapped`: its byte order is not this machine's.
struct NpyType {
  char kind = 'f';  // f, i, u
  std::size_t size = 8;
  bool swapped = false;

  bool is_native_double() const { return kind == 'f' && size == 8 && !swapped; }
  // Not finite where a double cannot represent the number: integers beyond 2⁵³.
  double decode(const char* bytes) const;
};

struct NpyHeader {
  NpyType type;
  bool is_number = true;  // false: text, objects, records, …, as `type_text` says
  std::string type_text;
  bool fortran_order = false;
  std::vector<std::uint64_t> shape;
  std::string shape_text;  // "(3, 4)"
};

// Consumes the header of the source. Throws TableError when it is damaged.
NpyHeader read_npy_header(ByteSource& source);

// A float64 or float32 header in C order, with a fixed length, so that the number of rows can be filled in at the
// end.
std::string npy_header(const std::vector<std::uint64_t>& shape, bool single_precision = false);

// An array row by row, over all dimensions except the last; `columns` numbers per row.
class ArrayRows {
 public:
  // The source is positioned after the header. An array in Fortran order is transposed in memory; throws TableError
  // where it is too large for that, or where the array does not fill the source.
  ArrayRows(std::unique_ptr<ByteSource> source, const NpyHeader& header, std::uint64_t columns);

  std::uint64_t rows() const { return rows_; }
  std::uint64_t row() const { return row_; }  // number of rows read so far
  const ByteSource& source() const { return *source_; }
  // False at the end, and when the source was interrupted. Throws TableError when the source ends early.
  bool next(std::span<double> row);
  // Throws TableError unless all numbers of this row are finite.
  void require_finite(std::span<const double> row) const;
  // Throws TableError when there are bytes after the array, or a checksum differs.
  void require_end();

 private:
  void require_filled() const;
  void turn(const NpyHeader& header);
  [[noreturn]] void fail(const std::string& what) const;

  std::unique_ptr<ByteSource> source_;
  NpyType type_;
  std::uint64_t columns_, rows_ = 1, row_ = 0;
  std::vector<double> turned_;  // an array in Fortran order: all of it, transposed to rows
};

}  // namespace catena::io
