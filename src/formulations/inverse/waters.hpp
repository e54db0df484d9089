// Inverse dynamics by Lagrange's equations in the form of Waters (Balafoutis, eq. 5.2.3): the accelerations of the
// links by recursion, every torque a sum over the links that its joint moves. Equations (1)-(5):
// docs/equations/waters.md. In the base frame. The step between uicker-kahn and hollerbach-4x4, for counting and
// comparison only.
#pragma once

#include "catena/formulation/kernels.hpp"
#include "formulations/shared/homogeneous.hpp"

namespace catena {

struct Waters {
  static constexpr FormulationInfo info{"waters", "inverse", "Waters 1979; Balafoutis 1989, eq. 5.2.3",
                                        "docs/equations/waters.md", "7051 M, 5652 A at n = 6"};
  static constexpr bool reference_only = true;
  template <class S>
  using Rows = homogeneous::Rows<S>;

  template <class S>
  struct Workspace {
    Array<homogeneous::Displacement<S>> links;  // (1) W and its time derivatives
    AncestorRows<Rows<S>> derivatives;          // (2) of W with respect to each joint that moves the link
    JointTurns<S> turns;

    explicit Workspace(const TreeFor<S>& robot)
        : links(index(robot.joints())), derivatives(robot), turns(robot.joints()) {}
  };

  template <class S>
  static void run(const TreeFor<S>& robot, const Motion<S>& x, Workspace<S>& ws, std::span<S> tau) {
    joint_turns<S>(robot, x.q, ws.turns);
    for (S& t : tau) t = S{};
    for (int j = 0; j < robot.joints(); ++j) {
      const auto& link = robot.link(j);
      auto& own = ws.links[index(j)];
      homogeneous::displace<S>(link, x, ws.turns[j], link.parent == base_link ? nullptr : &ws.links[index(link.parent)],
                               own);                      // (1)
      const homogeneous::Moments<ConstantOf<S>> J(link);  // (3): off line
      const Rows<S> WJ = own.W_ddot * J;                  // (4)
      const auto row = ws.derivatives[j];
      std::size_t k = 0;
      for (int i = j; i != base_link; i = robot.link(i).parent, ++k) {
        row[k] = i == j ? homogeneous::times_Q(own.W, link.revolute)
                        : homogeneous::product(ws.derivatives[link.parent][k - 1], own.T);  // (2)
        tau[index(robot.link(i).q)] +=
            homogeneous::trace_of_product(row[k], WJ) - homogeneous::work_of_weight(robot.gravity, J, row[k]);  // (5)
      }
    }
  }
};

}  // namespace catena
