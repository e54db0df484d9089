// Tables of robot states that stream through in constant memory: CSV and NumPy's .npy and .npz, read and written row
// by row.
// docs/commands.md describes them.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "catena/io/write_error.hpp"

namespace catena {

// A table that cannot be read or written; what() is one line, "FILE:LINE: what is wrong and what would be right".
class TableError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// Nobody reads the pipe that the table goes to.
class TablePipeClosed : public WriteError {
 public:
  using WriteError::WriteError;
};

// What the columns of a table mean. Groups {"q", "qd"} of a robot with two joints are the columns q1, q2, qd1, qd2.
struct TableFormat {
  int joints = 0;
  std::vector<std::string> joint_names{};  // where given, columns may be called q:elbow instead of q1, all or none
  std::vector<std::string> groups{"q", "qd", "qdd"};
  int required = 1;  // so many groups, from the first on, must be there; the others are zero when absent
  std::vector<std::string> results{};  // columns of these groups ("tau") are left out, and
  std::vector<std::string> columns{};  // columns of these names ("M1_1"): the output brings its own
  bool plain = false;                  // groups of one number each, whose columns are called by the group alone: t, fx
  bool batches = true;                 // an array (tables, rows, columns) is that many tables one after the other
  std::function<bool()> stop{};        // asked when a signal interrupts a read: true ends the table there
  // Where a robot has other positions than joints: their names, which are those of the group q.
  std::vector<std::string> position_names{};
  int base_motion = 0;  // numbers of the group base, base1 to base12, where the base moves; 0: no such columns

  bool is_of_base(std::size_t group) const { return !plain && groups[group] == "base"; }
  bool is_of_positions(std::size_t group) const { return !position_names.empty() && groups[group] == "q"; }
  std::size_t count(std::size_t group) const {  // numbers of a group
    if (is_of_positions(group)) return position_names.size();
    return static_cast<std::size_t>(is_of_base(group) ? base_motion : joints);
  }
  std::size_t start(std::size_t group) const {  // numbers of all groups before it
    std::size_t sum = 0;
    for (std::size_t g = 0; g < group; ++g) sum += count(g);
    return sum;
  }
  std::size_t width() const { return start(groups.size()); }
  const std::vector<std::string>& names(std::size_t group) const {
    return is_of_positions(group) ? position_names : joint_names;
  }
};

// "q1", or with names "q:elbow": what the column of joint j (from 0 on) in a group is called. In quotes where a CSV
// header needs them.
std::string joint_column(std::string_view group, std::size_t j, const std::vector<std::string>& names = {});

struct TableRow {
  std::span<const double> values;  // group after group
  std::string_view carried;        // the text of the columns that are not ours, comma-separated as they came
};

// Reads a table: .npy and .npz by their first bytes, else CSV; the path "-" is standard input, CSV or .npy.
class TableReader {
 public:
  TableReader(const std::string& path, const TableFormat& format);
  ~TableReader();
  TableReader(TableReader&&) noexcept;

  // The next row, valid until the next call; false at the end. Throws TableError.
  bool next(TableRow& row);

  bool named() const;                         // the columns are called by joints, q:elbow
  const std::string& carried_header() const;  // names of the columns that are not ours, comma-separated; not of a .npy
  std::string place() const;                  // "FILE:LINE" (CSV) or "FILE: row K" (arrays) of the row read last
  std::uint64_t bytes_read() const;
  std::uint64_t bytes_total() const;  // 0: unknown (a pipe)

  struct Source;

 private:
  std::unique_ptr<Source> source_;
};

// Writes a table: .npy or .npz (float64) by the path's ending, else CSV; "-" is standard output as CSV. A .npz has an
// array for the columns tau1, tau2, … (tau) or M1_1, M1_2, … (M, 3-D), and of what is carried the column t. A file
// grows under a temporary name beside its own and takes its place in finish(): what stands under the given name is
// always complete, and has the mode of the file it replaces.
class TableWriter {
 public:
  TableWriter(const std::string& path, const std::vector<std::string>& columns, const std::string& carried_header = {});
  ~TableWriter();  // without finish(): the temporary file is removed
  TableWriter(TableWriter&&) noexcept;

  // Throws WriteError.
  void write(std::span<const double> values, std::string_view carried = {});
  void finish();
  std::uint64_t rows() const;

  struct Sink;

 private:
  std::unique_ptr<Sink> sink_;
};

}  // namespace catena
