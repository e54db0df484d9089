// Inverse dynamics by Lagrange's equations with 4x4 homogeneous matrices (Hollerbach after Waters; Algorithm 5.1 of
// Balafoutis). Equations (1)-(8): docs/equations/hollerbach_4x4.md. Only the last row of a homogeneous matrix, which is
// constant, is left out.
#pragma once

#include "catena/dynamics/formulation.hpp"

namespace catena {

struct Hollerbach4x4 {
  static constexpr FormulationInfo info{"hollerbach-4x4", "inverse",
                                        "Hollerbach 1980 after Waters 1979; Balafoutis 1989, Algorithm 5.1",
                                        "docs/equations/hollerbach_4x4.md", "830n - 592 M, 675n - 464 A"};

  // The upper three rows of a homogeneous matrix.
  template <class S>
  struct Rows {
    Mat3<S> R;
    Vec3<S> p;

    friend Rows operator+(Rows a, const Rows& b) {
      a.R += b.R;
      a.p += b.p;
      return a;
    }
    friend Rows operator*(const S& k, const Rows& m) {
      return {Mat3<S>::from_columns(k * m.R.column_x(), k * m.R.column_y(), k * m.R.column_z()), k * m.p};
    }
  };
  // D = J Ẅᵀ and its sums: four rows, three columns that are not zero.
  template <class S>
  struct Moments {
    Mat3<S> upper;  // rows 1 to 3
    Vec3<S> lower;  // row 4
  };

  template <class S>
  struct Workspace {
    struct Link {
      Rows<S> T;                 // parent from link
      Rows<S> W, W_dot, W_ddot;  // (1), (2), (3) base from link, and its time derivatives
      Moments<S> D;              // (4)
      Vec3<S> c;                 // (5) m (r, 1) of what hangs here: first moment …
      S mass;                    // … and mass
    };
    Array<Link> links;
    JointTurns<S> turns;

    explicit Workspace(const MechanismFor<S>& robot) : links(index(robot.n())), turns(robot.n()) {}
  };

  template <class S>
  static void run(const MechanismFor<S>& robot, const Motion<S>& x, Workspace<S>& ws, std::span<S> tau) {
    joint_turns<S>(robot, x.q, ws.turns);
    for (int i = 0; i < robot.n(); ++i) {  // outward: displacement and its derivatives, then J Ẅᵀ of the link
      const auto& link = robot.link(i);
      const S &qd = x.qd[index(link.q)], &qdd = x.qdd[index(link.q)];
      auto& own = ws.links[index(i)];
      own.T = {matrix(link.tilt, ws.turns[i]), joint_offset(link, x.q[index(link.q)])};
      if (link.parent == base) {
        own.W = own.T;
        own.W_dot = qd * times_Q(own.W, link.revolute);
        own.W_ddot = qdd * times_Q(own.W, link.revolute) + (qd * qd) * times_QQ(own.W, link.revolute);
      } else {
        const auto& parent = ws.links[index(link.parent)];
        own.W = product(parent.W, own.T);  // (1)
        const Rows<S> WdT = product(parent.W_dot, own.T);
        const Rows<S> WQ = times_Q(own.W, link.revolute);
        own.W_dot = WdT + qd * WQ;  // (2)
        own.W_ddot = product(parent.W_ddot, own.T) + (qd + qd) * times_Q(WdT, link.revolute) +
                     (qd * qd) * times_QQ(own.W, link.revolute) + qdd * WQ;  // (3)
      }
      const Vec3<ConstantOf<S>> first = link.mass * link.com;  // J_i: off line
      const Sym3<ConstantOf<S>> second = link.pseudo_com + link.mass * outer(link.com);
      own.D.upper = second.full() * own.W_ddot.R.transpose();  // (4)
      own.D.upper += Mat3<S>::from_columns(own.W_ddot.p.x * first, own.W_ddot.p.y * first, own.W_ddot.p.z * first);
      own.D.lower = own.W_ddot.R * first + link.mass * own.W_ddot.p;
      own.c = static_cast<Vec3<S>>(first);  // (5)
      own.mass = S(link.mass);
    }
    for (int i = robot.n() - 1; i >= 0; --i) {  // inward: project, hand D and c to the parent
      const auto& link = robot.link(i);
      const auto& own = ws.links[index(i)];
      const Rows<S> WQ = times_Q(own.W, link.revolute);
      tau[index(link.q)] = trace_of_product(WQ, own.D) - dot(robot.gravity, WQ.R * own.c + own.mass * WQ.p);  // (6)
      if (link.parent == base) continue;
      auto& parent = ws.links[index(link.parent)];
      parent.D.upper += own.T.R * own.D.upper;  // (4): T D, four rows
      const Vec3<S>& row = own.D.lower;
      parent.D.upper += Mat3<S>::from_columns(row.x * own.T.p, row.y * own.T.p, row.z * own.T.p);
      parent.D.lower += row;
      parent.c += own.T.R * own.c + own.mass * own.T.p;  // (5)
      parent.mass += own.mass;
    }
  }

 private:
  // W T. The last row of T is (0, 0, 0, 1) whether W is a displacement or one of its derivatives.
  template <class S>
  static Rows<S> product(const Rows<S>& W, const Rows<S>& T) {
    return {W.R * T.R, W.R * T.p + W.p};
  }
  // W Q: Q differentiates the joint's own motion, z~ in the rotation (revolute) or z in the last column (prismatic).
  // (7)
  template <class S>
  static Rows<S> times_Q(const Rows<S>& W, bool revolute) {
    if (revolute) return {Mat3<S>::from_columns(W.R.column_y(), -W.R.column_x(), Vec3<S>{}), Vec3<S>{}};
    return {Mat3<S>{}, W.R.column_z()};
  }
  // W Q Q; zero for a prismatic joint.  (8)
  template <class S>
  static Rows<S> times_QQ(const Rows<S>& W, bool revolute) {
    if (revolute) return {Mat3<S>::from_columns(-W.R.column_x(), -W.R.column_y(), Vec3<S>{}), Vec3<S>{}};
    return {};
  }
  // tr(A D), A with a zero last row.
  template <class S>
  static S trace_of_product(const Rows<S>& A, const Moments<S>& D) {
    return A.R.xx * D.upper.xx + A.R.xy * D.upper.yx + A.R.xz * D.upper.zx + A.p.x * D.lower.x + A.R.yx * D.upper.xy +
           A.R.yy * D.upper.yy + A.R.yz * D.upper.zy + A.p.y * D.lower.y + A.R.zx * D.upper.xz + A.R.zy * D.upper.yz +
           A.R.zz * D.upper.zz + A.p.z * D.lower.z;
  }
};

}  // namespace catena
