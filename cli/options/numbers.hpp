// Numbers as people type them: comma-separated, in radians or degrees.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "catena/job.hpp"
#include "catena/robot.hpp"
#include "io/option_texts.hpp"

namespace catena::cli {

using io::coupled_words;
using io::joint_names;
using io::joint_position;
using io::joint_unit;
using io::NamedNumber;
using io::parse_named;
using io::parse_numbers;
using io::parse_vec3;

// Radians per unit of each joint's number as typed: π/180 for revolute joints where `degrees`, else 1.
std::vector<double> joint_units(const Robot& robot, bool degrees);
// The same for each entry of q, where the base may be free: as many entries as position_names(robot).
std::vector<double> position_units(const Robot& robot, bool degrees);
// The same for each column of a table with these inputs: torques are never in degrees.
std::vector<double> column_units(std::span<const InputInfo> inputs, const Robot& robot, bool degrees);

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
