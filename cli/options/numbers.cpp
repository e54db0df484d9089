#include "options/numbers.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <numbers>

#include "jobs/checks.hpp"
#include "model/free_base.hpp"
#include "states/position_doubt.hpp"
#include "terminal/errors.hpp"
#include "terminal/words.hpp"

namespace catena::cli {
namespace {

std::string_view trimmed(std::string_view text) {
  const auto first = text.find_first_not_of(" \t");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t") - first + 1);
}

double parse_number(std::string_view text, std::string_view option) {
  std::string_view digits = trimmed(text);
  if (digits.starts_with('+')) digits.remove_prefix(1);  // from_chars accepts only the minus sign
  double value = 0.0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  if (error == std::errc::result_out_of_range)
    throw UsageError(fmt::format("{}: '{}' does not fit a double", option, printable(text)));
  if (digits.empty() || error != std::errc{} || end != digits.data() + digits.size())
    throw UsageError(
        fmt::format("{}: '{}' is not a number; write them like 0.1,-2,3e-4", option, printable(trimmed(text))));
  if (!std::isfinite(value)) throw UsageError(fmt::format("{}: '{}' is not finite", option, printable(text)));
  return value;
}

}  // namespace

std::vector<double> parse_numbers(std::string_view text, std::string_view option) {
  std::vector<double> numbers;
  if (trimmed(text).empty()) return numbers;
  for (std::size_t start = 0; start <= text.size();) {
    const std::size_t comma = std::min(text.find(',', start), text.size());
    numbers.push_back(parse_number(text.substr(start, comma - start), option));
    start = comma + 1;
  }
  return numbers;
}

Vec3<double> parse_vec3(std::string_view text, std::string_view option) {
  const std::vector<double> v = parse_numbers(text, option);
  if (v.size() != 3) throw UsageError(fmt::format("{} takes 3 numbers x,y,z, not {}", option, v.size()));
  return {v[0], v[1], v[2]};
}

std::vector<double> joint_units(const Robot& robot, bool degrees) {
  std::vector<double> units;
  for (const int j : robot.moving_joints())
    units.push_back(joint_unit(robot.joints[static_cast<std::size_t>(j)], degrees));
  return units;
}

double joint_unit(const JointDescription& joint, bool degrees) {
  return degrees && joint.type == JointType::revolute ? std::numbers::pi / 180.0 : 1.0;
}

std::vector<std::string> joint_names(const Robot& robot) {
  std::vector<std::string> names;
  for (const int j : robot.moving_joints()) names.push_back(robot.joints[static_cast<std::size_t>(j)].name);
  return names;
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

std::string coupled_words(const JointDescription& joint) {
  std::vector<std::string> masters;
  for (const CouplingTerm& term : joint.coupling.terms) masters.push_back("'" + printable(term.joint) + "'");
  return fmt::format("joint '{}' is coupled to {}", printable(joint.name), fmt::join(masters, ", "));
}

std::size_t joint_position(const std::string& name, std::string_view option, const std::vector<std::string>& names) {
  const auto found = std::find(names.begin(), names.end(), name);
  if (found == names.end())
    throw UsageError(fmt::format("{}: no moving joint '{}'{}", option, printable(name), suggest(name, names)));
  return static_cast<std::size_t>(found - names.begin());
}

std::vector<NamedNumber> parse_named(std::string_view text, std::string_view option) {
  std::vector<NamedNumber> parts;
  for (const std::string& part : split(text, ',')) {
    const std::size_t equals = part.rfind('=');
    if (equals == std::string::npos)
      throw UsageError(fmt::format("{}: '{}' names no joint; write JOINT=NUMBER for each, {}", option, printable(part),
                                   "or plain numbers for all"));
    parts.push_back({std::string(trimmed(std::string_view(part).substr(0, equals))),
                     parse_number(std::string_view(part).substr(equals + 1), option)});
  }
  return parts;
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
      throw UsageError(fmt::format("{}: {} and follows; it has no number of its own", option,
                                   coupled_words(robot.joints[static_cast<std::size_t>(k)])));
    const std::size_t j = joint_position(part.name, option, names);
    if (given[j]) throw UsageError(fmt::format("{}: joint '{}' is there twice", option, printable(part.name)));
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
