// The poses and motions of the links, and the results for the user's frames: poses, the geometric Jacobian and its
// rate, velocities, accelerations, energies. In the base link frame ("world"). Equations (1)-(7):
// docs/equations/kinematics.md.
#pragma once

#include <span>

#include "catena/formulation/formulation.hpp"
#include "catena/math/pose.hpp"

namespace catena {

template <class S>
class PlacedLinks {
 public:
  using T = ConstantOf<S>;
  explicit PlacedLinks(const TreeFor<S>& robot) : links_(index(robot.joints())), turns_(robot.joints()) {}

  // Places every link. q̇ and q̈ may be left empty if only poses and Jacobians are needed.
  void place(const TreeFor<S>& robot, std::span<const S> q, std::span<const S> qd = {}, std::span<const S> qdd = {}) {
    joint_turns<S>(robot, q, turns_);
    for (int i = 0; i < robot.joints(); ++i) {
      const auto& link = robot.link(i);
      Link& own = links_[index(i)];
      const Link& parent = body(link.parent);
      const Vec3<S> arm = parent.pose.R * joint_offset(link, q[index(link.q)]);
      own.pose = {parent.pose.R * matrix(link.tilt, turns_[i]), parent.pose.p + arm};
      own.motion = carry(parent.motion, arm);
      if (qd.empty()) continue;
      const Vec3<S> z = own.pose.R.column_z();
      const S& rate = qd[index(link.q)];
      const S acceleration = qdd.empty() ? S(T(0)) : qdd[index(link.q)];
      if (link.revolute) {
        own.motion.omega_dot += acceleration * z + rate * cross(own.motion.omega, z);
        own.motion.omega += rate * z;
      } else {
        own.motion.acceleration += acceleration * z + (rate + rate) * cross(own.motion.omega, z);
        own.motion.velocity += rate * z;
      }
    }
  }

  // World from frame.
  Pose<S> pose(const TreeFor<S>& robot, int frame) const {
    const auto& f = robot.frames[index(frame)];
    return robot.world_from_base * body(f.link).pose * f.in_link;
  }

  // The pose of link i itself, in the base frame and along its axes.
  const Pose<S>& pose_of(int i) const { return links_[index(i)].pose; }
  const FrameMotion<S>& motion_of(int i) const { return links_[index(i)].motion; }

  FrameMotion<S> motion(const TreeFor<S>& robot, int frame) const {
    const auto& f = robot.frames[index(frame)];
    const Link& link = body(f.link);
    const FrameMotion<S> m = carry(link.motion, link.pose.R * f.in_link.p);
    const auto& R = robot.world_from_base.R;
    return {R * m.omega, R * m.omega_dot, R * m.velocity, R * m.acceleration};
  }

  // put(j, column): (∂v/∂q̇_j, ∂ω/∂q̇_j) of the frame's origin, for the joints that move the frame.
  template <class Put>
  void jacobian(const TreeFor<S>& robot, int frame, Put&& put) const {
    const auto& f = robot.frames[index(frame)];
    const auto& R = robot.world_from_base.R;
    const Vec3<S> point = body(f.link).pose.p + body(f.link).pose.R * f.in_link.p;
    for (int i = f.link; i != base_link; i = robot.link(i).parent) {
      const auto& link = robot.link(i);
      const Pose<S>& pose = links_[index(i)].pose;
      const Vec3<S> z = pose.R.column_z();
      put(link.q,
          link.revolute ? JacobianColumn<S>{R * cross(z, point - pose.p), R * z} : JacobianColumn<S>{R * z, Vec3<S>{}});
    }
  }

  // The time derivative of that; place() must have been given q̇.
  template <class Put>
  void jacobian_derivative(const TreeFor<S>& robot, int frame, Put&& put) const {
    const auto& f = robot.frames[index(frame)];
    const auto& R = robot.world_from_base.R;
    const Link& carrier = body(f.link);
    const Vec3<S> arm = carrier.pose.R * f.in_link.p;
    const Vec3<S> point = carrier.pose.p + arm;
    const Vec3<S> velocity = carrier.motion.velocity + cross(carrier.motion.omega, arm);
    for (int i = f.link; i != base_link; i = robot.link(i).parent) {
      const auto& link = robot.link(i);
      const Link& own = links_[index(i)];
      const Vec3<S> z = own.pose.R.column_z();
      const Vec3<S> z_dot = cross(own.motion.omega, z);
      if (link.revolute) {
        put(link.q, JacobianColumn<S>{R * (cross(z_dot, point - own.pose.p) + cross(z, velocity - own.motion.velocity)),
                                      R * z_dot});
      } else {
        put(link.q, JacobianColumn<S>{R * z_dot, Vec3<S>{}});
      }
    }
  }

  // ½ Σ (m v·v + ω·I ω) of the links, without rotors; place() must have been given q̇.
  S kinetic_energy(const TreeFor<S>& robot) const {
    S twice{};
    for (int i = 0; i < robot.joints(); ++i) {
      const auto& link = robot.link(i);
      const Link& own = links_[index(i)];
      const Vec3<S> v = own.motion.velocity + cross(own.motion.omega, own.pose.R * link.com);
      const Vec3<S> omega = own.pose.R.transpose() * own.motion.omega;
      twice += link.mass * dot(v, v) + dot(omega, link.inertia_com * omega);
    }
    return T(0.5) * twice;
  }

  // Σ m c of the moving links, from the origin of the user's base link frame and along its axes.
  Vec3<S> first_moment(const TreeFor<S>& robot) const {
    Vec3<S> moment{};
    T mass(0);
    for (int i = 0; i < robot.joints(); ++i) {
      const auto& link = robot.link(i);
      const Pose<S>& pose = links_[index(i)].pose;
      moment += link.mass * (pose.p + pose.R * link.com);
      mass += link.mass;
    }
    return robot.world_from_base.R * moment + mass * robot.world_from_base.p;
  }

  // -Σ m g·c of the moving links; zero if every mass centre is at the origin of the user's base link frame.
  S potential_energy(const TreeFor<S>& robot) const {
    S energy{};
    const Vec3<T> base_to_world = -(robot.world_from_base.R.transpose() * robot.world_from_base.p);
    for (int i = 0; i < robot.joints(); ++i) {
      const auto& link = robot.link(i);
      const Pose<S>& pose = links_[index(i)].pose;
      energy -= link.mass * dot(robot.gravity, pose.p + pose.R * link.com - base_to_world);
    }
    return energy;
  }

 private:
  struct Link {
    Pose<S> pose{Mat3<S>{S(T(1)), S(T(0)), S(T(0)), S(T(0)), S(T(1)), S(T(0)), S(T(0)), S(T(0)), S(T(1))}, Vec3<S>{}};
    FrameMotion<S> motion{};  // of the origin, base axes
  };

  const Link& body(int link) const { return link == base_link ? base_ : links_[index(link)]; }

  // The motion of a point `arm` away on the same body.
  static FrameMotion<S> carry(const FrameMotion<S>& m, const Vec3<S>& arm) {
    const Vec3<S> spin = cross(m.omega, arm);
    return {m.omega, m.omega_dot, m.velocity + spin, m.acceleration + cross(m.omega_dot, arm) + cross(m.omega, spin)};
  }

  Array<Link> links_;
  JointTurns<S> turns_;
  Link base_{};
};

}  // namespace catena
