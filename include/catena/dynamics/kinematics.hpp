// Kinematics in the user's frames as an object: placed once for a state, asked as often as one likes. Each of its
// answers is also a job (dynamics/jobs.hpp).
#pragma once

#include <optional>

#include "catena/dynamics/around/projection.hpp"
#include "catena/dynamics/kinematics/placed_links.hpp"

namespace catena {

template <class S>
class Kinematics {
 public:
  explicit Kinematics(const MechanismFor<S>& robot) : robot_(tree_of(robot)), links_(robot_) {
    if (robot.is_coupled()) coupling_.emplace(robot);
  }

  int n() const { return coupling_ ? coupling_->nv() : robot_.n(); }

  // Places every link. q̇ and q̈ may be left empty where only poses and Jacobians are asked for.
  void update(std::span<const S> q, std::span<const S> qd = {}, std::span<const S> qdd = {}) {
    const Inputs<S> in{.q = q, .qd = qd, .qdd = qdd}, tree = coupling_ ? coupling_->in_tree(in) : in;
    links_.place(robot_, tree.q, tree.qd, tree.qdd);
  }

  Pose<S> pose(int frame) const { return links_.pose(robot_, frame); }  // world from frame
  FrameMotion<S> motion(int frame) const { return links_.motion(robot_, frame); }

  // columns[j] = (∂v/∂q̇_j, ∂ω/∂q̇_j) of the frame's origin; zero for joints that do not carry the frame.
  void jacobian(int frame, std::span<JacobianColumn<S>> columns) const {
    gather(columns, [&](const auto& give) { links_.jacobian(robot_, frame, give); });
  }
  // The time derivative of jacobian(); update() must have seen q̇.
  void jacobian_derivative(int frame, std::span<JacobianColumn<S>> columns) const {
    gather(columns, [&](const auto& give) { links_.jacobian_derivative(robot_, frame, give); });
  }

  S kinetic_energy() const { return links_.kinetic_energy(robot_); }  // of the links; update() must have seen q̇
  S potential_energy() const { return links_.potential_energy(robot_); }

 private:
  // Columns as they are found by joint, to those of the user's q.
  template <class Find>
  void gather(std::span<JacobianColumn<S>> columns, const Find& find) const {
    for (auto& column : columns) column = {};
    find([&](int j, const JacobianColumn<S>& column) {
      if (!coupling_) {
        columns[index(j)] = column;
        return;
      }
      for (const auto& [coordinate, factor] : coupling_->terms(j)) {
        columns[index(coordinate)].linear += factor * column.linear;
        columns[index(coordinate)].angular += factor * column.angular;
      }
    });
  }

  MechanismFor<S> robot_;  // the tree
  PlacedLinks<S> links_;
  std::optional<Projection<S>> coupling_;
};

}  // namespace catena
