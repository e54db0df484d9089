// What every formulation has in common: how it names itself, what it is handed, and the joint kinematics all of them
// start from.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "catena/model/mechanism.hpp"
#include "catena/scalar/scalar.hpp"

namespace catena {

struct FormulationInfo {
  std::string_view name;       // as the command line and the API spell it
  std::string_view computes;   // inverse, inertia, bias, coriolis, forward or linearize
  std::string_view source;     // the work it comes from
  std::string_view equations;  // where they are printed, ours first
  std::string_view cost;       // multiplications and additions for n revolute joints, as published
};

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

inline std::size_t index(int i) { return static_cast<std::size_t>(i); }

// cos θ and sin θ of every joint, in mechanism order, with room for whole lanes.
template <class S>
class JointTurns {
 public:
  explicit JointTurns(int n) : turns_(index(n + detail::sincos_lanes - 1)) {}
  Turn<S>& operator[](int i) { return turns_[index(i)]; }
  const Turn<S>& operator[](int i) const { return turns_[index(i)]; }

 private:
  std::vector<Turn<S>> turns_;
};

// Fills them in mechanism order: θ = theta + q turns, a prismatic joint keeps its angle.
template <class S>
void joint_turns(const BasicMechanism<ConstantOf<S>>& robot, std::span<const S> q, JointTurns<S>& turns) {
  for (int i = 0; i < robot.n(); ++i) {
    const auto& link = robot.links[index(i)];
    if (link.revolute) {
      turns[i] = sincos_of_sum(q[index(link.q)], link.theta);
    } else {
      turns[i] = {S(link.fixed_turn.c), S(link.fixed_turn.s)};
    }
  }
}

// The same for machine numbers, four joints at a time.
template <class S>
requires std::floating_point<S>
void joint_turns(const BasicMechanism<S>& robot, std::span<const S> q, JointTurns<S>& turns) {
  const int n = robot.n();
  const auto angle = [&](int i) {
    const auto& link = robot.links[index(i < n ? i : n - 1)];  // the last lanes may repeat the last joint
    return double(q[index(link.q)] + link.theta);
  };
  if (robot.library_sincos) {
    for (int i = 0; i < n; ++i) turns[i] = library_sincos(S(angle(i)));
  } else {
    for (int i = 0; i < n; i += detail::sincos_lanes)
      sincos(angle(i), angle(i + 1), angle(i + 2), angle(i + 3), &turns[i]);
  }
  if (!robot.has_prismatic) return;
  for (int i = 0; i < n; ++i)
    if (!robot.links[index(i)].revolute) turns[i] = robot.links[index(i)].fixed_turn;
}

// Gravity, as the acceleration -g of the base, in the frame of a link on the base. The first link's axis is the base's
// z.
template <class S, class T>
Vec3<S> base_acceleration(const BasicMechanism<T>& robot, int i, const Turn<S>& turn) {
  if (i == 0) return to_child(turn, -robot.gravity);
  return to_child(robot.links[index(i)].twist, turn, -robot.gravity);
}

// o_parent to o_i in the parent frame: constant for a revolute joint, sliding along the axis for a prismatic one.
template <class S, class T>
Vec3<S> joint_offset(const LinkConstants<T>& link, const S& q) {
  const Vec3<S> at_zero{S(link.p_parent_to_link.x), S(link.p_parent_to_link.y), S(link.p_parent_to_link.z)};
  if (link.revolute) return at_zero;
  return at_zero + q * link.z_in_parent;
}

// The generalized force of wrenches on the links (frame i, about o_i), taken off the torques that the drives must
// bring: τ_i -= z_i · Σ over all that hangs on i. For formulations that carry no forces of their own; `carried` is
// scratch.
template <class S>
void subtract_generalized_forces(const BasicMechanism<ConstantOf<S>>& robot, std::span<const S> q,
                                 const JointTurns<S>& turns, std::span<const Wrench<S>> external,
                                 std::vector<Wrench<S>>& carried, std::span<S> tau) {
  for (std::size_t i = 0; i < external.size(); ++i) carried[i] = external[i];
  for (int i = robot.n() - 1; i >= 0; --i) {
    const auto& link = robot.links[index(i)];
    const Wrench<S>& own = carried[index(i)];
    tau[index(link.q)] -= link.revolute ? own.moment.z : own.force.z;
    if (link.parent == base) continue;
    Wrench<S>& parent = carried[index(link.parent)];
    const Vec3<S> force = to_parent(link.twist, turns[i], own.force);
    parent.force += force;
    parent.moment = add_cross(parent.moment + to_parent(link.twist, turns[i], own.moment),
                              joint_offset(link, q[index(link.q)]), force);
  }
}

// Rotors in the inertia matrix: M_jj += reflected inertia.
template <class S>
void add_rotor_inertia(const BasicMechanism<ConstantOf<S>>& robot, const MatrixView<S>& M) {
  if (!robot.has_drives) return;
  for (int j = 0; j < robot.n(); ++j) M(j, j) += robot.drives[index(j)].reflected_inertia;
}

// Friction and rotors, the same for every formulation: τ += viscous q̇ + coulomb sign(q̇) + reflected inertia q̈.
template <class S>
void add_drive_torques(const BasicMechanism<ConstantOf<S>>& robot, const Motion<S>& x, std::span<S> tau) {
  if (!robot.has_drives) return;
  for (std::size_t j = 0; j < tau.size(); ++j) {
    const auto& drive = robot.drives[j];
    tau[j] += drive.viscous * x.qd[j] + drive.coulomb * sign(x.qd[j]) + drive.reflected_inertia * x.qdd[j];
  }
}

}  // namespace catena
