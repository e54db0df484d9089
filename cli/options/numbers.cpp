#include "options/numbers.hpp"

#include <fmt/format.h>

#include "jobs/checks.hpp"
#include "model/free_base.hpp"
#include "states/position_doubt.hpp"
#include "terminal/errors.hpp"

namespace catena::cli {

std::vector<double> joint_units(const Robot& robot, bool degrees) {
  std::vector<double> units;
  for (const int j : robot.moving_joints())
    units.push_back(joint_unit(robot.joints[static_cast<std::size_t>(j)], degrees));
  return units;
}

std::vector<double> position_units(const Robot& robot, bool degrees) {
  std::vector<double> units = joint_units(robot, degrees);
  if (robot.floating.empty()) return units;
  units.erase(units.begin(), units.begin() + base_joints);
  units.insert(units.begin(), base_joints + 1, 1.0);
  return units;
}

std::vector<double> column_units(std::span<const InputInfo> inputs, const Robot& robot, bool degrees) {
  std::vector<double> units;
  for (const InputInfo& info : inputs) {
    const bool turned = degrees && info.is_angle();
    const std::vector<double> own = info.input == Input::q ? position_units(robot, turned) : joint_units(robot, turned);
    units.insert(units.end(), own.begin(), own.end());
  }
  return units;
}

namespace {

bool by_name(std::string_view text) { return text.find('=') != std::string_view::npos; }

// What the numbers belong to: positions, or any quantity with one entry per joint.
struct Entries {
  std::vector<std::string> names;
  std::vector<double> units;
};
Entries of_joints(const Robot& robot, bool degrees) { return {joint_names(robot), joint_units(robot, degrees)}; }

std::vector<double> set_by_name(std::string_view text, std::string_view option, const Robot& robot,
                                const Entries& entries, std::vector<double> values) {
  const auto& [names, units] = entries;
  std::vector<bool> given(names.size(), false);
  for (const NamedNumber& part : parse_named(text, option)) {
    if (const int k = robot.joint_index(part.name); k >= 0 && robot.joints[static_cast<std::size_t>(k)].is_coupled())
      throw UsageError(fmt::format("{}: {} and follows it; it has no value of its own", option,
                                   coupled_words(robot.joints[static_cast<std::size_t>(k)])));
    const std::size_t j = joint_position(part.name, option, names);
    if (given[j]) throw UsageError(fmt::format("{}: joint '{}' is given twice", option, printable(part.name)));
    given[j] = true;
    values[j] = part.value * units[j];
  }
  return values;
}

}  // namespace

namespace {

std::vector<double> vector_of(const std::optional<std::string>& text, std::string_view option, const Robot& robot,
                              const Entries& entries, std::vector<double> otherwise) {
  const auto& [names, units] = entries;
  if (!text) return otherwise;
  if (by_name(*text)) return set_by_name(*text, option, robot, entries, std::move(otherwise));
  std::vector<double> values = parse_numbers(*text, option);
  if (values.size() != units.size())
    throw UsageError(fmt::format("{} has {} number{}; {} takes {} ({})", option, values.size(),
                                 values.size() == 1 ? "" : "s", robot.name, units.size(), fmt::join(names, ", ")));
  for (std::size_t j = 0; j < values.size(); ++j) values[j] *= units[j];
  return values;
}

}  // namespace

std::vector<double> joint_vector(const std::optional<std::string>& text, std::string_view option, const Robot& robot,
                                 bool degrees) {
  const Entries entries = of_joints(robot, degrees);
  return vector_of(text, option, robot, entries, std::vector<double>(entries.units.size(), 0.0));
}

std::vector<double> position_vector(const std::optional<std::string>& text, std::string_view option, const Robot& robot,
                                    bool degrees) {
  const Entries entries{position_names(robot), position_units(robot, degrees)};
  std::vector<double> zeros(entries.units.size(), 0.0);
  if (!robot.floating.empty()) zeros[base_joints] = 1.0;
  std::vector<double> values = vector_of(text, option, robot, entries, std::move(zeros));
  try {
    if (!robot.floating.empty()) require_unit_quaternion<double>(values);
  } catch (const std::invalid_argument& error) {
    throw UsageError(fmt::format("{}: {}", option, error.what()));
  }
  if (text) question_positions(values, option, robot, degrees);
  return values;
}

std::vector<double> one_or_all(const std::string& text, std::string_view option, const Robot& robot, bool degrees,
                               std::vector<double> others) {
  if (by_name(text)) return set_by_name(text, option, robot, of_joints(robot, degrees), std::move(others));
  const std::vector<double> numbers = parse_numbers(text, option);
  if (numbers.size() != 1) return joint_vector(text, option, robot, degrees);
  std::vector<double> values = joint_units(robot, degrees);
  for (double& value : values) value *= numbers.front();
  return values;
}

}  // namespace catena::cli
