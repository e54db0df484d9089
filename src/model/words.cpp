#include "model/words.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstddef>

namespace catena::words {
namespace {

// Length in bytes of the first character of a text, if it is well-formed UTF-8 and not a control character, which every
// output format can represent. 0 for anything else.
std::size_t printable_prefix(std::string_view text) {
  const auto byte = [&](std::size_t k) { return k < text.size() ? static_cast<unsigned char>(text[k]) : 0U; };
  const unsigned lead = byte(0);
  if (lead < 0x80) return lead < 0x20 || lead == 0x7F ? 0 : 1;
  if (lead < 0xC2 || lead > 0xF4) return 0;
  const std::size_t length = lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4;
  for (std::size_t k = 1; k < length; ++k)
    if ((byte(k) & 0xC0U) != 0x80U) return 0;
  const bool overlong = (lead == 0xE0 && byte(1) < 0xA0) || (lead == 0xF0 && byte(1) < 0x90);
  const bool surrogate = lead == 0xED && byte(1) > 0x9F;
  const bool beyond = lead == 0xF4 && byte(1) > 0x8F;
  return overlong || surrogate || beyond ? 0 : length;
}

}  // namespace

std::string text(double value) {
  std::array<char, 32> buffer{};
  return {buffer.data(), std::to_chars(buffer.data(), buffer.data() + buffer.size(), value).ptr};
}
std::string rounded(double value) {
  std::array<char, 32> buffer{};
  return {buffer.data(),
          std::to_chars(buffer.data(), buffer.data() + buffer.size(), value, std::chars_format::general, 6).ptr};
}
std::string text(const Vec3<double>& v) {
  return std::string("[").append(text(v.x) + " " + text(v.y) + " " + text(v.z)).append("]");
}

bool printable(std::string_view name) {
  while (!name.empty()) {
    const std::size_t length = printable_prefix(name);
    if (length == 0) return false;
    name.remove_prefix(length);
  }
  return true;
}

std::string escaped(std::string_view text) {
  constexpr std::string_view digits = "0123456789abcdef";
  std::string out;
  while (!text.empty()) {
    const std::size_t length = printable_prefix(text);
    const auto byte = static_cast<unsigned char>(text.front());
    if (length > 0)
      out += text.substr(0, length);
    else
      out.append("\\x").append(1, digits[byte >> 4U]).append(1, digits[byte & 15U]);
    text.remove_prefix(std::max<std::size_t>(1, length));
  }
  return out;
}

std::string one_line(std::string_view message) {
  constexpr std::size_t longest = 2000;
  std::size_t cut = std::min(message.size(), longest);
  const auto inside = [&] {
    return cut < message.size() && (static_cast<unsigned char>(message[cut]) & 0xC0U) == 0x80U;
  };
  while (cut > 0 && inside()) --cut;  // not in a character
  return escaped(message.substr(0, cut)) + (cut < message.size() ? "..." : "");
}

std::string link_label(const Robot& robot, int k) {
  return "link " + std::to_string(k) + " '" + robot.links[static_cast<std::size_t>(k)].name + "'";
}

std::string joint_label(const JointDescription& joint) { return "joint '" + joint.name + "'"; }

}  // namespace catena::words
