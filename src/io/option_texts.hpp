// Numbers and names as people type them: comma-separated, in radians or degrees; and what to say of a slip.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "catena/math/vec3.hpp"
#include "catena/robot.hpp"

namespace catena::io {

// The parts between separators, empty ones included: "a,,b" has three.
std::vector<std::string> split(std::string_view text, char separator);

// "; did you mean 'X'?" when a known word is near, else "; known: A, B, …".
std::string suggest(const std::string& word, const std::vector<std::string>& known);

// "0.1,-2e-3, 4" as numbers; `option` is named in messages. Throws OptionError on anything else, including NaN and
// infinity.
double parse_number(std::string_view text, std::string_view option);
std::vector<double> parse_numbers(std::string_view text, std::string_view option);
Vec3<double> parse_vec3(std::string_view text, std::string_view option);

// "elbow=0.5,wrist=1", split. Throws OptionError where an item has no name.
struct NamedNumber {
  std::string name;
  double value = 0.0;
};
std::vector<NamedNumber> parse_named(std::string_view text, std::string_view option);

// Radians per unit of a joint's number as typed: π/180 for a revolute joint where `degrees`, else 1.
double joint_unit(const JointDescription& joint, bool degrees);
std::vector<std::string> joint_names(const Robot& robot);  // in the order of q
std::string coupled_words(const JointDescription& joint);  // "joint 'right' is coupled to 'left'"
// The index of a joint in q. Throws OptionError with the nearest name.
std::size_t joint_position(const std::string& name, std::string_view option, const std::vector<std::string>& names);

// A link by name; and a link, a frame or "tool" by name. Both throw OptionError with the nearest name.
int require_link(const Robot& robot, const std::string& name, std::string_view option);
std::string frame_to_hang_on(const Robot& robot, const std::string& name, std::string_view option);

}  // namespace catena::io
