#include "io/formats.hpp"

#include <algorithm>
#include <filesystem>

#include "io/text.hpp"
#include "io/xacro.hpp"

namespace catena::io {
namespace {

constexpr std::string_view urdf_endings[] = {".urdf", ".xml"}, toml_endings[] = {".toml"},
                           mjcf_endings[] = {".xml", ".mjcf"}, sdf_endings[] = {".sdf", ".world"},
                           xacro_endings[] = {".xacro"};

bool is_xml(std::string_view text) { return text.starts_with('<'); }
// Its first element, behind what may stand before it, begins so.
bool starts_with(std::string_view text, std::string_view element) {
  for (text = trimmed(text); text.starts_with("<?") || text.starts_with("<!"); text = trimmed(text)) {
    const std::string_view end = text.starts_with("<?") ? "?>" : text.starts_with("<!--") ? "-->" : ">";
    text.remove_prefix(std::min(text.find(end), text.size() - end.size()) + end.size());
  }
  return text.starts_with(element);
}
bool is_mjcf(std::string_view text) { return starts_with(text, "<mujoco"); }
bool is_sdf(std::string_view text) { return starts_with(text, "<sdf"); }
bool is_anything(std::string_view) { return true; }

constexpr RobotFormat list[] = {
    {"xacro", xacro_endings, is_xacro, nullptr, nullptr, nullptr, expand_xacro},
    {"sdf", sdf_endings, is_sdf, read_sdf, nullptr, sdf_visuals},
    {"mjcf", mjcf_endings, is_mjcf, read_mjcf, to_mjcf, mjcf_visuals},
    {"urdf", urdf_endings, is_xml, read_urdf, to_urdf, urdf_visuals},
    {"toml", toml_endings, is_anything, read_toml, to_toml},
};

}  // namespace

std::span<const RobotFormat> formats() { return list; }

bool ends_as(const RobotFormat& format, std::string_view path) {
  const std::string ending = std::filesystem::path(path).extension().string();
  return std::find(format.endings.begin(), format.endings.end(), ending) != format.endings.end();
}

std::vector<std::string> endings() {
  std::vector<std::string> all;
  for (const RobotFormat& format : list) all.insert(all.begin(), format.endings.begin(), format.endings.end());
  return all;
}

bool has_ending(std::string_view path) {
  return std::any_of(std::begin(list), std::end(list), [&](const RobotFormat& f) { return ends_as(f, path); });
}

const RobotFormat& format_of(std::string_view path, std::string_view text) {
  constexpr std::string_view byte_order_mark = "\xEF\xBB\xBF";
  if (text.starts_with(byte_order_mark)) text.remove_prefix(byte_order_mark.size());
  text = trimmed(text);
  const bool ended = has_ending(path);
  const RobotFormat* last = std::end(list) - 1;
  for (const RobotFormat& format : list) {
    if (ended && !ends_as(format, path)) continue;
    if (format.is_one(text)) return format;
    last = &format;
  }
  return *last;
}

const RobotFormat* format_to_write(std::string_view path) {
  for (const RobotFormat& format : list)
    if (format.write != nullptr && ends_as(format, path)) return &format;
  return nullptr;
}

const RobotFormat* format_named(std::string_view name) {
  for (const RobotFormat& format : list)
    if (format.write != nullptr && format.name == name) return &format;
  return nullptr;
}

std::vector<std::string> format_names() {
  std::vector<std::string> names;
  for (const RobotFormat& format : list)
    if (format.write != nullptr) names.insert(names.begin(), std::string(format.name));
  return names;
}

std::string endings_in_words(Use use) {
  std::string words;
  for (const RobotFormat& format : list) {
    if (use == Use::writing && format.write == nullptr) continue;
    const bool listed = words.find(" or ") < words.size();
    words = std::string(format.endings.front()) + (words.empty() ? "" : listed ? ", " : " or ") + words;
  }
  return words;
}

}  // namespace catena::io
