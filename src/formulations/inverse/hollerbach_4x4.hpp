// Inverse dynamics by Lagrange's equations with 4x4 homogeneous matrices (Hollerbach after Waters; Algorithm 5.1 of
// Balafoutis). Equations (1)-(8): docs/equations/hollerbach_4x4.md. Only the last row of a homogeneous matrix, which is
// constant, is not stored.
#pragma once

#include "formulations/shared/homogeneous.hpp"

namespace catena {

struct Hollerbach4x4 {
  static constexpr FormulationInfo info{"hollerbach-4x4", "inverse",
                                        "Hollerbach 1980 after Waters 1979; Balafoutis 1989, Algorithm 5.1",
                                        "docs/equations/hollerbach_4x4.md", "830n - 592 M, 675n - 464 A"};

  template <class S>
  using Rows = homogeneous::Rows<S>;
  // D = J Ẅᵀ and its sums: four rows, three columns that are not zero.
  template <class S>
  struct Moments {
    Mat3<S> upper;  // rows 1 to 3
    Vec3<S> lower;  // row 4
  };

  template <class S>
  struct Workspace {
    struct Link : homogeneous::Displacement<S> {  // (1), (2), (3)
      Moments<S> D;                               // (4)
      Vec3<S> c;                                  // (5) m (r, 1) of this link and all beyond it: first moment …
      S mass;                                     // … and mass
    };
    Array<Link> links;
    JointTurns<S> turns;

    explicit Workspace(const TreeFor<S>& robot) : links(index(robot.joints())), turns(robot.joints()) {}
  };

  template <class S>
  static void run(const TreeFor<S>& robot, const Motion<S>& x, Workspace<S>& ws, std::span<S> tau) {
    joint_turns<S>(robot, x.q, ws.turns);
    for (int i = 0; i < robot.joints(); ++i) {  // outward: displacement and its derivatives, then J Ẅᵀ of the link
      const auto& link = robot.link(i);
      auto& own = ws.links[index(i)];
      homogeneous::displace<S>(link, x, ws.turns[i], link.parent == base_link ? nullptr : &ws.links[index(link.parent)],
                               own);                           // (1)-(3)
      const Vec3<ConstantOf<S>> first = link.mass * link.com;  // J_i: off line
      const Sym3<ConstantOf<S>> second = link.pseudo_com + link.mass * outer(link.com);
      own.D.upper = second.full() * own.W_ddot.R.transpose();  // (4)
      own.D.upper += Mat3<S>::from_columns(own.W_ddot.p.x * first, own.W_ddot.p.y * first, own.W_ddot.p.z * first);
      own.D.lower = own.W_ddot.R * first + link.mass * own.W_ddot.p;
      own.c = static_cast<Vec3<S>>(first);  // (5)
      own.mass = S(link.mass);
    }
    for (int i = robot.joints() - 1; i >= 0; --i) {  // inward: project, pass D and c to the parent
      const auto& link = robot.link(i);
      const auto& own = ws.links[index(i)];
      const Rows<S> WQ = homogeneous::times_Q(own.W, link.revolute);
      tau[index(link.q)] = trace_of_product(WQ, own.D) - dot(robot.gravity, WQ.R * own.c + own.mass * WQ.p);  // (6)
      if (link.parent == base_link) continue;
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
  // tr(A D), A with a zero last row.
  template <class S>
  static S trace_of_product(const Rows<S>& A, const Moments<S>& D) {
    return A.R.xx * D.upper.xx + A.R.xy * D.upper.yx + A.R.xz * D.upper.zx + A.p.x * D.lower.x + A.R.yx * D.upper.xy +
           A.R.yy * D.upper.yy + A.R.yz * D.upper.zy + A.p.y * D.lower.y + A.R.zx * D.upper.xz + A.R.zy * D.upper.yz +
           A.R.zz * D.upper.zz + A.p.z * D.lower.z;
  }
};

}  // namespace catena
