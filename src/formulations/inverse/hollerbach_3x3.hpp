// Inverse dynamics by Lagrange's equations with 3x3 rotation matrices (Hollerbach; Algorithm 5.2 of Balafoutis),
// including the prismatic terms that the thesis omits. Equations (1)-(9): docs/equations/hollerbach_3x3.md.
// Orientations and accelerations are in the base frame, first and second moments in link frames.
#pragma once

#include "catena/formulation/formulation.hpp"

namespace catena {

struct Hollerbach3x3 {
  static constexpr FormulationInfo info{"hollerbach-3x3", "inverse", "Hollerbach 1980; Balafoutis 1989, Algorithm 5.2",
                                        "docs/equations/hollerbach_3x3.md", "412n - 277 M, 320n - 201 A"};

  template <class S>
  struct Workspace {
    struct Link {
      Mat3<S> W, W_dot, W_ddot;  // (1), (2), (3) base from link, and its time derivatives
      Vec3<S> s_ddot;            // (4) acceleration of the origin, base frame, gravity not included
      Vec3<S> e;                 // (5) rate of change of linear momentum of this link and all beyond it
      Mat3<S> D;                 // (6) second moments of position against acceleration
      Vec3<S> c;                 // (7) first moment of this link and all beyond it
      S mass;                    // (7) and its mass
    };
    Array<Link> links;
    JointTurns<S> turns;

    explicit Workspace(const TreeFor<S>& robot) : links(index(robot.joints())), turns(robot.joints()) {}
  };

  template <class S>
  static void run(const TreeFor<S>& robot, const Motion<S>& x, Workspace<S>& ws, std::span<S> tau) {
    joint_turns<S>(robot, x.q, ws.turns);
    for (int i = 0; i < robot.joints(); ++i) {  // outward: orientation and its derivatives, then the link's own moments
      const auto& link = robot.link(i);
      auto& own = ws.links[index(i)];
      place(link, x, ws.turns[i], link.parent == base_link ? nullptr : &ws.links[index(link.parent)], own);
      const Vec3<ConstantOf<S>> first = link.mass * link.com;  // n_i and J_i: off line
      const Sym3<ConstantOf<S>> second = link.pseudo_com + link.mass * outer(link.com);
      own.e = link.mass * own.s_ddot + own.W_ddot * first;  // (5)
      own.D =
          Mat3<S>::from_columns(second * own.W_ddot.row_x(), second * own.W_ddot.row_y(), second * own.W_ddot.row_z());
      add_outer(first, own.s_ddot, own.D);  // (6)
      own.c = static_cast<Vec3<S>>(first);  // (7)
      own.mass = S(link.mass);
    }
    for (int i = robot.joints() - 1; i >= 0; --i) {  // inward: project, pass the moments to the parent
      const auto& link = robot.link(i);
      const auto& own = ws.links[index(i)];
      const Vec3<S> x_axis = own.W.column_x(), y_axis = own.W.column_y(), z_axis = own.W.column_z();
      if (link.revolute) {
        tau[index(link.q)] = dot(own.D.row_x(), y_axis) - dot(own.D.row_y(), x_axis) -
                             dot(robot.gravity, own.c.x * y_axis - own.c.y * x_axis);  // (8)
      } else {
        tau[index(link.q)] = dot(own.e - own.mass * robot.gravity, z_axis);  // (9)
      }
      if (link.parent == base_link) continue;
      auto& parent = ws.links[index(link.parent)];
      const auto in_parent = [&](const Vec3<S>& v) { return to_parent(link.tilt, ws.turns[i], v); };
      const Vec3<S> s = joint_offset(link, x.q[index(link.q)]);
      parent.e += own.e;  // (5)
      parent.D +=
          Mat3<S>::from_columns(in_parent(own.D.column_x()), in_parent(own.D.column_y()), in_parent(own.D.column_z()));
      add_outer(s, own.e, parent.D);                // (6)
      parent.c += own.mass * s + in_parent(own.c);  // (7)
      parent.mass += own.mass;
    }
  }

 private:
  // m += a bᵀ
  template <class A, class S>
  static void add_outer(const Vec3<A>& a, const Vec3<S>& b, Mat3<S>& m) {
    m += Mat3<S>::from_columns(b.x * a, b.y * a, b.z * a);
  }

  // (1)-(4). `parent` is null for a link on the base: W = 1 there, and everything else is zero.
  template <class S, class T, class Link>
  static void place(const LinkConstants<T>& link, const Motion<S>& x, const Turn<S>& turn, const Link* parent,
                    Link& own) {
    const S &qd = x.qd[index(link.q)], &qdd = x.qdd[index(link.q)];
    const Mat3<S> A = matrix(link.tilt, turn);
    if (parent == nullptr) {
      own.W = A;
      own.W_dot = own.W_ddot = {};
      own.s_ddot = {};
    } else {
      const auto times_A = [&](const Mat3<S>& m) {  // by rows: (m A)ᵀ = Aᵀ mᵀ
        return Mat3<S>::from_columns(to_child(link.tilt, turn, m.row_x()), to_child(link.tilt, turn, m.row_y()),
                                     to_child(link.tilt, turn, m.row_z()))
            .transpose();
      };
      own.W = times_A(parent->W);
      own.W_dot = times_A(parent->W_dot);
      own.W_ddot = times_A(parent->W_ddot);
      own.s_ddot = parent->s_ddot + parent->W_ddot * joint_offset(link, x.q[index(link.q)]);
    }
    const Vec3<S> x_axis = own.W.column_x(), y_axis = own.W.column_y(), z_axis = own.W.column_z();
    const S twice = qd + qd;
    if (!link.revolute) {
      own.s_ddot += twice * own.W_dot.column_z() + qdd * z_axis;  // (4)
      return;
    }
    // W z~ = (y, -x, 0) and W z~z~ = (-x, -y, 0), column by column.
    const S square = qd * qd;
    const Vec3<S> x_dot = own.W_dot.column_x(), y_dot = own.W_dot.column_y(), zero{};
    own.W_ddot += Mat3<S>::from_columns(twice * y_dot - square * x_axis + qdd * y_axis,
                                        -(twice * x_dot + square * y_axis + qdd * x_axis), zero);  // (3)
    own.W_dot += Mat3<S>::from_columns(qd * y_axis, -(qd * x_axis), zero);                         // (2)
  }
};

}  // namespace catena
