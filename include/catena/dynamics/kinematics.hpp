// Kinematics in the user's frames as an object: placed once for a state, asked as often as one likes. Each of its
// answers is also a job (dynamics/jobs.hpp).
#pragma once

#include <optional>

#include "catena/dynamics/around/free_base.hpp"
#include "catena/dynamics/around/projection.hpp"
#include "catena/dynamics/kinematics/centroidal.hpp"
#include "catena/dynamics/kinematics/placed_links.hpp"

namespace catena {

template <class S>
class Kinematics {
 public:
  explicit Kinematics(const MechanismFor<S>& robot) : robot_(tree_of(robot)), links_(robot_) {
    if (robot.is_coupled()) coupling_.emplace(robot);
    if (robot.free_base) base_.emplace(robot);
  }

  int n() const { return coupling_ ? coupling_->nv() : robot_.n(); }  // of q̇

  // Places every link. q̇ and q̈ may be left empty where only poses and Jacobians are asked for.
  void update(std::span<const S> q, std::span<const S> qd = {}, std::span<const S> qdd = {}) {
    Inputs<S> in{.q = q, .qd = qd, .qdd = qdd};
    if (base_) in = on_base(in);
    const Inputs<S> tree = coupling_ ? coupling_->in_tree(in) : in;
    links_.place(robot_, tree.q, tree.qd, tree.qdd);
  }

  // World from frame.
  Pose<S> pose(int frame) const {
    const Pose<S> seen = links_.pose(robot_, frame);
    return moves(frame) ? base_->moved() * seen : seen;
  }
  FrameMotion<S> motion(int frame) const {
    const FrameMotion<S> m = links_.motion(robot_, frame);
    if (!moves(frame)) return m;
    const Mat3<S>& R = base_->moved().R;
    return {R * m.omega, R * m.omega_dot, R * m.velocity, R * m.acceleration};
  }

  // columns[j] = (∂v/∂q̇_j, ∂ω/∂q̇_j) of the frame's origin; zero for joints that do not carry the frame.
  void jacobian(int frame, std::span<JacobianColumn<S>> columns) const {
    gather(columns, [&](const auto& give) { links_.jacobian(robot_, frame, give); });
    if (base_) turn(columns);
  }
  // The time derivative of jacobian(); update() must have seen q̇.
  void jacobian_derivative(int frame, std::span<JacobianColumn<S>> columns) const {
    gather(columns, [&](const auto& give) { links_.jacobian_derivative(robot_, frame, give); });
    if (base_) add_spin(frame, columns), turn(columns);
  }

  S kinetic_energy() const { return links_.kinetic_energy(robot_); }  // of the links; update() must have seen q̇
  S potential_energy() const {
    if (!base_) return links_.potential_energy(robot_);
    const Vec3<S> weight = base_->to_tree(static_cast<Vec3<S>>(base_->gravity()));
    const S lifted = dot(base_->gravity(), base_->moved().p) * moving_mass(robot_);
    return -(dot(weight, links_.first_moment(robot_)) + lifted);
  }

 private:
  // What six joints do that carry the base; docs/equations/free_base.md.
  Inputs<S> on_base(const Inputs<S>& in) {
    Inputs<S> tree = in;
    base_->place(in.q);
    tree.q = base_->positions(in.q);
    if (in.qd.empty()) return tree;
    base_->set_rates(in.qd);
    tree.qdd = base_->accelerations(in.qdd);
    return tree;
  }
  bool moves(int frame) const { return base_ && robot_.frames[index(frame)].link != base; }
  void turn(std::span<JacobianColumn<S>> columns) const {
    const Mat3<S>& R = base_->moved().R;
    for (auto& column : columns) column = {R * column.linear, R * column.angular};
  }
  // J̇ = J̇ of the tree + J N, N in the corner of the base.
  void add_spin(int frame, std::span<JacobianColumn<S>> columns) const {
    const auto N = base_->spin_matrix();
    links_.jacobian(robot_, frame, [&](int m, const JacobianColumn<S>& column) {
      if (m >= free_joints) return;
      for (std::size_t k = 0; k < free_joints; ++k) {
        columns[k].linear += N[index(m)][k] * column.linear;
        columns[k].angular += N[index(m)][k] * column.angular;
      }
    });
  }

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
  std::optional<FreeBase<S>> base_;
};

}  // namespace catena
