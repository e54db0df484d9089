// The parameters that torques are linear in, 16 for each joint of the tree. First those of the link that the joint
// moves, with everything fixed to it: mass, first moment and inertia in that link's frame as in the model's file, about
// the frame's origin. Then those of its drive.
#pragma once

#include <array>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "catena/mechanism.hpp"

namespace catena {

// θ of a joint: m, m c (3), J about the origin of the link's frame (6), then the parameters of the forces at the joint.
inline constexpr int link_parameters = 10;
inline constexpr int parameters_per_joint = link_parameters + AllForces::parameter_count;

inline constexpr std::array<ParameterInfo, parameters_per_joint> parameter_infos = [] {
  using Kind = ParameterKind;
  const auto mass = [](std::string_view symbol) { return ParameterInfo{symbol, "mass", "kg", "kg", Kind::mass}; };
  const auto moment = [](std::string_view symbol) {
    return ParameterInfo{symbol, "first moment", "kg m", "kg m", Kind::moment};
  };
  const auto inertia = [](std::string_view symbol) {
    return ParameterInfo{symbol, "inertia about the link frame's origin", "kg m^2", "kg m^2", Kind::inertia};
  };
  std::array<ParameterInfo, parameters_per_joint> infos{
      {mass("m{}"), moment("m{} cx{}"), moment("m{} cy{}"), moment("m{} cz{}"), inertia("Jxx{}"), inertia("Jyy{}"),
       inertia("Jzz{}"), inertia("Jxy{}"), inertia("Jxz{}"), inertia("Jyz{}")}};
  std::size_t next = link_parameters;
  AllForces::for_each([&](auto force) {
    for (const ParameterInfo& info : force.parameters) infos[next++] = info;
  });
  return infos;
}();

// The joints of the tree that have parameters: those that carry a moving base have none.
template <class T>
int parameter_joints(const BasicMechanism<T>& robot) {
  return robot.joints() - (robot.coordinates.is_moving() ? base_joints : 0);
}

std::vector<std::string> parameter_names(int joints);              // m1, m1 cx1, …, Jr1, k1, offset1
std::vector<std::string> parameter_units(const Mechanism& robot);  // kg, kg m, kg m^2, …
std::vector<double> standard_parameters(const Mechanism& robot);   // θ of the model

// Whether measurements are asked for it: those of devices only where the model's joint has one
bool is_identified(const Mechanism& robot, int parameter);

}  // namespace catena
