// What a TOML file contains for a joint besides its type and pose: limits, friction, rotor, spring, elasticity, offset,
// motor, and coupling.
#pragma once

#include <array>
#include <string_view>

#include "catena/robot.hpp"
#include "io/toml_section.hpp"

namespace catena::io {

inline constexpr std::array<std::string_view, 9> joint_data_keys{
    "limits", "friction", "rotor", "spring", "torque_offset", "passive", "mimic", "coupling", "elastic"};

// The joint's type is already set. degrees: angles in the file are in degrees.
void read_joint_data(TomlSection& section, bool degrees, JointDescription& joint);

}  // namespace catena::io
