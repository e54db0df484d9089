// Results that were written before, read again for a page: CSV, .npy or .npz, whatever columns they have.
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

// The number of the column t in a row whose columns have these names, both separated by commas.
std::optional<double> time_in(std::string_view names, std::string_view row);

bool is_table_name(const std::string& path);  // by its ending

// Numbers may be nan and inf: a table has them where there was no result. Throws InputError.
ResultTable read_result(const std::string& path, const Robot& robot);

// Several tables of one motion become one: the same rows, each with columns of its own; those that do not fit stay
// apart.
std::vector<ResultTable> joined(std::vector<ResultTable> tables);

// Angles in degrees become radians; where there is no column t, rows come at this rate. Throws InputError where a group
// of columns has too few or too many for the robot.
report::Recording recording_of(const ResultTable& table, const Robot& robot, bool degrees, std::optional<double> rate);

}  // namespace catena::cli
