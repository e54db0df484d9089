// Inverse dynamics by Lagrange's equations in the closed form of Uicker and Kahn (Balafoutis, eq. 5.2.2): every
// coefficient of an acceleration and of a product of rates is computed, link by link, O(n⁴). Equations (1)-(7):
// docs/equations/uicker_kahn.md. In the base frame. For counting and comparison only.
#pragma once

#include "catena/formulation/kernels.hpp"
#include "formulations/shared/homogeneous.hpp"

namespace catena {

struct UickerKahn {
  static constexpr FormulationInfo info{"uicker-kahn", "inverse",
                                        "Uicker 1965, Kahn 1969; Balafoutis 1989, eq. 5.2.2, a subscript corrected",
                                        "docs/equations/uicker_kahn.md", "66271 M, 51548 A at n = 6"};
  static constexpr bool reference_only = true;
  template <class S>
  using Rows = homogeneous::Rows<S>;

  // For one link and one of the joints that move it.
  template <class S>
  struct ByJoint {
    Rows<S> first;    // (2) ∂W/∂q
    Rows<S> moments;  // (4) the same times J
    int link = 0;     // the link of that joint
  };

  template <class S>
  struct Workspace {
    Array<Rows<S>> W;            // (1) base from link
    Array<ByJoint<S>> by_joint;  // for one link after the other: its own joint first, then towards the base
    JointTurns<S> turns;

    explicit Workspace(const TreeFor<S>& robot)
        : W(index(robot.joints())), by_joint(index(longest_path(robot))), turns(robot.joints()) {}
  };

  template <class S>
  static void run(const TreeFor<S>& robot, const Motion<S>& x, Workspace<S>& ws, std::span<S> tau) {
    joint_turns<S>(robot, x.q, ws.turns);
    for (S& t : tau) t = S{};
    for (int j = 0; j < robot.joints(); ++j) {
      const auto& link = robot.link(j);
      const Rows<S> T{matrix(link.tilt, ws.turns[j]), joint_offset(link, x.q[index(link.q)])};
      ws.W[index(j)] = link.parent == base_link ? T : homogeneous::product(ws.W[index(link.parent)], T);  // (1)
      const homogeneous::Moments<ConstantOf<S>> J(link);
      const std::span<ByJoint<S>> joints = differentiate(robot, j, J, ws);
      for (const auto& of : joints)  // (7)
        tau[index(robot.link(of.link).q)] -= homogeneous::work_of_weight(robot.gravity, J, of.first);
      add_accelerations<S>(robot, x, joints, tau);
      add_rates<S>(robot, x, joints, ws, tau);
    }
  }

 private:
  // (2), (4) for link j and every joint that moves it.
  template <class S>
  static std::span<ByJoint<S>> differentiate(const TreeFor<S>& robot, int j,
                                             const homogeneous::Moments<ConstantOf<S>>& J, Workspace<S>& ws) {
    const Rows<S>& W = ws.W[index(j)];
    std::size_t count = 0;
    for (int k = j; k != base_link; k = robot.link(k).parent, ++count) {
      auto& [first, moments, link] = ws.by_joint[count];
      link = k;
      const Vec3<S> axis = ws.W[index(k)].R.column_z();
      if (robot.link(k).revolute) {  // (2)
        const auto turned = [&](const Vec3<S>& column) { return cross(axis, column); };
        first.R = Mat3<S>::from_columns(turned(W.R.column_x()), turned(W.R.column_y()), turned(W.R.column_z()));
        first.p = turned(W.p - ws.W[index(k)].p);
      } else {
        first = {{}, axis};
      }
      moments = first * J;  // (4)
    }
    return std::span(ws.by_joint).first(count);
  }

  // (5): the accelerations of all joints that move the link, at each of these joints.
  template <class S>
  static void add_accelerations(const TreeFor<S>& robot, const Motion<S>& x, std::span<const ByJoint<S>> joints,
                                std::span<S> tau) {
    for (const auto& i : joints)
      for (const auto& k : joints)
        tau[index(robot.link(i.link).q)] +=
            homogeneous::trace_of_product(i.moments, k.first) * x.qdd[index(robot.link(k.link).q)];
  }

  // (6): the products of their rates. The second derivative is symmetric in k and l: each pair is computed once.
  template <class S>
  static void add_rates(const TreeFor<S>& robot, const Motion<S>& x, std::span<const ByJoint<S>> joints,
                        const Workspace<S>& ws, std::span<S> tau) {
    for (std::size_t l = 0; l < joints.size(); ++l)
      for (std::size_t k = l; k < joints.size(); ++k) {  // nearer to the base, or the same
        const auto& nearer = robot.link(joints[k].link);
        if (!nearer.revolute) continue;  // (3): a prismatic joint rotates nothing
        const Vec3<S> axis = ws.W[index(joints[k].link)].R.column_z();
        const auto turned = [&](const Vec3<S>& column) { return cross(axis, column); };
        const Rows<S>& D = joints[l].first;
        const Rows<S> second{
            Mat3<S>::from_columns(turned(D.R.column_x()), turned(D.R.column_y()), turned(D.R.column_z())),
            turned(D.p)};  // (3)
        const S once = x.qd[index(nearer.q)] * x.qd[index(robot.link(joints[l].link).q)];
        const S rates = k == l ? once : once + once;
        for (const auto& i : joints)
          tau[index(robot.link(i.link).q)] += homogeneous::trace_of_product(i.moments, second) * rates;
      }
  }
};

}  // namespace catena
