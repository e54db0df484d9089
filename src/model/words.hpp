// The wording of messages about a model. Quoted text may come from a broken file.
#pragma once

#include <string>
#include <string_view>

#include "catena/math/vec3.hpp"
#include "catena/robot.hpp"

namespace catena::words {

std::string text(double value);     // the fewest digits that read back as the same number
std::string rounded(double value);  // six digits
std::string text(const Vec3<double>& v);

// Well-formed UTF-8 without control characters, which every output format can represent.
bool printable(std::string_view name);
// The text with unprintable characters as \x1f: one line that a terminal can show.
std::string escaped(std::string_view text);
// The same of a message, which a broken file can make megabytes long: cut.
std::string one_line(std::string_view message);

std::string link_label(const Robot& robot, int k);       // "link 2 'rod'"
std::string joint_label(const JointDescription& joint);  // "joint 'elbow'"
inline std::string quoted(const std::string& name) { return "'" + name + "'"; }

// Kinds of Warning that are used in more than one place.
inline constexpr std::string_view massless_kind = "moves no mass";

}  // namespace catena::words
