// Oracle (b): Lagrange's equations, joint by joint, from nothing but the two energies:
//
//   τ_j = d/dt (∂T/∂q̇_j) - ∂T/∂q_j + ∂U/∂q_j
//
// T and U are sums over the links of the Robot as described; the derivatives are exact (hyper-dual numbers, written in
// the .cpp file). Nothing is shared with the library or with oracle (a). Cost grows with n²: meant for robots of up to
// 10 joints.
#pragma once

#include <span>
#include <vector>

#include "catena/robot.hpp"

namespace oracle::lagrange {

// Rigid links only: no friction, no rotors.
std::vector<double> inverse_dynamics(const catena::Robot& robot, std::span<const double> q, std::span<const double> qd,
                                     std::span<const double> qdd);
std::vector<std::vector<double>> inertia_matrix(const catena::Robot& robot, std::span<const double> q);  // ∂²T/∂q̇_i∂q̇_j

}  // namespace oracle::lagrange
