// Oracle (c): forward dynamics in 113 bits, from the Robot as it was described, for robots whose inertia matrix is so
// ill-conditioned that double or long double would say nothing.
//
// In the world: Jacobians of every mass centre, M = Σ m JᵥᵀJᵥ + JωᵀIJω, the bias from the accelerations that the speeds
// bring, and Gaussian elimination with pivots. No code of the library but the numbers of the Robot; joints that turn or
// slide, in any tree, coupled to joints that are not, rotors and viscous friction; neither loops nor a free base.
#pragma once

#include <span>
#include <vector>

#include "catena/robot.hpp"

namespace oracle {

struct WideAccelerations {
  std::vector<double> qdd;  // rounded once, at the end
  double condition = 0.0;  // ‖S‖ ‖S⁻¹‖ in rows, S = M scaled to a unit diagonal: what bounds the error of an LDLᵀ
};
// By coordinate: the joints that are not coupled.
WideAccelerations wide_forward_dynamics(const catena::Robot& robot, std::span<const double> q,
                                        std::span<const double> qd, std::span<const double> tau);

}  // namespace oracle
