// Inverse dynamics by the decoupled natural orthogonal complement (Saha's RIDIM): twists and wrenches at the mass
// centres. Equations (1)-(8): docs/equations/denoc_inverse.md. Link i's quantities are in frame i. Saha's classic-DH
// vectors read here: d_i = com_i, from the joint to the mass centre, and r, from the parent's mass centre to the joint.
#pragma once

#include "catena/dynamics/formulation.hpp"

namespace catena {

struct DenocInverse {
  static constexpr FormulationInfo info{"denoc", "inverse", "Saha 1999, RIDIM (section 5.1, eq. 32)",
                                        "docs/equations/denoc_inverse.md", "120n - 44 M, 97n - 55 A"};

  template <class S>
  struct Workspace {
    struct Link {
      Vec3<S> omega;      // (1) the angular half of the twist ν
      Vec3<S> omega_dot;  // (2) the angular half of ξ
      Mat3<S> Omega;      // ω̇~ + ω~ω~, used for d_i and for every child's r
      Vec3<S> a_com;      // (3) the linear half of ξ: acceleration of the mass centre, gravity included
      Vec3<S> f;          // (5), (7) the wrench γ on the link by its parent, about the mass centre
      Vec3<S> n;          // (4), (7)
    };
    Array<Link> links;
    JointTurns<S> turns;

    explicit Workspace(const MechanismFor<S>& robot) : links(index(robot.n())), turns(robot.n()) {}
  };

  template <class S>
  static void run(const MechanismFor<S>& robot, const Motion<S>& x, Workspace<S>& ws, std::span<S> tau) {
    joint_turns<S>(robot, x.q, ws.turns);
    for (int i = 0; i < robot.n(); ++i) {  // outward: ν, ξ, then γ of the link alone
      const auto& link = robot.link(i);
      const auto& turn = ws.turns[i];
      const S &qd = x.qd[index(link.q)], &qdd = x.qdd[index(link.q)];
      auto& [omega, omega_dot, Omega, a_com, f, n] = ws.links[index(i)];
      Vec3<S> a_joint;
      if (link.parent == base) {
        omega = omega_dot = {};
        a_joint = base_acceleration(robot, i, turn);
      } else {
        const auto& parent = ws.links[index(link.parent)];
        omega = to_child(link.tilt, turn, parent.omega);
        omega_dot = to_child(link.tilt, turn, parent.omega_dot);
        a_joint = to_child(link.tilt, turn, parent.a_com + parent.Omega * com_to_joint(robot, link, x.q));
      }
      if (link.revolute) {
        omega_dot += Vec3<S>{omega.y * qd, -(omega.x * qd), qdd};  // (2)
        omega.z += qd;                                             // (1)
      } else {
        const S twice = qd + qd;
        a_joint += Vec3<S>{omega.y * twice, -(omega.x * twice), qdd};  // (3)
      }
      Omega = angular_acceleration_tensor(omega, omega_dot);
      a_com = a_joint + Omega * link.com;                                         // (3)
      n = link.inertia_com * omega_dot + cross(omega, link.inertia_com * omega);  // (4)
      f = link.mass * a_com;                                                      // (5)
    }
    for (int i = robot.n() - 1; i >= 0; --i) {  // inward: γ with all that hangs on the link
      const auto& link = robot.link(i);
      const auto& own = ws.links[index(i)];
      const Vec3<S> n_joint = add_cross(own.n, link.com, own.f);  // (6)
      tau[index(link.q)] = link.revolute ? n_joint.z : own.f.z;   // (8)
      if (link.parent == base) continue;
      auto& parent = ws.links[index(link.parent)];
      const Vec3<S> f_in_parent = to_parent(link.tilt, ws.turns[i], own.f);
      parent.f += f_in_parent;  // (7)
      parent.n =
          add_cross(parent.n + to_parent(link.tilt, ws.turns[i], n_joint), com_to_joint(robot, link, x.q), f_in_parent);
    }
  }
};

}  // namespace catena
