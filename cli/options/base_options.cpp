#include "options/base_options.hpp"

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <algorithm>

#include "options/numbers.hpp"
#include "states/timed_rows.hpp"
#include "terminal/errors.hpp"
#include "terminal/words.hpp"

namespace catena::cli {
namespace {

constexpr const char* components = "vx,vy,vz,wx,wy,wz";
constexpr const char* rates = "ax,ay,az,alphax,alphay,alphaz";

BaseTwist six_numbers(const std::optional<std::string>& text, const char* option, const char* form) {
  BaseTwist out{};
  if (!text) return out;
  const std::vector<double> numbers = parse_numbers(*text, option);
  if (numbers.size() != out.size())
    throw UsageError(fmt::format("{} has {} number{}; give {}: {}", option, numbers.size(),
                                 numbers.size() == 1 ? "" : "s", out.size(), form));
  std::copy(numbers.begin(), numbers.end(), out.begin());
  return out;
}

// The columns of --base-motion, with or without those for the rates of change of the twist.
std::vector<std::string> columns_of(bool with_accelerations) {
  return split(with_accelerations ? fmt::format("{},{}", components, rates) : components, ',');
}

std::vector<BaseRow> rows_of_table(const std::string& path, bool with_accelerations) {
  std::vector<BaseRow> rows;
  for (const std::vector<double>& row : timed_rows(path, columns_of(with_accelerations))) {
    BaseRow& own = rows.emplace_back();
    own.t = row[0];
    std::copy_n(row.begin() + 1, own.twist.size(), own.twist.begin());
    if (with_accelerations) std::copy_n(row.begin() + 7, own.acceleration.size(), own.acceleration.begin());
  }
  return rows;
}

}  // namespace

void BaseOptions::add(CLI::App& command, bool over_time) {
  const char* const when = over_time ? " at the start" : "";
  command
      .add_option("--base-twist", twist,
                  fmt::format("velocity of a moving base: of its origin, then angular{}, along the axes of the base "
                              "link, m/s and rad/s; default all 0",
                              when))
      ->type_name(components);
  command
      .add_option("--base-acceleration", acceleration,
                  fmt::format("time derivatives of the numbers of --base-twist{}, m/s² and rad/s²; default all 0",
                              over_time ? ", all the time" : ""))
      ->type_name(rates);
  if (!over_time) return;
  command
      .add_option("--base-motion", table,
                  fmt::format("the twist of the base over time: a table with the columns t,{}, straight lines between "
                              "rows, or with {} too, cubics; it must last as long as the run",
                              components, rates))
      ->type_name("FILE")
      ->excludes("--base-twist", "--base-acceleration");
}

std::string BaseOptions::name() const {
  return twist ? "--base-twist" : acceleration ? "--base-acceleration" : "--base-motion";
}

Mechanism BaseOptions::carried(Mechanism robot) const {
  if (!given()) return robot;
  try {
    return on_moving_base(robot);
  } catch (const std::invalid_argument&) {
    throw UsageError(
        fmt::format("{}: {} has a free base, whose motion cannot be prescribed", name(), printable(robot.name)));
  }
}

std::array<double, base_motion_size> BaseOptions::motion() const {
  std::array<double, base_motion_size> all{};
  const BaseTwist first = six_numbers(twist, "--base-twist", components),
                  then = six_numbers(acceleration, "--base-acceleration", rates);
  std::copy(then.begin(), then.end(), std::copy(first.begin(), first.end(), all.begin()));
  return all;
}

void BaseOptions::refuse(std::string_view what) const {
  if (given()) throw UsageError(fmt::format("{}: {} needs a base at rest; leave out one of them", name(), what));
}

BaseLaw BaseOptions::law(double time) const {
  if (!given()) return {};
  if (table.empty())
    return constant_base_acceleration(six_numbers(twist, "--base-twist", components),
                                      six_numbers(acceleration, "--base-acceleration", rates));
  if (table == "-") throw UsageError("--base-motion reads its table twice; give a file");
  const bool with_accelerations = has_columns(table, columns_of(true));
  std::vector<BaseRow> rows = rows_of_table(table, with_accelerations);
  if (const double first = rows.front().t, last = rows.back().t; first > 0.0 || last < time)
    throw InputError(
        fmt::format("{}: the table goes from t = {:g} to {:g} s, the run from 0 to {:g} s", table, first, last, time));
  return base_motion_table(std::move(rows), with_accelerations);
}

}  // namespace catena::cli
