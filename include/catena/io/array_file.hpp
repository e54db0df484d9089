// A NumPy .npy file as it lies on the disk, mapped into memory window by window: files larger than memory are read in
// constant memory.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "catena/io/state_table.hpp"

namespace catena {

class ArrayFile {
 public:
  // Throws TableError when it cannot be read, is no .npy file of numbers or does not hold what its header says.
  explicit ArrayFile(const std::string& path);
  ~ArrayFile();
  ArrayFile(const ArrayFile&) = delete;
  ArrayFile& operator=(const ArrayFile&) = delete;

  static bool is_one(const std::string& path);  // a regular file that begins as .npy files do

  std::uint64_t rows() const { return rows_; }        // all dimensions but the last, one after the other
  std::uint64_t columns() const { return columns_; }  // of the last dimension
  bool in_rows() const { return in_rows_; }           // in C order
  std::string type() const { return type_; }          // as NumPy says it: '<f8'
  bool is_double() const { return kind_ == 'f' && item_ == sizeof(double) && !swapped_; }
  bool is_float() const { return kind_ == 'f' && item_ == sizeof(float) && !swapped_; }
  std::uint64_t bytes() const { return bytes_; }        // of the file
  std::int64_t changed() const { return changed_ns_; }  // when, in nanoseconds

  // Rows from..from+count where they lie in memory, of an array in C order. Valid until the next call.
  const void* window(std::uint64_t from, std::uint64_t count);
  // The same as doubles or floats, whatever the file has.
  template <class S>
  void read(std::uint64_t from, std::uint64_t count, std::vector<S>& to);

 private:
  void unmap();

  int descriptor_ = -1;
  char kind_ = 'f';
  std::size_t item_ = 8;
  bool swapped_ = false, in_rows_ = true;
  std::string name_, type_;
  std::uint64_t rows_ = 0, columns_ = 0, start_ = 0, bytes_ = 0;
  std::int64_t changed_ns_ = 0;
  void* mapped_ = nullptr;
  std::size_t mapped_bytes_ = 0;
};

// The header of a .npy file in C order, float64 or float32.
std::string array_header(std::uint64_t rows, std::uint64_t columns, bool single_precision);

}  // namespace catena
