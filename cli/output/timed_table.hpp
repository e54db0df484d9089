// Rows with a time, written as a table or gathered for a JSON object.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "catena/tables.hpp"
#include "output/output.hpp"

namespace catena::cli {

class TimedTable {
 public:
  // groups: {"q", "qd", "qdd"} of n joints give the columns t, q1, …, qd1, …. A .npy table has no t. With json and no
  // output, the rows go into the JSON object, one list per group.
  // Where joint names are given, the columns are t, q:elbow, ….
  TimedTable(const std::string& output, const std::vector<std::string>& groups, std::size_t n, bool json,
             const std::vector<std::string>& names = {});

  void add(double t, std::span<const double> values);
  // Completes the table. With json, prints one object: t and the groups, or output and rows; then the keys of `about`.
  void finish(const Json& about);

 private:
  std::string path_;
  std::vector<std::string> groups_;
  std::size_t n_;
  bool json_, npy_;
  std::optional<TableWriter> writer_;
  std::vector<double> row_, times_;
  std::vector<Rows> gathered_;
};

}  // namespace catena::cli
