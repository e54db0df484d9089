// Torques for given accelerations without velocities and gravity: M v without M. Newton and Euler without velocities.
// Equations (2), (3): docs/equations/conjugate_gradient.md. Link i's quantities are in frame i.
#pragma once

#include "catena/formulation/formulation.hpp"

namespace catena {

template <class S>
class StillRobot {
 public:
  explicit StillRobot(const TreeFor<S>& robot) : links_(index(robot.joints())), moved_(index(robot.joints())) {}

  // For accelerations v of all joints: the torques of the rigid links, by q.
  void torques(const TreeFor<S>& robot, std::span<const S> q, const JointTurns<S>& turns, std::span<const S> v,
               std::span<S> out) {
    for (int i = 0; i < robot.joints(); ++i) {
      const auto& link = robot.link(i);
      auto& [alpha, a, f, n] = links_[index(i)];
      alpha = a = {};
      if (link.parent != base_link) carry(link, turns[i], q, i);
      (link.revolute ? alpha : a).z += v[index(link.q)];
      load(link, i);
    }
    for (int i = robot.joints() - 1; i >= 0; --i) {
      const auto& link = robot.link(i);
      out[index(link.q)] = felt(link, i);  // (3)
      if (link.parent != base_link) hand_on(link, turns[i], q, i);
    }
  }

  // For a unit acceleration of the joint of link j alone, at that joint and those beyond it: the others are at rest.
  // visit(link, torque)
  template <class Visitor>
  void unit_torques(const TreeFor<S>& robot, std::span<const S> q, const JointTurns<S>& turns, int j, Visitor&& visit) {
    for (int i = 0; i < robot.joints(); ++i) {
      const auto& link = robot.link(i);
      moved_[index(i)] = i == j || (link.parent != base_link && moved_[index(link.parent)] != 0);
      if (moved_[index(i)] == 0) continue;
      if (i == j) {
        auto& own = links_[index(i)];
        own.alpha = own.a = {};
        (link.revolute ? own.alpha : own.a).z = S(ConstantOf<S>(1));
      } else {
        carry(link, turns[i], q, i);
      }
      load(link, i);
    }
    for (int i = robot.joints() - 1; i >= j; --i) {
      if (moved_[index(i)] == 0) continue;
      visit(i, felt(robot.link(i), i));  // (3)
      if (i != j) hand_on(robot.link(i), turns[i], q, i);
    }
  }

 private:
  struct Link {
    Vec3<S> alpha, a;  // (2)
    Vec3<S> f, n;      // (3)
  };
  using Constants = LinkConstants<ConstantOf<S>>;

  void carry(const Constants& link, const Turn<S>& turn, std::span<const S> q, int i) {  // (2)
    const auto& parent = links_[index(link.parent)];
    auto& own = links_[index(i)];
    own.alpha = to_child(link.tilt, turn, parent.alpha);
    own.a = to_child(link.tilt, turn, add_cross(parent.a, parent.alpha, joint_offset(link, q[index(link.q)])));
  }
  void load(const Constants& link, int i) {  // (3)
    auto& [alpha, a, f, n] = links_[index(i)];
    f = link.mass * add_cross(a, alpha, link.com);
    n = add_cross(link.inertia_com * alpha, link.com, f);
  }
  const S& felt(const Constants& link, int i) const {
    const auto& own = links_[index(i)];
    return link.revolute ? own.n.z : own.f.z;
  }
  void hand_on(const Constants& link, const Turn<S>& turn, std::span<const S> q, int i) {
    const auto& own = links_[index(i)];
    auto& parent = links_[index(link.parent)];
    const Vec3<S> f = to_parent(link.tilt, turn, own.f);
    parent.f += f;
    parent.n = add_cross(parent.n + to_parent(link.tilt, turn, own.n), joint_offset(link, q[index(link.q)]), f);
  }

  Array<Link> links_;
  Array<char> moved_;
};

}  // namespace catena
