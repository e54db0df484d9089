#include "pages/result_table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <fstream>
#include <numbers>
#include <set>

#include "catena/mechanism.hpp"
#include "catena/tables.hpp"
#include "model/free_base.hpp"
#include "options/numbers.hpp"
#include "terminal/errors.hpp"

namespace catena::cli {
namespace {

namespace fs = std::filesystem;

std::string ending_of(const std::string& path) { return fs::path(path).extension().string(); }

std::string_view without_blanks(std::string_view text) {
  const auto blank = [](char c) { return c == ' ' || c == '\t' || c == '\r'; };
  while (!text.empty() && blank(text.front())) text.remove_prefix(1);
  while (!text.empty() && blank(text.back())) text.remove_suffix(1);
  return text;
}

// The cells of a CSV line: within quotes a comma is text, and a doubled quote is one quote.
std::vector<std::string> cells_of(std::string_view line) {
  std::vector<std::string> fields(1);
  bool quoted = false;
  for (std::size_t k = 0; k < line.size(); ++k) {
    if (line[k] == '"' && quoted && k + 1 < line.size() && line[k + 1] == '"') {
      fields.back() += '"', ++k;
    } else if (line[k] == '"') {
      quoted = !quoted;
    } else if (line[k] == ',' && !quoted) {
      fields.emplace_back();
    } else {
      fields.back() += line[k];
    }
  }
  for (std::string& field : fields) field = std::string(without_blanks(field));
  return fields;
}

bool read_number(std::string_view text, double& value) {
  text = without_blanks(text);
  if (text.starts_with('+')) text.remove_prefix(1);
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return !text.empty() && error == std::errc{} && end == text.data() + text.size();
}

const InputInfo* group_of(std::string_view name, std::string_view& rest) {
  const InputInfo* found = nullptr;
  for (const InputInfo& info : all_inputs)  // the longest name that matches: qdd rather than qd or q
    if (info.by_joint() && name.starts_with(info.name) && (found == nullptr || info.name.size() > found->name.size()))
      found = &info;
  if (found != nullptr) rest = name.substr(found->name.size());
  return found;
}

std::vector<std::string> entry_names(const InputInfo& info, const Robot& robot) {
  return info.input == Input::q ? position_names(robot) : joint_names(robot);
}

// q:elbow becomes q2, where the elbow is the second joint.
std::string numbered(const std::string& name, const Robot& robot, const std::string& place) {
  std::string_view rest;
  const InputInfo* group = group_of(name, rest);
  if (group == nullptr || !rest.starts_with(':')) return name;
  const std::vector<std::string> names = entry_names(*group, robot);
  const auto found = std::find(names.begin(), names.end(), rest.substr(1));
  if (found == names.end())
    throw InputError(fmt::format("{}: column '{}': {} has no joint '{}'{}", place, printable(name),
                                 printable(robot.name), printable(rest.substr(1)),
                                 suggest(std::string(rest.substr(1)), names)));
  return fmt::format("{}{}", group->name, found - names.begin() + 1);
}

ResultTable read_csv(const std::string& path, const Robot& robot) {
  std::ifstream in(std::filesystem::path(path), std::ios::binary);
  std::string line;
  if (!in || !std::getline(in, line)) throw InputError(path + ": cannot be read, or is empty");
  if (line.starts_with("\xEF\xBB\xBF")) line.erase(0, 3);
  ResultTable table{path, {}, {}};
  for (const std::string& name : cells_of(line)) {
    double number = 0.0;
    if (name.empty() || read_number(name, number))
      throw InputError(
          fmt::format("{}:1: the first line must name the columns: t,q1,…; read '{}'", path, printable(name)));
    table.names.push_back(numbered(name, robot, path + ":1"));
  }
  table.columns.resize(table.names.size());
  for (std::size_t number = 2; std::getline(in, line); ++number) {
    if (without_blanks(line).empty()) continue;
    const std::vector<std::string> fields = cells_of(line);
    if (fields.size() != table.names.size())
      throw InputError(
          fmt::format("{}:{}: has {} columns, the first line has {}", path, number, fields.size(), table.names.size()));
    for (std::size_t k = 0; k < fields.size(); ++k) {
      double value = 0.0;
      if (!read_number(fields[k], value))
        throw InputError(fmt::format("{}:{}: column {}: '{}' is not a number", path, number, printable(table.names[k]),
                                     printable(fields[k])));
      table.columns[k].push_back(value);
    }
  }
  return table;
}

void name_group(std::vector<std::string>& names, std::string_view group, int count) {
  for (int k = 1; k <= count; ++k) names.push_back(fmt::format("{}{}", group, k));
}

// A .npy table has no names: the tables that the program writes are recognised by their width.
std::vector<std::string> names_by_width(std::size_t width, const Robot& robot, const std::string& path) {
  const int nv = robot.dof(), nq = nv + (robot.floating.empty() ? 0 : 1);
  std::vector<std::string> names;
  const auto is = [&](int columns) { return width == index(columns); };
  const int run = 1 + nq + 2 * nv + 4;  // the output of simulate: t, q, qd, tau, energies
  if (is(nv)) {
    name_group(names, "tau", nv);
  } else if (is(nq + 2 * nv)) {
    name_group(names, "q", nq), name_group(names, "qd", nv), name_group(names, "qdd", nv);
  } else if (is(run) || is(run + 1)) {
    names.emplace_back("t");
    name_group(names, "q", nq), name_group(names, "qd", nv), name_group(names, "tau", nv);
    for (const char* name : {"kinetic", "potential", "work", "losses", "external"}) names.emplace_back(name);
    names.resize(width);
  } else {
    throw InputError(
        fmt::format("{}: has {} columns and no names; for {} the program writes {} (torques), {} (q, qd, qdd) or {} (a "
                    "simulation): "
                    "write it as .csv or .npz, which have names",
                    path, width, printable(robot.name), nv, nq + 2 * nv, run));
  }
  return names;
}

ResultTable read_npy(const std::string& path, const Robot& robot) {
  ArrayFile file(path);
  ResultTable table{path, names_by_width(file.columns(), robot, path), {}};
  table.columns.resize(table.names.size());
  std::vector<double> row;
  constexpr std::uint64_t block = 4096;
  for (std::uint64_t from = 0; from < file.rows(); from += block) {
    file.read(from, std::min(block, file.rows() - from), row);
    for (std::size_t k = 0; k < row.size(); ++k) table.columns[k % table.names.size()].push_back(row[k]);
  }
  return table;
}

// A .npz archive: array by array, however many there are.
ResultTable read_npz(const std::string& path, const Robot& robot) {
  ResultTable table{path, {}, {}};
  std::string why;
  for (const InputInfo& info : all_inputs) {
    if (!info.by_joint()) continue;
    TableFormat format{.joints = robot.dof(), .joint_names = joint_names(robot), .groups = {std::string(info.name)}};
    if (!robot.floating.empty()) format.position_names = position_names(robot);
    for (const InputInfo& other : all_inputs)
      if (other.by_joint() && other.input != info.input) format.results.emplace_back(other.name);
    try {
      TableReader reader(path, format);
      const std::vector<std::string> carried = cells_of(reader.carried_header());
      std::vector<std::string> names;
      name_group(names, info.name, static_cast<int>(format.width()));
      const bool first = table.names.empty();
      const std::size_t start = table.names.size();
      table.names.insert(table.names.end(), names.begin(), names.end());
      if (first && !reader.carried_header().empty())
        table.names.insert(table.names.end(), carried.begin(), carried.end());
      table.columns.resize(table.names.size());
      for (TableRow row; reader.next(row);) {
        for (std::size_t k = 0; k < row.values.size(); ++k) table.columns[start + k].push_back(row.values[k]);
        if (!first || reader.carried_header().empty()) continue;
        const std::vector<std::string> fields = cells_of(row.carried);
        for (std::size_t k = 0; k < carried.size(); ++k) {
          double value = 0.0;
          read_number(fields[k], value);
          table.columns[start + row.values.size() + k].push_back(value);
        }
      }
    } catch (const TableError& error) {
      why = error.what();
    }
  }
  if (table.names.empty()) throw InputError(why);
  return table;
}

}  // namespace

std::optional<double> time_in(std::string_view names, std::string_view row) {
  const std::vector<std::string> columns = cells_of(names), fields = cells_of(row);
  for (std::size_t k = 0; k < columns.size() && k < fields.size(); ++k)
    if (double t = 0.0; columns[k] == "t" && read_number(fields[k], t)) return t;
  return std::nullopt;
}

bool is_table_name(const std::string& path) {
  const std::string ending = ending_of(path);
  return ending == ".csv" || ending == ".npy" || ending == ".npz";
}

ResultTable read_result(const std::string& path, const Robot& robot) {
  if (!fs::exists(path)) throw InputError(path + ": no such file");
  try {
    ResultTable table = ending_of(path) == ".npy"   ? read_npy(path, robot)
                        : ending_of(path) == ".npz" ? read_npz(path, robot)
                                                    : read_csv(path, robot);
    std::set<std::string> seen;
    for (const std::string& name : table.names)
      if (!seen.insert(name).second)
        throw InputError(fmt::format("{}: column '{}' is given twice", path, printable(name)));
    return table;
  } catch (const TableError& error) {
    throw InputError(error.what());
  }
}

std::vector<ResultTable> joined(std::vector<ResultTable> tables) {
  std::vector<ResultTable> out;
  for (ResultTable& table : tables) {
    const auto has = [](const ResultTable& in, const std::string& name) {
      return std::find(in.names.begin(), in.names.end(), name) != in.names.end();
    };
    const bool fits = !out.empty() && out.back().rows() == table.rows() &&
                      std::none_of(table.names.begin(), table.names.end(),
                                   [&](const std::string& name) { return name != "t" && has(out.back(), name); });
    if (!fits) {
      out.push_back(std::move(table));
      continue;
    }
    for (std::size_t k = 0; k < table.names.size(); ++k) {
      if (has(out.back(), table.names[k])) continue;
      out.back().names.push_back(table.names[k]);
      out.back().columns.push_back(std::move(table.columns[k]));
    }
    out.back().path += ", " + table.path;
  }
  return out;
}

report::Recording recording_of(const ResultTable& table, const Robot& robot, bool degrees, std::optional<double> rate) {
  report::Recording out(robot);
  std::vector<std::size_t> from;  // indices of the table's columns, in the order of the recording's columns
  std::vector<double> units;
  std::vector<bool> used(table.names.size(), false);
  const auto place = [&](const std::string& name) {
    return static_cast<std::size_t>(std::find(table.names.begin(), table.names.end(), name) - table.names.begin());
  };
  const auto take = [&](std::size_t k, double unit) { from.push_back(k), units.push_back(unit), used[k] = true; };
  const bool timed = place("t") < table.names.size();
  if (timed && rate) throw UsageError("the table has its times in column t; leave out --rate");
  if (timed || rate) out.add_time();
  if (timed) take(place("t"), 1.0);
  for (const InputInfo& info : all_inputs) {
    if (!info.of_motion()) continue;
    const std::size_t size = entry_names(info, robot).size();
    std::size_t there = 0;
    while (place(fmt::format("{}{}", info.name, there + 1)) < table.names.size()) ++there;
    if (there == 0) continue;
    if (there != size)
      throw InputError(fmt::format("{}: has {} columns {}1, …; {} has {}: is it of another robot?", table.path, there,
                                   info.name, printable(robot.name), size));
    out.add_group(info.input);
    const std::vector<double> own =
        info.input == Input::q ? position_units(robot, degrees) : joint_units(robot, degrees && info.is_angle());
    for (std::size_t k = 0; k < size; ++k) take(place(fmt::format("{}{}", info.name, k + 1)), own[k]);
  }
  if (std::size_t size = entry_names(info_of(Input::q), robot).size(); robot.floating.empty()) {
    std::size_t there = 0;
    while (place(fmt::format("q_ref{}", there + 1)) < table.names.size()) ++there;
    if (there == size && size > 0) {
      out.add_reference();
      const std::vector<double> own = position_units(robot, degrees);
      for (std::size_t k = 0; k < size; ++k) take(place(fmt::format("q_ref{}", k + 1)), own[k]);
    }
  }
  for (std::size_t k = 0; k < table.names.size(); ++k) {
    if (used[k]) continue;
    out.add_named(table.names[k]);
    take(k, 1.0);
  }
  std::vector<double> row;
  for (std::size_t i = 0; i < table.rows(); ++i) {
    row.clear();
    if (!timed && rate) row.push_back(static_cast<double>(i) / *rate);
    for (std::size_t k = 0; k < from.size(); ++k) row.push_back(table.columns[from[k]][i] * units[k]);
    out.add(row);
  }
  return out;
}

}  // namespace catena::cli
