// Inertia matrix by composite bodies about the joint origins, with the ancestors' axes carried outward (Renaud, as
// printed by Lin). Equations (1)-(6): docs/equations/renaud.md. Composite i is link i and all links beyond it, in frame
// i about o_i.
#pragma once

#include "catena/formulation/kernels.hpp"

namespace catena {

struct Renaud {
  static constexpr FormulationInfo info{"renaud", "inertia", "Renaud 1984, in Lin 1991, equations A1-A9",
                                        "docs/equations/renaud.md", "13.5n² + 22.5n - 68 M, 9n² + 26n - 64 A"};

  template <class S>
  struct Workspace {
    struct Rate {
      Vec3<S> u;  // (3) axis of an ancestor's joint
      Vec3<S> s;  // (4) velocity of o_i at unit rate of that joint, if it is revolute
    };
    Array<CompositeBody<S>> composites;  // (1), (2)
    AncestorRows<Rate> rates;
    JointTurns<S> turns;

    explicit Workspace(const TreeFor<S>& robot)
        : composites(index(robot.joints())), rates(robot), turns(robot.joints()) {}
  };

  template <class S>
  static void run(const TreeFor<S>& robot, std::span<const S> q, Workspace<S>& ws, const MatrixView<S>& M) {
    joint_turns<S>(robot, q, ws.turns);
    M.set_zero();
    for (int i = 0; i < robot.joints(); ++i) {
      const auto& link = robot.link(i);
      if (link.parent == base_link) {
        const auto& K = link.augmented_pseudo;
        M(link.q, link.q) = S(link.revolute ? K.xx + K.yy : link.augmented_mass);  // (6)
      } else {
        ws.composites[index(i)] = {static_cast<Vec3<S>>(link.augmented_moment),
                                   static_cast<Sym3<S>>(link.augmented_pseudo)};
      }
    }
    for (int i = robot.joints() - 1; i >= 0; --i) {
      const int parent = robot.link(i).parent;
      if (parent == base_link) continue;
      if (robot.link(parent).parent == base_link) {
        add_to_root(robot, q, i, ws, M);
      } else {
        const auto& link = robot.link(i);
        add_to_parent(link, ws.turns[i], q[index(link.q)], ws.composites[index(i)],
                      ws.composites[index(parent)]);  // (1), (2)
      }
    }
    for (int i = 0; i < robot.joints(); ++i)
      if (robot.link(i).parent != base_link) fill_row(robot, q, i, ws, M);
  }

 private:
  // (6): for a composite on the base only the moment about its own joint's axis matters.
  template <class S>
  static void add_to_root(const TreeFor<S>& robot, std::span<const S> q, int i, Workspace<S>& ws,
                          const MatrixView<S>& M) {
    const auto& link = robot.link(i);
    const auto& root = robot.link(link.parent);
    if (!root.revolute) return;
    const auto& own = ws.composites[index(i)];
    const Vec3<S> s = joint_offset(link, q[index(link.q)]);
    const Vec3<S> c = to_parent(link.tilt, ws.turns[i], own.c);
    const S half = s.x * c.x + s.y * c.y;
    S& entry = M(root.q, root.q);
    entry += moment_about(parent_z_in_child(link.tilt, ws.turns[i]), own.J) + (half + half);
    if (!link.revolute) entry += link.augmented_mass * (s.x * s.x + s.y * s.y);
  }

  template <class S>
  static void fill_row(const TreeFor<S>& robot, std::span<const S> q, int i, Workspace<S>& ws, const MatrixView<S>& M) {
    const auto& link = robot.link(i);
    const auto& [c, J] = ws.composites[index(i)];
    const Vec3<S> Jz{-J.xz, -J.yz, J.xx + J.yy};
    const FlatVec3<S> e{-c.y, c.x};
    M(link.q, link.q) = link.revolute ? Jz.z : S(link.augmented_mass);  // (5)
    const Vec3<S> offset = joint_offset(link, q[index(link.q)]);
    const auto row = ws.rates[i], parent_row = ws.rates[link.parent];
    std::size_t k = 1;
    for (int m = link.parent; m != base_link; m = robot.link(m).parent, ++k) {
      const auto& ancestor = robot.link(m);
      auto& [u, s] = row[k];
      if (k == 1) {
        u = parent_z_in_child(link.tilt, ws.turns[i]);                                                  // (3)
        if (ancestor.revolute) s = to_child(link.tilt, ws.turns[i], FlatVec3<S>{-offset.y, offset.x});  // (4)
      } else {
        const auto& before = parent_row[k - 1];
        u = to_child(link.tilt, ws.turns[i], before.u);                                                      // (3)
        if (ancestor.revolute) s = to_child(link.tilt, ws.turns[i], add_cross(before.s, before.u, offset));  // (4)
      }
      S& entry = M(link.q, ancestor.q);  // (5)
      if (link.revolute) {
        entry = ancestor.revolute ? dot(Jz, u) + (s.x * e.x + s.y * e.y) : e.x * u.x + e.y * u.y;
      } else {
        entry = ancestor.revolute ? link.augmented_mass * s.z - (e.x * u.x + e.y * u.y) : link.augmented_mass * u.z;
      }
      M(ancestor.q, link.q) = entry;
    }
  }
};

}  // namespace catena
