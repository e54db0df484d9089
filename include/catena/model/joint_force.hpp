// What acts at a joint of the tree beside the rigid links. A force is a function of what its joint does; a header in
// model/forces/ says it once, and model/forces.hpp lists it:
//
//   Constants<T>                  what it has for each joint; acts(): whether it does anything; cast<U>()
//   of(drive)                     these, from what a person wrote
//   more                          names in JointDrive::more that it reads, where it has some
//   torque(c, x)                  what the joint must bring for it, at x = (q, q̇, q̈)
//
// and, where it has them:
//
//   inertia(c)                    ∂τ/∂q̈, the same in every state
//   damping(c), stiffness(c, q)   ∂τ/∂q̇, ∂τ/∂q
//   kinetic_energy(c, qd)
//   potential_energy(c, q)
//   holds(c, q)                   its torque at rest
//   parameters, columns(x), values(c)    what torques are linear in: names, ∂τ/∂θ, θ
#pragma once

#include <array>
#include <string_view>

#include "catena/robot.hpp"
#include "catena/scalar/scalar.hpp"

namespace catena {

template <class S>
struct JointState {
  S q, qd, qdd;
};

enum class ParameterKind { mass, moment, inertia, force };
struct ParameterInfo {
  std::string_view symbol;  // {} stands for the joint's number
  std::string_view words;
  std::string_view turning, sliding;  // its unit, where the joint turns and where it slides
  ParameterKind kind = ParameterKind::force;
};

}  // namespace catena
