// Kinematics in the user's frames as an object: placed once for a state, asked as often as one likes. Each of its
// answers is also a job (dynamics/jobs.hpp).
#pragma once

#include "catena/dynamics/charts.hpp"
#include "catena/dynamics/kinematics/frames.hpp"

namespace catena {

template <class S>
class Kinematics {
 public:
  explicit Kinematics(const MechanismFor<S>& robot)
      : robot_(robot),
        links_(robot_),
        chart_(robot_.coordinates, weightless(robot)),
        zeros_(index(robot_.nv())),
        J_(6 * index(robot_.joints())),
        rate_(J_.size()),
        room_(J_.size()) {}

  int nv() const { return robot_.nv(); }

  // Places every link. q̇ and q̈ may be left empty where only poses and Jacobians are asked for, and so may what is told
  // of a base that moves, where it stands still.
  void update(std::span<const S> q, std::span<const S> qd = {}, std::span<const S> qdd = {},
              std::span<const S> base_motion = {}) {
    Inputs<S> in{.q = q, .qd = qd, .qdd = qdd, .base = base_motion};
    if (!qd.empty() && qdd.empty() && !chart_.steps().empty()) in.qdd = zeros_;
    const Inputs<S> tree = chart_.place(in);
    links_.place(robot_, tree.q, tree.qd, tree.qdd);
  }

  // World from frame.
  Pose<S> pose(int frame) const {
    const Pose<S> seen = links_.pose(robot_, frame);
    return moves(frame) ? *chart_.mover()->moved() * seen : seen;
  }
  FrameMotion<S> motion(int frame) const {
    const FrameMotion<S> m = links_.motion(robot_, frame);
    if (!moves(frame)) return m;
    const Mat3<S>& R = chart_.mover()->moved()->R;
    return {R * m.omega, R * m.omega_dot, R * m.velocity, R * m.acceleration};
  }

  // columns[j] = (∂v/∂q̇_j, ∂ω/∂q̇_j) of the frame's origin; zero for joints that do not carry the frame.
  void jacobian(int frame, std::span<JacobianColumn<S>> columns) {
    fill([&](const auto& put) { links_.jacobian(robot_, frame, put); }, J_);
    for (std::size_t k = chart_.steps().size(); k-- > 0;) pull(*chart_.steps()[k], J_);
    give(J_, columns);
  }
  // The time derivative of jacobian(); update() must have seen q̇.
  void jacobian_derivative(int frame, std::span<JacobianColumn<S>> columns) {
    fill([&](const auto& put) { links_.jacobian(robot_, frame, put); }, J_);
    fill([&](const auto& put) { links_.jacobian_derivative(robot_, frame, put); }, rate_);
    for (std::size_t k = chart_.steps().size(); k-- > 0;) {  // J̇ G + J N
      const ChartStep<S>& step = *chart_.steps()[k];
      pull(step, rate_);
      step.spin().add_times(J_, 6, step.outer(), step.inner(), rate_);
      pull(step, J_);
    }
    give(rate_, columns);
  }

  S kinetic_energy() const { return links_.kinetic_energy(robot_); }  // of the links; update() must have seen q̇
  S potential_energy() const {
    if (!chart_.mover()) return links_.potential_energy(robot_);
    const Pose<S>& moved = *chart_.mover()->moved();
    const auto gravity = robot_.world_from_base.R * robot_.gravity;
    ConstantOf<S> mass(0);
    for (const auto& link : robot_.links) mass += link.mass;
    const Vec3<S> weight = moved.R.transpose() * static_cast<Vec3<S>>(gravity);
    return -(dot(weight, links_.first_moment(robot_)) + dot(gravity, moved.p) * mass);
  }

 private:
  // Accelerations here are what an eye sees, not what a mass feels.
  static TreeFor<S> weightless(TreeFor<S> tree) {
    tree.gravity = {};
    return tree;
  }
  bool moves(int frame) const { return chart_.mover() && robot_.frames[index(frame)].link != base; }

  // 6 × n by rows.
  template <class Find>
  void fill(const Find& find, std::span<S> J) const {
    for (S& entry : J) entry = S{};
    find([&](int j, const JacobianColumn<S>& column) { put_column<S>(column, j, robot_.joints(), J); });
  }
  // X = X G
  void pull(const ChartStep<S>& step, std::span<S> X) {
    const std::span<S> out = std::span<S>(room_).first(6 * index(step.inner()));
    step.pull_columns(X.first(6 * index(step.outer())), 6, out);
    std::copy(out.begin(), out.end(), X.begin());
  }
  void give(std::span<const S> X, std::span<JacobianColumn<S>> columns) const {
    const std::size_t n = columns.size();
    for (std::size_t c = 0; c < n; ++c) {
      columns[c] = {{X[c], X[n + c], X[2 * n + c]}, {X[3 * n + c], X[4 * n + c], X[5 * n + c]}};
      if (!chart_.mover()) continue;
      const Mat3<S>& R = chart_.mover()->moved()->R;
      columns[c] = {R * columns[c].linear, R * columns[c].angular};
    }
  }

  MechanismFor<S> robot_;
  PlacedLinks<S> links_;
  Chart<S> chart_;
  Array<S> zeros_, J_, rate_, room_;
};

}  // namespace catena
