// Kinematics in the user's frames as an object: placed once for a state, asked as often as one likes. Each of its
// answers is also a job (dynamics/jobs.hpp).
#pragma once

#include <utility>

#include "catena/dynamics/kinematics/placed_links.hpp"

namespace catena {

template <class S>
class Kinematics {
 public:
  explicit Kinematics(MechanismFor<S> robot) : robot_(std::move(robot)), links_(robot_) {}

  int n() const { return robot_.n(); }

  // Places every link. q̇ and q̈ may be left empty where only poses and Jacobians are asked for.
  void update(std::span<const S> q, std::span<const S> qd = {}, std::span<const S> qdd = {}) {
    links_.place(robot_, q, qd, qdd);
  }

  Pose<S> pose(int frame) const { return links_.pose(robot_, frame); }  // world from frame
  FrameMotion<S> motion(int frame) const { return links_.motion(robot_, frame); }

  // columns[j] = (∂v/∂q̇_j, ∂ω/∂q̇_j) of the frame's origin; zero for joints that do not carry the frame.
  void jacobian(int frame, std::span<JacobianColumn<S>> columns) const {
    for (auto& column : columns) column = {};
    links_.jacobian(robot_, frame, [&](int j, const JacobianColumn<S>& column) { columns[index(j)] = column; });
  }
  // The time derivative of jacobian(); update() must have seen q̇.
  void jacobian_derivative(int frame, std::span<JacobianColumn<S>> columns) const {
    for (auto& column : columns) column = {};
    links_.jacobian_derivative(robot_, frame,
                               [&](int j, const JacobianColumn<S>& column) { columns[index(j)] = column; });
  }

  S kinetic_energy() const { return links_.kinetic_energy(robot_); }  // of the links; update() must have seen q̇
  S potential_energy() const { return links_.potential_energy(robot_); }

 private:
  MechanismFor<S> robot_;
  PlacedLinks<S> links_;
};

}  // namespace catena
