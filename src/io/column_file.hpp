// A table of named columns whose rows may have holes: what other programs record. CSV separated by commas, semicolons,
// tabs or blanks, a .npy array, or a .npz archive of arrays with the same number of rows.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "catena/tables.hpp"
#include "io/byte_source.hpp"
#include "io/npy.hpp"

namespace catena::io {

class ColumnFile {
 public:
  // `header` names the columns of files that do not start with their names. Throws TableError.
  ColumnFile(const std::string& path, const std::vector<std::string>& header);

  const std::vector<std::string>& names() const { return names_; }
  // Marks a column that is to be read; others are NaN.
  void want(std::size_t column) { wanted_[column] = true; }
  // The next row, NaN where there is no number; false at the end. Throws TableError where a row has too many fields.
  bool next(std::vector<double>& row);
  // About how many rows there are; 0: unknown.
  std::size_t rows() const;
  const std::string& path() const { return path_; }

 private:
  void read_header(const std::vector<std::string>& header);
  void open_archive(const std::vector<std::string>& header);
  bool next_of_archive(std::vector<double>& row);
  std::vector<std::string_view> fields(std::string_view line) const;
  double number(std::string_view field) const;

  std::string path_;
  std::vector<std::string> names_;
  std::vector<bool> wanted_;
  std::unique_ptr<ByteSource> bytes_;
  std::unique_ptr<ArrayFile> array_;
  struct Member {
    ArrayRows rows;
    std::size_t first, width;  // its columns
  };
  std::vector<Member> members_;  // of an archive
  std::uint64_t rows_ = 0;       // of it
  char separator_ = ',';
  std::string first_;  // a line of numbers that was read in search of a header
  std::uint64_t line_ = 0, row_ = 0;
  std::size_t line_bytes_ = 0;
  std::vector<double> block_;
};

}  // namespace catena::io
