// Inverse dynamics by the vector Newton-Euler recursion of Luh, Walker and Paul (Algorithm 5.3 of Balafoutis).
// Equations (1)-(9): docs/equations/luh_walker_paul.md. Quantities of link i are in frame i.
#pragma once

#include "catena/formulation/formulation.hpp"

namespace catena {

struct LuhWalkerPaul {
  static constexpr FormulationInfo info{
      "luh-walker-paul", "inverse", "Luh, Walker and Paul 1980; Balafoutis 1989, Algorithm 5.3",
      "docs/equations/luh_walker_paul.md", "126n - 99 M, 106n - 92 A (Craig's count)"};

  template <class S>
  struct Workspace {
    struct Link {
      Vec3<S> omega;      // (1) angular velocity
      Vec3<S> omega_dot;  // (2) angular acceleration
      Vec3<S> a_origin;   // (3) acceleration of the origin, gravity included
      Vec3<S> f;          // (6), (8) force on the link from its parent
      Vec3<S> n;          // (7), (8) moment about the origin on the link from its parent
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
      auto& [omega, omega_dot, a_origin, f, n] = ws.links[index(i)];
      if (link.parent == base_link) {
        omega = omega_dot = {};
        a_origin = base_acceleration(robot, i, turn);
      } else {
        const auto& parent = ws.links[index(link.parent)];
        const Vec3<S> s = joint_offset(link, x.q[index(link.q)]);
        omega = to_child(link.tilt, turn, parent.omega);
        omega_dot = to_child(link.tilt, turn, parent.omega_dot);
        a_origin = to_child(link.tilt, turn,
                            parent.a_origin + cross(parent.omega_dot, s) + cross(parent.omega, cross(parent.omega, s)));
      }
      if (link.revolute) {
        omega_dot += Vec3<S>{omega.y * qd, -(omega.x * qd), qdd};  // (2)
        omega.z += qd;                                             // (1)
      } else {
        const S twice = qd + qd;
        a_origin += Vec3<S>{omega.y * twice, -(omega.x * twice), qdd};  // (3)
      }
      const Vec3<S> a_com = a_origin + cross(omega_dot, link.com) + cross(omega, cross(omega, link.com));  // (4)
      const Vec3<S> moment_com = link.inertia_com * omega_dot + cross(omega, link.inertia_com * omega);    // (5)
      f = link.mass * a_com;                                                                               // (6)
      n = moment_com + cross(link.com, f);                                                                 // (7)
    }
    for (int i = robot.joints() - 1; i >= 0; --i) {  // inward: project, pass the wrench to the parent
      const auto& link = robot.link(i);
      const auto& own = ws.links[index(i)];
      tau[index(link.q)] = link.revolute ? own.n.z : own.f.z;  // (9)
      if (link.parent == base_link) continue;
      auto& parent = ws.links[index(link.parent)];
      const Vec3<S> f_in_parent = to_parent(link.tilt, ws.turns[i], own.f);
      parent.f += f_in_parent;  // (8)
      parent.n += to_parent(link.tilt, ws.turns[i], own.n) + cross(joint_offset(link, x.q[index(link.q)]), f_in_parent);
    }
  }
};

}  // namespace catena
