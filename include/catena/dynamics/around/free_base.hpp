// A base that moves freely, around every formulation. The robot is carried by six joints without mass, three that slide
// and three that turn along the axes of the base link, which all stay at zero: where the base is only matters to
// gravity, which is one more acceleration of it, and to what is told along the world's axes. q starts with the position
// and the quaternion of the base link, q̇ with its twist along its own axes, linear before angular. Equations:
// docs/equations/free_base.md.
#pragma once

#include <array>
#include <concepts>
#include <span>

#include "catena/dynamics/array.hpp"
#include "catena/dynamics/jobs/job.hpp"
#include "catena/math/quaternion.hpp"

namespace catena {

// The robot on its six joints, which are its q and not free: without gravity, which in_tree() brings.             (1)
template <class T>
BasicMechanism<T> carried(const BasicMechanism<T>& robot) {
  BasicMechanism<T> tree = robot;
  tree.free_base = false;
  tree.gravity = {};
  return tree;
}

template <class S>
class FreeBase {
 public:
  using T = ConstantOf<S>;
  explicit FreeBase(const MechanismFor<S>& robot)
      : origin_(robot.free_origin),
        gravity_(robot.world_from_base.R * robot.gravity),
        q_(index(robot.nv())),
        qd_(q_.size()),
        qdd_(q_.size()) {}

  // Where the base is. The quaternion may have any length but 0: only its direction counts.                        (2)
  void place(std::span<const S> q) {
    const Mat3<S> R = rotation_of(q[3], q[4], q[5], q[6]);
    const Mat3<S> to_world = origin_.R * R;
    weight_ = to_world.transpose() * gravity_;
    moved_.R = to_world * origin_.R.transpose();
    moved_.p = origin_.R * Vec3<S>{q[0], q[1], q[2]} + origin_.p - moved_.R * origin_.p;
  }
  // How it moves; {}: not at all.
  void set_rates(std::span<const S> qd) {
    v_ = qd.empty() ? Vec3<S>{} : Vec3<S>{qd[0], qd[1], qd[2]};
    w_ = qd.empty() ? Vec3<S>{} : Vec3<S>{qd[3], qd[4], qd[5]};
  }

  // What the tree is handed; accelerations always, at zero where none are given.  Valid until the next call.       (3)
  Inputs<S> in_tree(const Inputs<S>& in) {
    place(in.q);
    set_rates(in.qd);
    Inputs<S> tree = in;
    tree.q = positions(in.q);
    if (in.qd.empty()) {
      for (S& rate : qd_) rate = S{};
      tree.qd = qd_;
    }
    tree.qdd = accelerations(in.qdd);
    add_to_base(-weight_, {}, qdd_);
    return tree;
  }
  // Accelerations of the tree where gravity has no part; at zero where none are given.
  std::span<const S> accelerations(std::span<const S> qdd) {
    for (std::size_t j = 0; j < qdd_.size(); ++j) qdd_[j] = qdd.empty() ? S{} : qdd[j];
    add_to_base(spin_linear(), spin_angular(), qdd_);
    return qdd_;
  }
  // The six at zero, and the joints' own.
  std::span<const S> positions(std::span<const S> q) {
    for (std::size_t j = 0; j < q_.size(); ++j) q_[j] = j < six ? S{} : q[j + 1];
    return q_;
  }
  // Back from the accelerations of the tree.                                                                        (4)
  void to_rates(std::span<S> qdd) const { add_to_base(weight_ - spin_linear(), -spin_angular(), qdd); }

  // What rates make of accelerations: ω × v, and what turning one joint after the other adds.                  (3), (5)
  Vec3<S> spin_linear() const { return cross(w_, v_); }
  Vec3<S> spin_angular() const { return {-(w_.y * w_.z), w_.x * w_.z, -(w_.x * w_.y)}; }
  // N of these = N q̇, three of whose columns are ω̃: N and then ∂(N q̇)/∂q̇, 6 x 6.                               (5), (6)
  std::array<std::array<S, 6>, 6> spin_matrix() const {
    std::array<std::array<S, 6>, 6> N{};
    put_cross(w_, 0, 0, N);
    N[3][4] = -w_.z, N[4][3] = w_.z, N[5][3] = -w_.y;
    return N;
  }
  std::array<std::array<S, 6>, 6> spin_derivative() const {
    std::array<std::array<S, 6>, 6> N = spin_matrix();
    put_cross(-v_, 0, 3, N);
    N[3][5] = -w_.y, N[4][5] = w_.x, N[5][4] = -w_.x;
    return N;
  }
  // How gravity as the base link sees it, Rᵀg, changes while the base turns about its axis k.                      (7)
  Vec3<S> weight_turned(int k) const {
    const S zero{};
    return k == 0   ? Vec3<S>{zero, weight_.z, -weight_.y}
           : k == 1 ? Vec3<S>{-weight_.z, zero, weight_.x}
                    : Vec3<S>{weight_.y, -weight_.x, zero};
  }

  const Vec3<S>& weight() const { return weight_; }  // Rᵀg
  const Vec3<T>& gravity() const { return gravity_; }
  const Pose<S>& moved() const { return moved_; }  // world from what the tree takes for the world                   (8)
  // A force or moment along the world's axes, as the tree has it; and how that changes while the base turns about k.
  Vec3<S> to_tree(const Vec3<S>& along_world) const { return moved_.R.transpose() * along_world; }
  Vec3<S> turned(const Vec3<S>& along_tree, int k) const {
    const auto& axis = k == 0 ? origin_.R.column_x() : k == 1 ? origin_.R.column_y() : origin_.R.column_z();
    return cross(along_tree, static_cast<Vec3<S>>(axis));
  }

 private:
  static constexpr std::size_t six = free_joints;

  static void add_to_base(const Vec3<S>& linear, const Vec3<S>& angular, std::span<S> out) {
    const S entries[] = {linear.x, linear.y, linear.z, angular.x, angular.y, angular.z};
    for (std::size_t k = 0; k < six; ++k) out[k] += entries[k];
  }
  static void put_cross(const Vec3<S>& a, std::size_t row, std::size_t column, std::array<std::array<S, 6>, 6>& N) {
    N[row][column + 1] = -a.z, N[row][column + 2] = a.y;
    N[row + 1][column] = a.z, N[row + 1][column + 2] = -a.x;
    N[row + 2][column] = -a.y, N[row + 2][column + 1] = a.x;
  }

  Pose<T> origin_;   // world from the frame in which the base's position is told
  Vec3<T> gravity_;  // world
  Array<S> q_, qd_, qdd_;
  Vec3<S> weight_{}, v_{}, w_{};
  Pose<S> moved_{Mat3<S>{}, Vec3<S>{}};
};

// Whether the quaternion in q has length 1, as far as a few written digits go; or is not finite, which is named
// elsewhere.
template <std::floating_point S>
bool has_unit_quaternion(std::span<const S> q);
// Throws std::invalid_argument unless it has.
template <std::floating_point S>
void require_unit_quaternion(std::span<const S> q);

}  // namespace catena
