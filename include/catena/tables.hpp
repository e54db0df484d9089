// Tables of states and arrays in files, and text files that are written completely or not at all.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "catena/write_error.hpp"

namespace catena {

// Tables of robot states, streamed in constant memory: CSV and NumPy's .npy and .npz, read and written row by
// row.
// docs/commands.md describes them.

// A table that cannot be read or written; what() is one line, "FILE:LINE: what is wrong and what would be right".
class TableError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// The reader of the pipe that the table is written to has closed it.
class TablePipeClosed : public WriteError {
 public:
  using WriteError::WriteError;
};

// What the columns of a table mean. Groups {"q", "qd"} of a robot with two joints are the columns q1, q2, qd1, qd2.
struct TableFormat {
  int joints = 0;
  std::vector<std::string> joint_names{};  // if given, columns may be called q:elbow instead of q1, all or none
  std::vector<std::string> groups{"q", "qd", "qdd"};
  int required = 1;  // this many groups, counted from the first, must be present; absent others are zero
  std::vector<std::string> results{};  // columns of these groups ("tau") are left out, as are
  std::vector<std::string> columns{};  // columns with these names ("M1_1"): the output supplies its own
  bool plain = false;                  // groups of one number each; the column is named like the group: t, fx
  bool batches = true;                 // an array (tables, rows, columns) is that many tables in sequence
  std::function<bool()> stop{};        // called when a signal interrupts a read: true ends the table there
  // If a robot's positions are not its joints: their names, which are the columns of the group q.
  std::vector<std::string> position_names{};
  int base_motion = 0;  // size of the group base, base1 to base12, if the base moves; 0: no such columns

  bool is_of_base(std::size_t group) const { return !plain && groups[group] == "base"; }
  bool is_of_positions(std::size_t group) const { return !position_names.empty() && groups[group] == "q"; }
  std::size_t count(std::size_t group) const {  // numbers in a group
    if (is_of_positions(group)) return position_names.size();
    return static_cast<std::size_t>(is_of_base(group) ? base_motion : joints);
  }
  std::size_t start(std::size_t group) const {  // numbers in all groups before it
    std::size_t sum = 0;
    for (std::size_t g = 0; g < group; ++g) sum += count(g);
    return sum;
  }
  std::size_t width() const { return start(groups.size()); }
  const std::vector<std::string>& names(std::size_t group) const {
    return is_of_positions(group) ? position_names : joint_names;
  }
};

// "q1", or with names "q:elbow": the name of the column of joint j (from 0) in a group. In quotes if a CSV header needs
// them.
std::string joint_column(std::string_view group, std::size_t j, const std::vector<std::string>& names = {});

struct TableRow {
  std::span<const double> values;  // group after group
  std::string_view carried;        // the text of the other columns, unchanged, comma-separated
};

// Reads a table: .npy and .npz by their first bytes, else CSV; the path "-" is standard input, CSV or .npy.
class TableReader {
 public:
  TableReader(const std::string& path, const TableFormat& format);
  ~TableReader();
  TableReader(TableReader&&) noexcept;

  // The next row, valid until the next call; false at the end. Throws TableError.
  bool next(TableRow& row);

  bool named() const;                         // the columns are named by joints, q:elbow
  const std::string& carried_header() const;  // names of the other columns, comma-separated; not for a .npy
  std::string place() const;                  // "FILE:LINE" (CSV) or "FILE: row K" (arrays) of the row read last
  std::uint64_t bytes_read() const;
  std::uint64_t bytes_total() const;  // 0: unknown (a pipe)

  struct Source;

 private:
  std::unique_ptr<Source> source_;
};

// Writes a table: .npy or .npz (float64) by the path's extension, else CSV; "-" is standard output as CSV. A .npz has
// an array for the columns tau1, tau2, … (tau) or M1_1, M1_2, … (M, 3-D), and of the carried columns only t. The file
// is written under a temporary name beside its own and renamed by finish(): a file with the given name is always
// complete, and has the mode of the file it replaces. keep() is for a table that lacks rows, because somebody ended the
// run: it stays in FILE.part, and an older file as it was.
class TableWriter {
 public:
  TableWriter(const std::string& path, const std::vector<std::string>& columns, const std::string& carried_header = {});
  ~TableWriter();  // without finish(): the temporary file is removed
  TableWriter(TableWriter&&) noexcept;

  // Throws WriteError.
  void write(std::span<const double> values, std::string_view carried = {});
  void finish();
  std::string keep();  // the name of the file; what does not go to a plain file is only finished
  std::uint64_t rows() const;

  struct Sink;

 private:
  std::unique_ptr<Sink> sink_;
};

// A NumPy .npy file, mapped into memory window by window: files larger than memory are read in constant
// memory.

class ArrayFile {
 public:
  // Throws TableError if it cannot be read, is not a .npy file of numbers, or does not contain what its header says.
  explicit ArrayFile(const std::string& path);
  ~ArrayFile();
  ArrayFile(const ArrayFile&) = delete;
  ArrayFile& operator=(const ArrayFile&) = delete;

  static bool is_one(const std::string& path);  // a regular file that begins like a .npy file

  std::uint64_t rows() const { return rows_; }        // product of all dimensions but the last
  std::uint64_t columns() const { return columns_; }  // the last dimension
  bool in_rows() const { return in_rows_; }           // in C order
  std::string type() const { return type_; }          // in NumPy's notation: '<f8'
  bool is_double() const { return kind_ == 'f' && item_ == sizeof(double) && !swapped_; }
  bool is_float() const { return kind_ == 'f' && item_ == sizeof(float) && !swapped_; }
  std::uint64_t bytes() const { return bytes_; }        // of the file
  std::int64_t changed() const { return changed_ns_; }  // modification time, in nanoseconds

  // Rows from..from+count in place, for an array in C order. Valid until the next call.
  const void* window(std::uint64_t from, std::uint64_t count);
  // The same as doubles or floats, whatever the type in the file.
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

// Text files that are written completely or not at all.

struct TextFile {
  std::string path;
  std::string_view text;
};

// Writes through temporary files beside the paths, then renames: all files or none. Throws WriteError; existing files
// then remain.
void write_text_files(const std::vector<TextFile>& files);
void write_text_file(const std::string& path, std::string_view text);

}  // namespace catena
