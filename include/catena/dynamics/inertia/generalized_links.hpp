// Inertia matrix by generalized links (Algorithm 6.2 of Balafoutis), with the prismatic term missing in print.
// Equations (1)-(6): docs/equations/generalized_links.md. Composite i is link i and all that hangs on it, in frame i about o_i.
#pragma once

#include <vector>

#include "catena/dynamics/formulation.hpp"

namespace catena {

struct GeneralizedLinks {
  static constexpr FormulationInfo info{"generalized-links", "inertia", "Balafoutis 1989, Algorithm 6.2",
                                        "docs/equations/generalized_links.md; FORMULAS 4.2",
                                        "11n² + 12n - 41 M, 7n² + 30n - 56 A"};

  template <class S>
  struct Workspace {
    struct Composite {
      Vec3<S> U;      // (1) first moment
      Sym3<S> E;      // (2) pseudo-inertia
    };
    std::vector<Composite> composites;
    JointTurns<S> turns;

    explicit Workspace(const BasicMechanism<ConstantOf<S>>& robot) : composites(index(robot.n())), turns(robot.n()) {}
  };

  template <class S>
  static void run(const BasicMechanism<ConstantOf<S>>& robot, std::span<const S> q, Workspace<S>& ws,
                  const MatrixView<S>& M) {
    joint_turns<S>(robot, q, ws.turns);
    M.set_zero();
    for (int i = 0; i < robot.n(); ++i)
      ws.composites[index(i)] = {static_cast<Vec3<S>>(robot.links[index(i)].augmented_moment),
                                 static_cast<Sym3<S>>(robot.links[index(i)].augmented_pseudo)};
    for (int i = robot.n() - 1; i >= 0; --i) {
      const auto& link = robot.links[index(i)];
      const auto& [U, E] = ws.composites[index(i)];
      // Force and moment about o_i that a unit acceleration of joint i takes: (3), (4)
      Vec3<S> f{}, n{};
      if (link.revolute) {
        f = {-U.y, U.x, S{}};
        n = {-E.xz, -E.yz, E.xx + E.yy};
      } else {
        f.z = S(link.augmented_mass);
        n = {U.y, -U.x, S{}};
      }
      M(link.q, link.q) = link.revolute ? n.z : f.z;                                           // (6)
      if (link.parent != base) add_to_parent(robot, q, i, ws);
      for (int j = i; robot.links[index(j)].parent != base;) {  // walk to the base: (5)
        const auto& step = robot.links[index(j)];
        f = to_parent(step.twist, ws.turns[j], f);
        n = add_cross(to_parent(step.twist, ws.turns[j], n), joint_offset(step, q[index(step.q)]), f);
        j = step.parent;
        const auto& ancestor = robot.links[index(j)];
        M.set_symmetric(link.q, ancestor.q, ancestor.revolute ? n.z : f.z);                    // (6)
      }
    }
  }

 private:
  // (1), (2): U_p += A U, Ê_p += A Ê Aᵀ + s (A U)ᵀ + (A U) sᵀ; the mass at o_i is in the augmented link of the parent
  // already, unless it slides.
  template <class S>
  static void add_to_parent(const BasicMechanism<ConstantOf<S>>& robot, std::span<const S> q, int i, Workspace<S>& ws) {
    const auto& link = robot.links[index(i)];
    auto& parent = ws.composites[index(link.parent)];
    const Vec3<S> s = joint_offset(link, q[index(link.q)]);
    const Vec3<S> U = to_parent(link.twist, ws.turns[i], ws.composites[index(i)].U);
    parent.U += U;
    parent.E += to_parent(link.twist, ws.turns[i], ws.composites[index(i)].E) + outer_symmetric(s, U);
    if (link.revolute) return;
    parent.U += link.augmented_mass * s;
    parent.E += link.augmented_mass * outer(s);
  }
};

}  // namespace catena
