// What every formulation has in common: its description, what it is passed, and the joint kinematics that all of them
// start from.
#pragma once

#include <span>
#include <stdexcept>
#include <string>
#include <string_view>

#include "catena/formulation/array.hpp"
#include "catena/model/tree.hpp"
#include "catena/scalar/scalar.hpp"

namespace catena {

struct FormulationInfo {
  std::string_view name;       // as the command line and the API spell it
  std::string_view job;        // what it computes
  std::string_view source;     // the work it comes from
  std::string_view equations;  // where they are written, ours first
  std::string_view cost;       // multiplications and additions for n revolute joints, as published
};

// Throws std::invalid_argument unless the robot has that frame.
template <class T>
void require_frame(const BasicTree<T>& robot, int frame, const char* whose = "") {
  if (frame < 0 || index(frame) >= robot.frames.size())
    throw std::invalid_argument(std::string(whose) + "frame " + std::to_string(frame) +
                                " does not exist; the robot has " + std::to_string(robot.frames.size()) + " frames");
}

// A state and its acceleration, in the user's order of q.
template <class S>
struct Motion {
  std::span<const S> q, qd, qdd;
};

// An n x n matrix in row-major order, rows and columns in the user's order of q.
template <class S>
struct MatrixView {
  std::span<S> entries;
  int n = 0;

  S& operator()(int row, int column) const {
    return entries[static_cast<std::size_t>(row) * static_cast<std::size_t>(n) + static_cast<std::size_t>(column)];
  }
  // Both of a symmetric matrix's entries.
  void set_symmetric(int row, int column, const S& value) const { (*this)(row, column) = (*this)(column, row) = value; }
  void set_zero() const {
    for (S& entry : entries) entry = S{};
  }
};

// cos θ and sin θ of every joint, in mechanism order, padded to whole lanes.
template <class S>
class JointTurns {
 public:
  explicit JointTurns(int n) : turns_(index(n + detail::sincos_lanes - 1)) {}
  Turn<S>& operator[](int i) { return turns_[index(i)]; }
  const Turn<S>& operator[](int i) const { return turns_[index(i)]; }

 private:
  Array<Turn<S>> turns_;
};

// Fills them in mechanism order: a revolute joint has θ = theta + q, a prismatic joint a constant angle.
template <class S>
void joint_turns(const TreeFor<S>& robot, std::span<const S> q, JointTurns<S>& turns) {
  for (int i = 0; i < robot.joints(); ++i) {
    const auto& link = robot.link(i);
    if (link.revolute) {
      turns[i] = sincos_of_sum(q[index(link.q)], link.theta);
    } else {
      turns[i] = {S(link.fixed_turn.c), S(link.fixed_turn.s)};
    }
  }
}

// The same for machine numbers, four joints at a time. Joints that carry a moving base stay at zero.
template <class S>
requires std::floating_point<S>
void joint_turns(const BasicTree<S>& robot, std::span<const S> q, JointTurns<S>& turns) {
  constexpr int lanes = detail::sincos_lanes;
  const int n = robot.joints();
  const auto angle = [&](int i) {
    const auto& link = robot.link(i < n ? i : n - 1);  // the last lanes may repeat the last joint
    return double(q[index(link.q)] + link.theta);
  };
  const auto some_turn = [&](int first) {
    for (int i = first; i < first + lanes && i < n; ++i)
      if (robot.link(i).revolute) return true;
    return false;
  };
  if (robot.library_sincos) {
    for (int i = 0; i < n; ++i) turns[i] = library_sincos(S(angle(i)));
  } else {
    for (int i = robot.carried ? base_joints : 0; i < n; i += lanes)
      if (!robot.has_prismatic || some_turn(i)) sincos(angle(i), angle(i + 1), angle(i + 2), angle(i + 3), &turns[i]);
  }
  if (!robot.has_prismatic) return;
  for (int i = 0; i < n; ++i)
    if (!robot.link(i).revolute || (robot.carried && i < base_joints)) turns[i] = robot.link(i).fixed_turn;
}

// Gravity, as the acceleration -g of the base, in the frame of a link on the base. The first link's axis is the base's
// z axis.
template <class S, class T>
constexpr Vec3<S> base_acceleration(const BasicTree<T>& robot, int i, const Turn<S>& turn) {
  if (i == 0) return to_child(turn, -robot.gravity);
  return to_child(robot.link(i).tilt, turn, -robot.gravity);
}

// o_parent to o_i in the parent frame: constant for a revolute joint, sliding along the axis for a prismatic one.
template <class S, class T>
constexpr Vec3<S> joint_offset(const LinkConstants<T>& link, const S& q) {
  const Vec3<S> at_zero{S(link.p_parent_to_link.x), S(link.p_parent_to_link.y), S(link.p_parent_to_link.z)};
  if (link.revolute) return at_zero;
  return at_zero + q * link.z_in_parent;
}
// The same, starting from the parent's mass centre.
template <class S, class T>
constexpr Vec3<S> com_to_joint(const BasicTree<T>& robot, const LinkConstants<T>& link, std::span<const S> q) {
  const Vec3<T> r = link.p_parent_to_link - robot.link(link.parent).com;  // constants: computed off line
  if (link.revolute) return static_cast<Vec3<S>>(r);
  return r + q[index(link.q)] * link.z_in_parent;
}

// The component along a joint's axis z of a wrench about a point on that axis.
template <class S>
constexpr const S& felt_by_joint(bool revolute, const Wrench<S>& w) {
  return revolute ? w.moment.z : w.force.z;
}
// The component along the joint's axis of a wrench about the link's mass centre.
template <class S, class T>
constexpr S felt_from_com(const LinkConstants<T>& link, const Wrench<S>& w) {
  const auto& [f, n] = w;
  return link.revolute ? S((n.z + link.com.x * f.y) - link.com.y * f.x) : f.z;
}
// Moves a wrench to the parent's frame and to a point s away: s from the new point to the old, parent frame.  22M 14A
template <class K, class S, class Offset>
constexpr Wrench<S> to_parent(const K& tilt, const Turn<S>& turn, const Offset& s, const Wrench<S>& w) {
  const Vec3<S> force = to_parent(tilt, turn, w.force);
  return {force, add_cross(to_parent(tilt, turn, w.moment), s, force)};
}
// The inertia of a joint's own link only: about the axis, or the mass.
template <class T>
constexpr T felt_of_link(const LinkConstants<T>& link) {
  if (!link.revolute) return link.mass;
  return link.inertia_com.zz + link.mass * (link.com.x * link.com.x + link.com.y * link.com.y);
}

}  // namespace catena
