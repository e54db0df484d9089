// The formats of robot files, listed once: everything that reads, writes or names them uses this list.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "catena/robot_file.hpp"
#include "io/reading.hpp"
#include "io/visuals.hpp"

namespace catena::io {

struct RobotFormat {
  std::string_view name;  // toml
  std::span<const std::string_view> endings;
  bool (*is_one)(std::string_view text);  // whether the text begins like this format
  Reading (*read)(const RobotText& source);
  std::string (*write)(const Robot& robot);                           // null: only read
  std::vector<Visual> (*visuals)(const RobotText& source) = nullptr;  // what is seen of the links; null: nothing
  // For a language that makes texts of other formats: what it makes of a text, which io::expanded() then reads.
  std::string (*expand)(std::string_view text, const std::string& file, bool is_on_disk,
                        const LoadOptions& options) = nullptr;
};

// The last one accepts what no other format does.
std::span<const RobotFormat> formats();
std::vector<std::string> endings();      // of all formats, ".toml" first
bool has_ending(std::string_view path);  // of one of the formats
// To read: by the ending; of several formats with it, and where no format has it, by how the text begins.
const RobotFormat& format_of(std::string_view path, std::string_view text);
// The first that is written and has this ending: .xml is MJCF, as MuJoCo has it. Null: none.
const RobotFormat* format_to_write(std::string_view path);
bool ends_as(const RobotFormat& format, std::string_view path);

const RobotFormat* format_named(std::string_view name);  // null: none that is written

enum class Use { reading, writing };
std::vector<std::string> format_names();  // that are written: "toml", "urdf", …
// ".toml, .urdf or .xml": the first ending of each.
std::string endings_in_words(Use use);

}  // namespace catena::io
