// The definitions for catena/kinematics.hpp, for scalars that the library does not compile them for.
#pragma once

#include "catena/kinematics.hpp"
#include "coordinates/charts.hpp"
#include "formulations/kinematics/frames.hpp"

namespace catena {

template <class S>
struct Kinematics<S>::Impl {
  explicit Impl(const MechanismFor<S>& robot)
      : robot_(robot),
        links_(robot_),
        chart_(robot_.coordinates, weightless(robot)),
        zeros_(index(robot_.nv())),
        J_(6 * index(robot_.joints())),
        rate_(J_.size()),
        pulled_(J_.size()) {}

  int nv() const { return robot_.nv(); }

  void update(std::span<const S> q, std::span<const S> qd, std::span<const S> qdd, std::span<const S> base_motion) {
    Inputs<S> in{.q = q, .qd = qd, .qdd = qdd, .base = base_motion};
    if (!qd.empty() && qdd.empty() && !chart_.steps().empty()) in.qdd = zeros_;
    const Inputs<S> tree = chart_.place(in);
    links_.place(robot_, tree.q, tree.qd, tree.qdd);
  }

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

  void jacobian(int frame, std::span<JacobianColumn<S>> columns) {
    fill([&](const auto& put) { links_.jacobian(robot_, frame, put); }, J_);
    for (std::size_t k = chart_.steps().size(); k-- > 0;) pull(*chart_.steps()[k], J_);
    give(J_, columns);
  }
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

  S kinetic_energy() const { return links_.kinetic_energy(robot_); }
  S potential_energy() const {
    if (!chart_.mover()) return links_.potential_energy(robot_);
    const Pose<S>& moved = *chart_.mover()->moved();
    const auto gravity = robot_.world_from_base.R * robot_.gravity;
    ConstantOf<S> mass(0);
    for (const auto& link : robot_.links) mass += link.mass;
    const Vec3<S> weight = moved.R.transpose() * static_cast<Vec3<S>>(gravity);
    return -(dot(weight, links_.first_moment(robot_)) + dot(gravity, moved.p) * mass);
  }

  // Accelerations here are those of motion alone, without gravity.
  static TreeFor<S> weightless(TreeFor<S> tree) {
    tree.gravity = {};
    return tree;
  }
  bool moves(int frame) const { return chart_.mover() && robot_.frames[index(frame)].link != base_link; }

  // 6 × n by rows.
  template <class Find>
  void fill(const Find& find, std::span<S> J) const {
    for (S& entry : J) entry = S{};
    find([&](int j, const JacobianColumn<S>& column) { put_column<S>(column, j, robot_.joints(), J); });
  }
  // X = X G
  void pull(const ChartStep<S>& step, std::span<S> X) {
    const std::span<S> out = std::span<S>(pulled_).first(6 * index(step.inner()));
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
  Array<S> zeros_, J_, rate_, pulled_;
};

template <class S>
Kinematics<S>::Kinematics(const MechanismFor<S>& robot) : impl_(std::make_unique<Impl>(robot)) {}
template <class S>
Kinematics<S>::~Kinematics() = default;
template <class S>
Kinematics<S>::Kinematics(const Kinematics& other) : impl_(std::make_unique<Impl>(*other.impl_)) {}
template <class S>
Kinematics<S>& Kinematics<S>::operator=(const Kinematics& other) {
  return *this = Kinematics(other);
}
template <class S>
Kinematics<S>::Kinematics(Kinematics&&) noexcept = default;
template <class S>
Kinematics<S>& Kinematics<S>::operator=(Kinematics&&) noexcept = default;

template <class S>
int Kinematics<S>::nv() const {
  return impl_->nv();
}
template <class S>
void Kinematics<S>::update(std::span<const S> q, std::span<const S> qd, std::span<const S> qdd,
                           std::span<const S> base_motion) {
  impl_->update(q, qd, qdd, base_motion);
}
template <class S>
Pose<S> Kinematics<S>::pose(int frame) const {
  return impl_->pose(frame);
}
template <class S>
FrameMotion<S> Kinematics<S>::motion(int frame) const {
  return impl_->motion(frame);
}
template <class S>
void Kinematics<S>::jacobian(int frame, std::span<JacobianColumn<S>> columns) {
  impl_->jacobian(frame, columns);
}
template <class S>
void Kinematics<S>::jacobian_derivative(int frame, std::span<JacobianColumn<S>> columns) {
  impl_->jacobian_derivative(frame, columns);
}
template <class S>
S Kinematics<S>::kinetic_energy() const {
  return impl_->kinetic_energy();
}
template <class S>
S Kinematics<S>::potential_energy() const {
  return impl_->potential_energy();
}

}  // namespace catena
