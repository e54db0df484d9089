#include "io/toml_loops.hpp"

#include <fmt/format.h>

#include <array>
#include <numbers>
#include <utility>
#include <vector>

#include "io/text.hpp"

namespace catena::io {
namespace {

constexpr std::array<std::string_view, 3> loop_keys{"name", "type", "frames"};

LoopType read_loop_type(TomlSection& section) {
  const std::optional<std::string> name = section.text("type");
  if (!section.has("type")) section.error("type", fmt::format("type is missing; give {}", loop_type_choices()));
  if (!name) return LoopType::revolute;
  const std::optional<LoopType> type = loop_type(*name);
  if (!type) section.error("type", unknown_loop_type(*name));
  return type.value_or(LoopType::revolute);
}

std::optional<std::array<std::string, 2>> read_loop_frames(TomlSection& section) {
  if (!section.has("frames"))
    section.error("frames", R"(frames is missing; name the two frames or links that meet, frames = ["a", "b"])");
  const std::optional<std::vector<std::string>> names = section.texts("frames");
  if (!names) return std::nullopt;
  if (names->size() == 2) return std::array{names->front(), names->back()};
  section.error("frames", fmt::format("frames must be two names of frames or links, not {}", names->size()));
  return std::nullopt;
}

void read_start(TomlSection& root, bool degrees, Robot& robot) {
  const toml::node* node = root.find("start");
  if (node == nullptr) return;
  if (!node->is_table())
    return root.error("start", "start must name joints, each with its position: start = { rocker = 1.6 }");
  const std::vector<std::string> names = root.keys_of("start");
  auto joints = root.subtable("start", std::vector<std::string_view>(names.begin(), names.end()));
  for (const std::string& name : names) {
    const std::optional<double> position = joints->number(name);
    const int k = robot.joint_index(name);
    const bool turns = k >= 0 && robot.joints[static_cast<std::size_t>(k)].type == JointType::revolute;
    if (position) robot.start[name] = degrees && turns ? *position * std::numbers::pi / 180.0 : *position;
  }
}

}  // namespace

void read_loop(Reading& out, const toml::table& table, std::size_t number,
               const std::function<std::string(std::string_view)>& elsewhere) {
  TomlSection section(out, table, fmt::format("loop {}: ", number));
  LoopDescription loop;
  loop.name = section.text("name").value_or(fmt::format("loop{}", number));
  loop.line = section.line();
  section.rename(fmt::format("loop {}: ", io::quoted(loop.name)));
  section.check_keys(loop_keys, [&](std::string_view key) { return key == "frame" ? "" : elsewhere(key); });
  loop.type = read_loop_type(section);
  if (auto frames = read_loop_frames(section)) {
    loop.frames = std::move(*frames);
    out.robot.loops.push_back(std::move(loop));
  }
}

void read_loop_joints(TomlSection& root, bool degrees, Robot& robot) {
  if (auto names = root.texts("independent")) robot.independent = std::move(*names);
  read_start(root, degrees, robot);
}

}  // namespace catena::io
