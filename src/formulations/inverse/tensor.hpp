// Inverse dynamics with Cartesian tensors (Algorithm 5.4 of Balafoutis): Newton and Euler with Ω = ω̇~ + ω~ω~.
// Equations (1)-(8): docs/equations/tensor.md. Quantities of link i are in frame i.
#pragma once

#include "catena/formulation/formulation.hpp"

namespace catena {

struct Tensor {
  static constexpr FormulationInfo info{"tensor", "inverse", "Balafoutis 1989, Algorithm 5.4",
                                        "docs/equations/tensor.md", "96n - 77 M, 84n - 70 A"};

  template <class S>
  struct Workspace {
    struct Link {
      Vec3<S> omega;      // (1) angular velocity
      Vec3<S> omega_dot;  // (2) angular acceleration
      Mat3<S> Omega;      // (3) angular acceleration tensor
      Vec3<S> a_origin;   // (4) acceleration of the origin, gravity included
      Vec3<S> f;          // (5), (7) force on the link from its parent
      Vec3<S> n;          // (6), (7) moment about the origin on the link from its parent
    };
    Array<Link> links;
    JointTurns<S> turns;

    explicit Workspace(const TreeFor<S>& robot) : links(index(robot.joints())), turns(robot.joints()) {}
  };

  template <class S>
  static void run(const TreeFor<S>& robot, const Motion<S>& x, Workspace<S>& ws, std::span<S> tau) {
    joint_turns<S>(robot, x.q, ws.turns);
    for (int i = 0; i < robot.joints(); ++i) {  // outward: motion, then the wrench it needs
      const auto& link = robot.link(i);
      const auto& turn = ws.turns[i];
      const S &qd = x.qd[index(link.q)], &qdd = x.qdd[index(link.q)];
      auto& [omega, omega_dot, Omega, a_origin, f, n] = ws.links[index(i)];
      if (link.parent == base_link) {
        a_origin = base_acceleration(robot, i, turn);
        start(link, qd, qdd, ws.links[index(i)]);
      } else {
        const auto& parent = ws.links[index(link.parent)];
        omega = to_child(link.tilt, turn, parent.omega);
        omega_dot = to_child(link.tilt, turn, parent.omega_dot);
        a_origin = to_child(link.tilt, turn, parent.a_origin + parent.Omega * joint_offset(link, x.q[index(link.q)]));
        if (link.revolute) {
          omega_dot += Vec3<S>{omega.y * qd, -(omega.x * qd), qdd};  // (2)
          omega.z += qd;                                             // (1)
        } else {
          const S twice = qd + qd;
          a_origin += Vec3<S>{omega.y * twice, -(omega.x * twice), qdd};  // (4)
        }
        Omega = angular_acceleration_tensor(omega, omega_dot);             // (3)
        f = link.mass * (a_origin + Omega * link.com);                     // (5)
        n = add_cross(euler_moment(Omega, link.pseudo_com), link.com, f);  // (6)
      }
    }
    for (int i = robot.joints() - 1; i >= 0; --i) {  // inward: project, pass the wrench to the parent
      const auto& link = robot.link(i);
      const auto& own = ws.links[index(i)];
      tau[index(link.q)] = link.revolute ? own.n.z : own.f.z;  // (8)
      if (link.parent == base_link) continue;
      auto& parent = ws.links[index(link.parent)];
      const Vec3<S> f_in_parent = to_parent(link.tilt, ws.turns[i], own.f);  // (7)
      parent.f += f_in_parent;
      parent.n = add_cross(parent.n + to_parent(link.tilt, ws.turns[i], own.n), joint_offset(link, x.q[index(link.q)]),
                           f_in_parent);
    }
  }

 private:
  // (1)-(6) for a link on the base: all but the joint's own motion is zero, and f and n are only needed along the joint
  // itself.
  template <class S, class T, class Link>
  static void start(const LinkConstants<T>& link, const S& qd, const S& qdd, Link& own) {
    own.omega = own.omega_dot = own.f = own.n = {};
    own.Omega = {};
    if (link.revolute) {
      const S square = qd * qd, zero{};
      own.omega.z = qd;
      own.omega_dot.z = qdd;
      own.Omega = {-square, -qdd, zero, qdd, -square, zero, zero, zero, zero};
      const S f_x = link.mass * ((own.a_origin.x - link.com.x * square) - link.com.y * qdd);
      const S f_y = link.mass * ((own.a_origin.y + link.com.x * qdd) - link.com.y * square);
      own.n.z = ((link.pseudo_com.xx + link.pseudo_com.yy) * qdd + link.com.x * f_y) - link.com.y * f_x;
    } else {
      own.a_origin.z += qdd;
      own.f.z = link.mass * own.a_origin.z;
    }
  }
};

}  // namespace catena
