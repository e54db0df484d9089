// The formats of robot files, listed once: everything that reads, writes or names them uses this list.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "catena/robot.hpp"
#include "io/reading.hpp"

namespace catena::io {

struct RobotFormat {
  std::string_view name;  // toml
  std::span<const std::string_view> endings;
  bool (*is_one)(std::string_view text);  // whether the text begins like this format
  Reading (*read)(std::string_view text);
  std::string (*write)(const Robot& robot);
};

// The last one accepts what no other format does.
std::span<const RobotFormat> formats();
const RobotFormat* format_by_ending(std::string_view path);  // null: no format has this ending
const RobotFormat& format_by_content(std::string_view text);

// "toml", "urdf", …; and ".toml or .urdf": the first ending of each.
std::vector<std::string> format_names();
std::string endings_in_words();

}  // namespace catena::io
