// A base with a prescribed motion: a vehicle, a ship, a track. Six massless joints carry the robot; they stay at zero
// and are not coordinates: their rates and accelerations come from the base motion, and G has no column for them.
// Gravity is fixed to the axes of the base link. Equations: docs/equations/moving_base.md.
#pragma once

#include "coordinates/chart.hpp"

namespace catena {

template <class S>
class MovingBaseStep final : public ChartStep<S> {
 public:
  using T = ConstantOf<S>;
  static constexpr std::string_view name = "moving base";
  static bool is_in(const BasicCoordinates<T>& coordinates) { return coordinates.is_moving(); }

  MovingBaseStep(const BasicCoordinates<T>& coordinates, const TreeFor<S>& tree)
      : ChartStep<S>(coordinates.nv(), coordinates.nv() + base_joints),
        link_from_base_(base_frame(tree)),
        q_(index(coordinates.nq() + base_joints)),
        qd_(index(this->outer())),
        qdd_(qd_.size()),
        lambda_(qd_.size()),
        drift_(six) {}
  std::unique_ptr<ChartStep<S>> clone() const override { return std::make_unique<MovingBaseStep>(*this); }

  Inputs<S> place(const Inputs<S>& in) override {
    Inputs<S> outer = in;
    tell(in.base);
    const auto follow = [&](std::span<const S> given, Array<S>& all) -> std::span<const S> {
      if (!this->are_given(given)) return {};
      for (std::size_t j = 0; j < given.size(); ++j) all[six + j] = given[j];
      return all;
    };
    outer.q = follow(in.q, q_);
    outer.qd = follow(in.qd, qd_);
    outer.qdd = follow(in.qdd, qdd_);
    outer.lambda = follow(in.lambda, lambda_);  // the six have none
    outer.tau = {};
    return outer;
  }
  void pull_rows(std::span<const S> X, int columns, std::span<S> out) const override {
    for (std::size_t k = 0; k < out.size(); ++k) out[k] = X[six * index(columns) + k];
  }
  void pull_columns(std::span<const S> X, int rows, std::span<S> out) const override {
    const std::size_t inner = index(this->inner()), outer = index(this->outer());
    for (std::size_t r = 0; r < index(rows); ++r)
      for (std::size_t c = 0; c < inner; ++c) out[r * inner + c] = X[r * outer + six + c];
  }
  std::span<const S> acceleration() const override { return drift_; }
  std::span<const S> drift() const override { return drift_; }
  bool accelerates() const override { return true; }

 private:
  static constexpr std::size_t six = base_joints;

  // The user's base link frame from the frame that the six joints move: after them its z is the first axis.
  static Pose<T> base_frame(const TreeFor<S>& tree) {
    const Mat3<T>& R = tree.world_from_base.R;
    return {Mat3<T>::from_columns(R.column_z(), -R.column_y(), R.column_x()), tree.world_from_base.p};
  }
  static void put(const Vec3<S>& v, S* at) { at[0] = v.x, at[1] = v.y, at[2] = v.z; }

  // Rates and accelerations of the six joints. At rest if no motion is given.                                  (3), (4)
  void tell(std::span<const S> motion) {
    const auto vector = [&](std::size_t k) {
      return motion.empty() ? Vec3<S>{} : Vec3<S>{motion[k], motion[k + 1], motion[k + 2]};
    };
    const Vec3<S> v_link = vector(0), w_link = vector(3), a_link = vector(6), alpha_link = vector(9);
    const Mat3<T> to_base = link_from_base_.R.transpose();
    const Vec3<S> p = static_cast<Vec3<S>>(link_from_base_.p);
    const Vec3<S> w = to_base * w_link, alpha = to_base * alpha_link;
    const Vec3<S> v = to_base * (v_link + cross(w_link, p)), a = to_base * (a_link + cross(alpha_link, p));
    put(v, &qd_[0]), put(w, &qd_[3]);
    put(a + cross(w, v), &qdd_[0]);
    put(alpha + Vec3<S>{-(w.y * w.z), w.x * w.z, -(w.x * w.y)}, &qdd_[3]);
    for (std::size_t k = 0; k < six; ++k) drift_[k] = qdd_[k];
  }

  Pose<T> link_from_base_;
  Array<S> q_, qd_, qdd_, lambda_, drift_;
};

}  // namespace catena
