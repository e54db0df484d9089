// Numbers as people type them: comma-separated, in radians or degrees.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "catena/job.hpp"
#include "catena/math/vec3.hpp"
#include "catena/robot.hpp"

namespace catena::cli {

// "0.1,-2e-3, 4" as numbers; `option` is named in messages. Throws UsageError on anything else, including NaN and
// infinity.
std::vector<double> parse_numbers(std::string_view text, std::string_view option);
Vec3<double> parse_vec3(std::string_view text, std::string_view option);

// Radians per unit of each joint's number as typed: π/180 for revolute joints where `degrees`, else 1.
std::vector<double> joint_units(const Robot& robot, bool degrees);
// The same for each entry of q, where the base may be free: as many entries as position_names(robot).
std::vector<double> position_units(const Robot& robot, bool degrees);
double joint_unit(const JointDescription& joint, bool degrees);
// The same for each column of a table with these inputs: torques are never in degrees.
std::vector<double> column_units(std::span<const InputInfo> inputs, const Robot& robot, bool degrees);

// "elbow=0.5,wrist=1", split. Throws UsageError where an item has no name.
struct NamedNumber {
  std::string name;
  double value = 0.0;
};
std::vector<NamedNumber> parse_named(std::string_view text, std::string_view option);

std::vector<std::string> joint_names(const Robot& robot);  // in the order of q
std::string coupled_words(const JointDescription& joint);  // "joint 'right' is coupled to 'left'"
// The index of a joint in q. Throws UsageError with the nearest name.
std::size_t joint_position(const std::string& name, std::string_view option, const std::vector<std::string>& names);

// One number per joint, or some by name, "elbow=0.5,wrist=1", the others 0; in radians and metres; all zero when the
// option is not given.
std::vector<double> joint_vector(const std::optional<std::string>& text, std::string_view option, const Robot& robot,
                                 bool degrees);

// The same for positions: a free base is at the origin of the world and not rotated unless the text says otherwise,
// and the quaternion must have length 1.
std::vector<double> position_vector(const std::optional<std::string>& text, std::string_view option, const Robot& robot,
                                    bool degrees);

// The same, or one number for all joints; joints that are not named keep their entry of `others`.
std::vector<double> one_or_all(const std::string& text, std::string_view option, const Robot& robot, bool degrees,
                               std::vector<double> others);

}  // namespace catena::cli
