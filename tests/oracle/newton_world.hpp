// Oracle (a): Newton's law for particles, in the world, from the Robot as it was described.
//
// Every link, merged or not, is replaced by 13 particles with the same mass, mass centre and inertia. With x the place
// of a particle in the world (the base link frame) and joints numbered from the base outward,
//
//   ∂x/∂q_k        = e_k x (x - o_k)  (revolute)  or  e_k  (prismatic)
//   ∂²x/∂q_j∂q_k   = e_j x ∂x/∂q_k    for j <= k, j revolute; zero for j prismatic
//   ẍ              = Σ_k ∂x/∂q_k q̈_k + Σ_jk ∂²x/∂q_j∂q_k q̇_j q̇_k
//   τ_k            = Σ over particles  m ∂x/∂q_k · (ẍ - g)          (virtual work)
//
// No angular velocity is propagated, no Euler equation, no inertia tensor, no link frame and no recursion of forces:
// nothing that a formulation of the library uses. Only the numbers of the Robot are read. All in long double.
#pragma once

#include <array>
#include <span>
#include <vector>

#include "catena/robot.hpp"

namespace oracle {

using Vector = std::vector<double>;
using Matrix = std::vector<std::vector<double>>;
using Triple = std::array<double, 3>;

// What the environment exerts on a frame at its origin. Frames: the links of the robot first, then its named frames.
struct Push {
  int frame = 0;
  Triple force{}, moment{};
  bool world_axes = false;
};

enum class Drives { included, left_out };  // friction and rotors

struct Torques {
  Vector tau;
  Vector scale;  // of each torque: the sum of the magnitudes that were added up, arms taken along the robot
};

Torques inverse_dynamics(const catena::Robot& robot, std::span<const double> q, std::span<const double> qd,
                         std::span<const double> qdd, std::span<const Push> pushes = {},
                         Drives drives = Drives::included);

Matrix inertia_matrix(const catena::Robot& robot, std::span<const double> q, Drives drives = Drives::included);
Vector gravity(const catena::Robot& robot, std::span<const double> q);  // ∂U/∂q
Vector bias(const catena::Robot& robot, std::span<const double> q, std::span<const double> qd,
            Drives drives = Drives::included);  // τ at q̈ = 0

// Of the links that move; the potential is zero with every mass centre at the origin of the base link frame.
double kinetic_energy(const catena::Robot& robot, std::span<const double> q, std::span<const double> qd);
double potential_energy(const catena::Robot& robot, std::span<const double> q);

struct Momentum {
  Triple linear{}, angular{};  // angular: about the origin of the base link frame
};
Momentum momentum(const catena::Robot& robot, std::span<const double> q, std::span<const double> qd);

struct FramePlace {
  std::array<Triple, 3> rotation{};  // rows of world from frame
  Triple origin{};
};
FramePlace frame_place(const catena::Robot& robot, std::span<const double> q, int frame);

}  // namespace oracle
