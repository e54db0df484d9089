// The parameters that torques are linear in, 13 for each joint in the order of q: of the link that it moves, and of
// everything fixed to that link, mass, first moment and inertia in the frame of that link as the model's file has it,
// about the frame's origin; then what its drive has.
#pragma once

#include <array>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "catena/model/mechanism.hpp"

namespace catena {

// θ of a joint: m, m c (3), J about the origin of the link's frame (6), viscous and dry friction, reflected rotor.
inline constexpr int parameters_per_joint = 13;
inline constexpr int link_parameters = 10;  // the first ones, of the link

enum class ParameterKind { mass, moment, inertia, viscous, coulomb, rotor };
struct ParameterInfo {
  std::string_view symbol;  // {} stands for the joint's number
  std::string_view words;
  ParameterKind kind;
};
inline constexpr std::array<ParameterInfo, parameters_per_joint> parameter_infos{{
    {"m{}", "mass", ParameterKind::mass},
    {"m{} cx{}", "first moment", ParameterKind::moment},
    {"m{} cy{}", "first moment", ParameterKind::moment},
    {"m{} cz{}", "first moment", ParameterKind::moment},
    {"Jxx{}", "inertia about the link frame's origin", ParameterKind::inertia},
    {"Jyy{}", "inertia about the link frame's origin", ParameterKind::inertia},
    {"Jzz{}", "inertia about the link frame's origin", ParameterKind::inertia},
    {"Jxy{}", "inertia about the link frame's origin", ParameterKind::inertia},
    {"Jxz{}", "inertia about the link frame's origin", ParameterKind::inertia},
    {"Jyz{}", "inertia about the link frame's origin", ParameterKind::inertia},
    {"fv{}", "viscous friction", ParameterKind::viscous},
    {"fc{}", "dry friction", ParameterKind::coulomb},
    {"Jr{}", "reflected inertia of the rotor", ParameterKind::rotor},
}};

std::vector<std::string> parameter_names(int joints);              // m1, m1 cx1, …, Jr1, m2, …
std::vector<std::string> parameter_units(const Mechanism& robot);  // kg, kg m, kg m^2, …
std::vector<double> standard_parameters(const Mechanism& robot);   // θ as the model has it

}  // namespace catena
