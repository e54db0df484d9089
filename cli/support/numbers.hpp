// Numbers as people type them: comma-separated, in radians or degrees.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "catena/math/vec3.hpp"
#include "catena/model/robot.hpp"

namespace catena::cli {

// "0.1,-2e-3, 4" as numbers; `option` names it in messages. Throws UsageError on anything else, NaN and infinity
// included.
std::vector<double> parse_numbers(std::string_view text, std::string_view option);
Vec3<double> parse_vec3(std::string_view text, std::string_view option);

// Radians per unit of each entry of q as typed: π/180 for revolute joints where `degrees`, else 1.
std::vector<double> joint_units(const Robot& robot, bool degrees);

// One number a joint, in radians and metres; zeros when the option was not given.
std::vector<double> joint_vector(const std::optional<std::string>& text, std::string_view option, const Robot& robot,
                                 bool degrees);

}  // namespace catena::cli
