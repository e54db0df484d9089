// Forces at a joint of the tree in addition to those of the rigid links. A force depends only on its own joint's
// motion; a header in model/forces/ defines it once, and model/forces.hpp lists it:
//
//   Constants<T>                  its constants for each joint; acts(): whether it has any effect; cast<U>()
//   of(drive)                     these constants, from what the user wrote
//   more                          the names in JointDrive::more that it reads, if any
//   torque(c, x)                  the torque the joint must apply for it, at x = (q, q̇, q̈)
//
// and, if they exist:
//
//   inertia(c)                    ∂τ/∂q̈, the same in every state
//   damping(c, qd), stiffness(c, q)      ∂τ/∂q̇, ∂τ/∂q
//   kinetic_energy(c, qd)
//   potential_energy(c, q)
//   holds(c, q)                   its torque at rest
//   parameters, columns(c, x), values(c)    the parameters that torques are linear in: names, ∂τ/∂θ, θ
//   vary(nominal, c, visit), set(nominal, c, θ)    its constants that may differ from robot to robot, visit(constant)
//                                                  for each; and these from θ: model/varied.hpp
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

enum class ParameterKind {
  mass,
  moment,
  inertia,
  force,         // of every joint, and not negative: friction, rotors
  device,        // of joints whose model has a value: springs, Stribeck friction. Not negative
  signed_device  // of joints where the force acts, of either sign: offsets
};
struct ParameterInfo {
  std::string_view symbol;  // {} is replaced by the joint's number
  std::string_view words;
  std::string_view turning, sliding;  // its unit, if the joint turns and if it slides
  ParameterKind kind = ParameterKind::force;
};

}  // namespace catena
