// A base that moves freely. The robot is carried by six massless joints, three that slide and three that turn along the
// axes of the base link, all of which stay at zero: the pose of the base only matters to gravity, which is one more
// acceleration of it, and to results along the world's axes. q starts with the position and the quaternion of the base
// link, q̇ with its twist along its own axes, linear before angular, so that G = 1. Equations:
// docs/equations/free_base.md.
#pragma once

#include <array>
#include <concepts>
#include <span>

#include "catena/math/quaternion.hpp"
#include "coordinates/chart.hpp"

namespace catena {

namespace detail {
inline constexpr int first_six[base_joints] = {0, 1, 2, 3, 4, 5};
}

template <class S>
class FreeBaseStep final : public ChartStep<S> {
 public:
  using T = ConstantOf<S>;
  static constexpr std::string_view name = "free base";
  static bool is_in(const BasicCoordinates<T>& coordinates) { return coordinates.is_free(); }

  // Takes the robot's tree with its gravity, which place() applies: formulations see it without gravity.            (1)
  FreeBaseStep(const BasicCoordinates<T>& coordinates, const TreeFor<S>& tree)
      : ChartStep<S>(coordinates.nv(), coordinates.nv()),
        origin_(coordinates.free_origin),
        gravity_(tree.world_from_base.R * tree.gravity),
        gravity_at_origin_(origin_.R.transpose() * gravity_),
        q_(index(coordinates.nq() - 1)),
        qdd_(index(coordinates.nv())),
        acceleration_(six),
        drift_(six) {}
  std::unique_ptr<ChartStep<S>> clone() const override { return std::make_unique<FreeBaseStep>(*this); }

  // (2), (3). The quaternion may have any length but 0: only its direction counts.
  Inputs<S> place(const Inputs<S>& in) override {
    Inputs<S> tree = in;
    if (!in.q.empty()) {
      stand(in.q);
      tree.q = q_;
    }
    v_ = in.qd.empty() ? Vec3<S>{} : Vec3<S>{in.qd[0], in.qd[1], in.qd[2]};
    w_ = in.qd.empty() ? Vec3<S>{} : Vec3<S>{in.qd[3], in.qd[4], in.qd[5]};
    lambda_ = in.lambda;
    const Vec3<S> linear = cross(w_, v_), angular{-(w_.y * w_.z), w_.x * w_.z, -(w_.x * w_.y)};
    put(linear, angular, drift_);
    put(linear - weight_, angular, acceleration_);
    if (in.qdd.empty()) return tree;
    for (std::size_t j = 0; j < qdd_.size(); ++j) qdd_[j] = j < six ? in.qdd[j] + acceleration_[j] : in.qdd[j];
    tree.qdd = qdd_;
    return tree;
  }
  void pull_rows(std::span<const S> X, int, std::span<S> out) const override { copy(X, out); }
  void pull_columns(std::span<const S> X, int, std::span<S> out) const override { copy(X, out); }
  void pull_positions(std::span<const S> X, int rows, std::span<S> out) const override {  // the six stay at zero
    copy(X, out);
    const std::size_t n = index(this->inner());
    for (std::size_t r = 0; r < index(rows); ++r)
      for (std::size_t k = 0; k < six; ++k) out[r * n + k] = S{};
  }

  bool is_square() const override { return true; }
  std::span<const S> acceleration() const override { return acceleration_; }
  std::span<const S> drift() const override { return drift_; }
  bool accelerates() const override { return true; }
  bool spins() const override { return true; }
  // N, three of whose columns are ω̃, and ∂(N q̇)/∂q̇.                                                         (5), (6)
  Patch<S> spin() const override {
    N_ = {};
    put_cross(w_, 0, 0);
    at(3, 4) = -w_.z, at(4, 3) = w_.z, at(5, 3) = -w_.y;
    return patch();
  }
  Patch<S> spin_by_rate() const override {
    spin();
    put_cross(-v_, 0, 3);
    at(3, 5) = -w_.y, at(4, 5) = w_.x, at(5, 4) = -w_.x;
    return patch();
  }
  // Gravity in the base link's axes, Rᵀg, changes as the base turns.                                                (7)
  Patch<S> acceleration_by_position() const override {
    N_ = {};
    put_cross(-weight_, 0, 3);
    return patch();
  }

  // (11)-(13): with y = M λ, what λᵀτ changes by with each acceleration.
  bool curves() const override { return true; }
  void curve(Kind block, std::span<const S> M, std::span<const S> q_qdd, std::span<S> H) const override {
    const MatrixView<S> out{H, this->inner()};
    if (block == Kind::curvature_qd_qd) return curve_rates(M, out);
    for (std::size_t r = 0; r < six; ++r)  // the six stay at zero
      for (std::size_t c = 0; c < index(out.n); ++c) H[r * index(out.n) + c] = S{};
    if (block == Kind::curvature_q_qdd) return;
    const Patch<S> g = block == Kind::curvature_q_q ? acceleration_by_position() : spin_by_rate();
    for (int r = base_joints; r < out.n; ++r)
      for (int c = 0; c < base_joints; ++c) {
        S sum = block == Kind::curvature_q_q ? S{} : out(r, c);
        for (int m = 0; m < base_joints; ++m)
          sum += q_qdd[index(r * out.n + m)] * g.entries[index(m * base_joints + c)];
        out(r, c) = sum;
        if (block == Kind::curvature_q_q) out(c, r) = sum;
      }
    if (block == Kind::curvature_q_q) curve_weight(M, out);
  }

  // (8): computed only when asked for.
  const Pose<S>* moved() const override {
    if (stale_) {
      moved_.R = origin_.R * R_ * origin_.R.transpose();
      moved_.p = origin_.R * p_ + origin_.p - moved_.R * origin_.p;
      stale_ = false;
    }
    return &moved_;
  }
  std::span<const int> turning() const override { return std::span<const int>(detail::first_six).last(3); }
  Vec3<S> turning_axis(int k) const override {  // along the axes of the tree's world
    const auto& axis = k == 3 ? origin_.R.column_x() : k == 4 ? origin_.R.column_y() : origin_.R.column_z();
    return static_cast<Vec3<S>>(axis);
  }
  Vec3<T> gravity() const override { return gravity_; }

 private:
  static constexpr std::size_t six = base_joints;

  // The pose of the base.                                                                                           (2)
  void stand(std::span<const S> q) {
    R_ = rotation_of(q[3], q[4], q[5], q[6]);
    p_ = {q[0], q[1], q[2]};
    weight_ = R_.transpose() * gravity_at_origin_;
    stale_ = true;
    for (std::size_t j = six; j < q_.size(); ++j) q_[j] = q[j + 1];
  }
  // y of one of the six.
  S pushed(std::span<const S> M, int row) const {
    S sum{};
    for (std::size_t j = 0; j < lambda_.size(); ++j) sum += M[index(row) * lambda_.size() + j] * lambda_[j];
    return sum;
  }
  void curve_weight(std::span<const S> M, const MatrixView<S>& H) const {
    const S y[3] = {pushed(M, 0), pushed(M, 1), pushed(M, 2)}, w[3] = {weight_.x, weight_.y, weight_.z};
    const S along = y[0] * w[0] + y[1] * w[1] + y[2] * w[2];
    for (int j = 0; j < 3; ++j)
      for (int k = 0; k < 3; ++k) H(3 + j, 3 + k) = j == k ? S(along - y[k] * w[j]) : S(-(y[k] * w[j]));
  }
  void curve_rates(std::span<const S> M, const MatrixView<S>& H) const {
    const S x = pushed(M, 0), y = pushed(M, 1), z = pushed(M, 2);
    const auto add = [&](int j, int k, const S& change) {
      H(j, k) += change;
      H(k, j) += change;
    };
    add(4, 2, x), add(5, 1, -x), add(5, 0, y), add(3, 2, -y), add(3, 1, z), add(4, 0, -z);
    add(4, 5, -pushed(M, 3)), add(3, 5, pushed(M, 4)), add(3, 4, -pushed(M, 5));
  }
  static void copy(std::span<const S> from, std::span<S> to) {
    if (from.data() == to.data()) return;
    for (std::size_t k = 0; k < from.size(); ++k) to[k] = from[k];
  }
  static void put(const Vec3<S>& linear, const Vec3<S>& angular, std::span<S> out) {
    out[0] = linear.x, out[1] = linear.y, out[2] = linear.z;
    out[3] = angular.x, out[4] = angular.y, out[5] = angular.z;
  }
  S& at(std::size_t row, std::size_t column) const { return N_[row * six + column]; }
  void put_cross(const Vec3<S>& a, std::size_t row, std::size_t column) const {
    at(row, column + 1) = -a.z, at(row, column + 2) = a.y;
    at(row + 1, column) = a.z, at(row + 1, column + 2) = -a.x;
    at(row + 2, column) = -a.y, at(row + 2, column + 1) = a.x;
  }
  Patch<S> patch() const { return {detail::first_six, detail::first_six, N_}; }

  Pose<T> origin_;                       // world from the frame in which the base's position is given
  Vec3<T> gravity_, gravity_at_origin_;  // along the axes of the world, and of that frame
  Array<S> q_, qdd_, acceleration_, drift_;
  Mat3<S> R_{};  // of the base link there
  Vec3<S> p_{}, weight_{}, v_{}, w_{};
  std::span<const S> lambda_{};
  mutable Pose<S> moved_{Mat3<S>{}, Vec3<S>{}};
  mutable bool stale_ = false;
  mutable std::array<S, six * six> N_{};
};

}  // namespace catena
