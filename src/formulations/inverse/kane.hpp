// Inverse dynamics by Kane's equations as Ma writes them (Balafoutis, eqs 5.2.13 and 5.2.14): every torque is a sum,
// over the links that its joint moves, of partial velocities times the wrench on the link. Equations (1)-(8):
// docs/equations/kane.md. Components along the base axes, except in (5).
#pragma once

#include "catena/formulation/kernels.hpp"

namespace catena {

struct Kane {
  static constexpr FormulationInfo info{"kane", "inverse", "Ma 1987 after Kane; Balafoutis 1989, eqs 5.2.13, 5.2.14",
                                        "docs/equations/kane.md", "109n - 109 M, 95n - 108 A as a recursion"};

  template <class S>
  struct Workspace {
    struct Link {
      Mat3<S> R;                 // (1) base from link
      Vec3<S> origin;            // (1) from the base origin to o_i
      Vec3<S> omega, omega_dot;  // (2) angular velocity and acceleration
      Vec3<S> a_origin;          // (3) acceleration of the origin, gravity included
    };
    Array<Link> links;
    JointTurns<S> turns;

    explicit Workspace(const TreeFor<S>& robot) : links(index(robot.joints())), turns(robot.joints()) {}
  };

  template <class S>
  static void run(const TreeFor<S>& robot, const Motion<S>& x, Workspace<S>& ws, std::span<S> tau) {
    joint_turns<S>(robot, x.q, ws.turns);
    for (S& t : tau) t = S{};
    for (int j = 0; j < robot.joints(); ++j) {
      const auto& link = robot.link(j);
      auto& own = ws.links[index(j)];
      place(robot, x, j, ws);
      const Vec3<S> arm = own.R * link.com;
      const Vec3<S> a_com = add_cross(add_cross(own.a_origin, own.omega_dot, arm), own.omega, cross(own.omega, arm));
      const Vec3<S> F = link.mass * a_com;     // (4)
      const Vec3<S> M = moment<S>(link, own);  // (5)
      const Vec3<S> com = own.origin + arm;
      for (int i = j; i != base_link; i = robot.link(i).parent) {
        const auto& joint = ws.links[index(i)];
        const Vec3<S> z = joint.R.column_z();  // (6)
        tau[index(robot.link(i).q)] +=
            robot.link(i).revolute ? dot(z, add_cross(M, com - joint.origin, F)) : dot(z, F);  // (7), (8)
      }
    }
  }

 private:
  // (1)-(3)
  template <class S>
  static void place(const TreeFor<S>& robot, const Motion<S>& x, int j, Workspace<S>& ws) {
    const auto& link = robot.link(j);
    const S &qd = x.qd[index(link.q)], &qdd = x.qdd[index(link.q)];
    const Vec3<S> s = joint_offset(link, x.q[index(link.q)]);
    auto& [R, origin, omega, omega_dot, a_origin] = ws.links[index(j)];
    if (link.parent == base_link) {
      R = matrix(link.tilt, ws.turns[j]);
      origin = s;
      a_origin = static_cast<Vec3<S>>(-robot.gravity);
      omega = omega_dot = {};
      const Vec3<S> z = R.column_z();
      if (link.revolute) {
        omega = qd * z;
        omega_dot = qdd * z;
      } else {
        a_origin += qdd * z;
      }
      return;
    }
    const auto& parent = ws.links[index(link.parent)];
    const Vec3<S> step = parent.R * s;
    R = compose(parent.R, link.tilt, ws.turns[j]);  // (1)
    origin = parent.origin + step;
    omega = parent.omega;
    omega_dot = parent.omega_dot;
    a_origin =
        add_cross(add_cross(parent.a_origin, parent.omega_dot, step), parent.omega, cross(parent.omega, step));  // (3)
    const Vec3<S> z = R.column_z(), rate = qd * z, turned = cross(parent.omega, rate);
    if (link.revolute) {
      omega += rate;
      omega_dot += turned + qdd * z;  // (2)
    } else {
      a_origin += (turned + turned) + qdd * z;  // (3)
    }
  }

  // (5): I ω̇ + ω x I ω, along the link's axes, where I is constant.
  template <class S, class T, class Link>
  static Vec3<S> moment(const LinkConstants<T>& link, const Link& own) {
    const Mat3<S> to_link = own.R.transpose();
    const Vec3<S> omega = to_link * own.omega, omega_dot = to_link * own.omega_dot;
    return own.R * add_cross(link.inertia_com * omega_dot, omega, link.inertia_com * omega);
  }
};

}  // namespace catena
