#include "io/formats.hpp"

#include <filesystem>

#include "catena/robot_file.hpp"
#include "io/text.hpp"

namespace catena::io {
namespace {

constexpr std::string_view urdf_endings[] = {".urdf", ".xml"}, toml_endings[] = {".toml"};

bool is_xml(std::string_view text) { return text.starts_with('<'); }
bool is_anything(std::string_view) { return true; }

constexpr RobotFormat list[] = {
    {"urdf", urdf_endings, is_xml, read_urdf, to_urdf},
    {"toml", toml_endings, is_anything, read_toml, to_toml},
};

}  // namespace

std::span<const RobotFormat> formats() { return list; }

const RobotFormat* format_by_ending(std::string_view path) {
  const std::string ending = std::filesystem::path(path).extension().string();
  for (const RobotFormat& format : list)
    for (const std::string_view own : format.endings)
      if (own == ending) return &format;
  return nullptr;
}

const RobotFormat& format_by_content(std::string_view text) {
  constexpr std::string_view byte_order_mark = "\xEF\xBB\xBF";
  if (text.starts_with(byte_order_mark)) text.remove_prefix(byte_order_mark.size());
  for (const RobotFormat& format : list)
    if (format.is_one(trimmed(text))) return format;
  return std::end(list)[-1];
}

std::vector<std::string> format_names() {
  std::vector<std::string> names;
  for (const RobotFormat& format : list) names.insert(names.begin(), std::string(format.name));
  return names;
}

std::string endings_in_words() {
  std::string words;
  for (const RobotFormat& format : list)
    words = std::string(format.endings.front()) +
            (words.empty()                       ? ""
             : words.find(" or ") < words.size() ? ", "
                                                 : " or ") +
            words;
  return words;
}

}  // namespace catena::io
