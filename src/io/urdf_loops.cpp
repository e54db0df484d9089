#include "io/urdf_loops.hpp"

#include <fmt/format.h>

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "io/text.hpp"

namespace catena::io {
namespace {

constexpr std::array<std::string_view, 2> loop_attributes{"name", "type"};
constexpr std::array<std::string_view, 1> loop_children{"frame"};
constexpr std::array<std::string_view, 1> frame_attributes{"name"};
constexpr std::array<std::string_view, 1> joints_children{"joint"};
constexpr std::array<std::string_view, 1> independent_attributes{"name"};
constexpr std::array<std::string_view, 2> start_attributes{"name", "position"};

LoopType read_loop_type(const UrdfElement& element) {
  const std::optional<std::string> name = element.required_text("type");
  if (!name) return LoopType::revolute;
  const std::optional<LoopType> type = loop_type(*name);
  if (!type) element.error(unknown_loop_type(*name));
  return type.value_or(LoopType::revolute);
}

// <loop name="closure" type="revolute"><frame name="a"/><frame name="b"/></loop>
void read_loop(UrdfElement element, std::size_t number, Robot& robot) {
  LoopDescription loop;
  loop.name = element.text("name").value_or(fmt::format("loop{}", number));
  loop.line = element.line();
  element.rename(fmt::format("loop {}: ", quoted(loop.name)));
  element.check_names(loop_children, loop_attributes);
  loop.type = read_loop_type(element);
  const std::vector<UrdfElement> frames = element.children("frame");
  if (frames.size() != 2)
    return element.error(fmt::format("<loop> must have two children <frame name=\"...\"/>, not {}", frames.size()));
  bool complete = true;
  for (std::size_t k = 0; k < 2; ++k) {
    frames[k].check_names({}, frame_attributes);
    const std::optional<std::string> name = frames[k].required_text("name");
    complete = complete && name;
    loop.frames[k] = name.value_or("");
  }
  if (complete) robot.loops.push_back(std::move(loop));
}

// The <joint> children of <independent> or <start>.
std::vector<UrdfElement> joints_of(UrdfElement element, std::string_view who,
                                   std::span<const std::string_view> attributes, std::string_view example) {
  element.rename(fmt::format("{}: ", who));
  element.check_names(joints_children, {});
  std::vector<UrdfElement> joints = element.children("joint");
  if (joints.empty()) element.error(fmt::format("{} has no <joint>; write {} for each joint", element.tag(), example));
  for (const UrdfElement& joint : joints) joint.check_names({}, attributes);
  return joints;
}

void read_start(const UrdfElement& element, Robot& robot) {
  for (const UrdfElement& joint :
       joints_of(element, "start", start_attributes, R"(<joint name="..." position="..."/>)")) {
    const std::optional<std::string> name = joint.required_text("name");
    const std::optional<double> position = joint.required_number("position");
    if (name && position && !robot.start.try_emplace(*name, *position).second)
      joint.error(fmt::format("joint {} is given twice", quoted(*name)));
  }
}

}  // namespace

void read_loops(const UrdfElement& own, Robot& robot) {
  std::size_t number = 0;
  for (const UrdfElement& loop : own.children("loop")) read_loop(loop, ++number, robot);
  if (const auto independent = own.child("independent"))
    for (const UrdfElement& joint :
         joints_of(*independent, "independent", independent_attributes, R"(<joint name="..."/>)"))
      if (auto name = joint.required_text("name")) robot.independent.push_back(std::move(*name));
  if (const auto start = own.child("start")) read_start(*start, robot);
}

}  // namespace catena::io
