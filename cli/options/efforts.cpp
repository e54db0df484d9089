#include "options/efforts.hpp"

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <algorithm>

#include "command.hpp"
#include "model/find_frame.hpp"
#include "options/companions.hpp"
#include "options/numbers.hpp"
#include "output/output.hpp"
#include "terminal/errors.hpp"

namespace catena::cli {
namespace {

// FRAME:fx,fy,fz,mx,my,mz. A frame's name may contain a colon, the numbers may not.
ExternalWrench<double> parse_wrench(const std::string& text, const Mechanism& robot, Axes axes) {
  const std::size_t colon = text.rfind(':');
  if (colon == std::string::npos)
    throw UsageError(fmt::format("--wrench '{}': write FRAME:fx,fy,fz,mx,my,mz", printable(text)));
  const std::string frame = text.substr(0, colon);
  const int index = find_frame(robot, frame);
  if (index < 0) {
    std::vector<std::string> names;
    for (const auto& f : robot.frames) names.push_back(f.name);
    throw UsageError(fmt::format("--wrench: {} has no frame '{}'; its frames are {}", robot.name, printable(frame),
                                 fmt::join(names, ", ")));
  }
  const std::vector<double> v = parse_numbers(std::string_view(text).substr(colon + 1), "--wrench");
  if (v.size() != 6)
    throw UsageError(fmt::format("--wrench '{}' has {} numbers; give fx,fy,fz,mx,my,mz", printable(text), v.size()));
  return {index, {v[0], v[1], v[2]}, {v[3], v[4], v[5]}, axes};
}

}  // namespace

void WrenchOptions::add(CLI::App& command, bool over_time) {
  command.add_option("--wrench", texts, "force and moment of the environment on a frame, at its origin; repeatable")
      ->type_name("FRAME:fx,fy,fz,mx,my,mz")
      ->allow_extra_args(false);
  if (over_time)
    command
        .add_option("--wrench-table", tables,
                    "the same over time: CSV with the columns t,fx,fy,fz,mx,my,mz, or .npy with these seven; straight "
                    "lines between rows, the first and the last hold outside; repeatable")
        ->type_name("FRAME:FILE")
        ->allow_extra_args(false);
  command.add_option("--wrench-axes", axes, "axes of the wrenches: the frame's own (default) or the base's")
      ->check(one_of({"frame", "world"}))
      ->type_name("frame|world");
  std::vector<std::string> companions{"--wrench"};
  if (over_time) companions.emplace_back("--wrench-table");
  goes_with(command, "--wrench-axes", companions);
}

std::vector<ExternalWrench<double>> WrenchOptions::parse(const Mechanism& robot) const {
  std::vector<ExternalWrench<double>> wrenches;
  for (const std::string& text : texts)
    wrenches.push_back(parse_wrench(text, robot, axes == "world" ? Axes::world : Axes::frame));
  return wrenches;
}

void add_method(CLI::App& command, std::string& method) {
  command.add_option("--method", method, "formulation, see 'catena methods'; default the fastest")->type_name("NAME");
}

void require_method(const std::string& method, std::string_view job) {
  if (method.empty()) return;
  std::vector<std::string> names;
  for (const FormulationInfo& f : formulations(job)) names.emplace_back(f.name);
  if (std::find(names.begin(), names.end(), method) == names.end())
    throw UsageError(
        fmt::format("--method: no formulation '{}' of {}{}", printable(method), job, suggest(method, names)));
}

std::string_view unit_of(const Robot& robot, std::size_t q, const Unit& unit) {
  const auto joint = static_cast<std::size_t>(robot.moving_joints()[q]);
  return robot.joints[joint].type == JointType::prismatic ? unit.sliding : unit.turning;
}

std::string tree_text(const Mechanism& robot, std::span<const double> values, const std::string& title,
                      const Unit& unit) {
  TextTable table;
  table.column("joint", TextTable::Align::left);
  table.column(title);
  table.column("", TextTable::Align::left);
  for (const TreeJoint j : robot.all_joints())
    table.row({robot.joint_names[j], fmt::format("{:.10g}", values[index(j)]),
               std::string(robot.link(robot.link_of(j)).revolute ? unit.turning : unit.sliding)});
  return table.text();
}
std::string joint_text(const Robot& robot, std::span<const double> values, const std::string& title, const Unit& unit) {
  TextTable table;
  table.column("joint", TextTable::Align::left);
  table.column(title);
  table.column("", TextTable::Align::left);
  const std::vector<int> moving = robot.moving_joints();
  for (std::size_t j = 0; j < values.size(); ++j)
    table.row({robot.joints[static_cast<std::size_t>(moving[j])].name, fmt::format("{:.10g}", values[j]),
               std::string(unit_of(robot, j, unit))});
  return table.text();
}

}  // namespace catena::cli
