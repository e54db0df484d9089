// Results written earlier, read back for a page: CSV, .npy or .npz, with any columns.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "catena/robot.hpp"
#include "report/scene.hpp"

namespace catena::cli {

struct ResultTable {
  std::string path;
  std::vector<std::string> names;  // t, q1, …, qd1, …, tau1, …, kinetic, …; q1 where the file says q:elbow
  std::vector<std::vector<double>> columns;

  std::size_t rows() const { return columns.empty() ? 0 : columns.front().size(); }
};

// The value of the column t in a row; `names` and `row` are lists separated by commas.
std::optional<double> time_in(std::string_view names, std::string_view row);

bool is_table_name(const std::string& path);  // judged by its ending

// Numbers may be nan and inf: a table contains them where there was no result. Throws InputError.
ResultTable read_result(const std::string& path, const Robot& robot);

// Merges tables of the same motion: they have the same rows, and each adds its columns; tables that do not fit stay
// separate.
std::vector<ResultTable> joined(std::vector<ResultTable> tables);

// Converts degrees to radians; where there is no column t, the rows are spaced by this rate. Throws InputError where a
// group has too few or too many columns for the robot.
report::Recording recording_of(const ResultTable& table, const Robot& robot, bool degrees, std::optional<double> rate);

}  // namespace catena::cli
