// Inertia matrix by composite bodies whose force and moment walk to the base in one common frame (Fijany and Bejczy, as
// printed by Lin). Equations (1)-(8): docs/equations/fijany_bejczy.md. Composites are formed in the link frames; the
// common frame is that of the first link on each branch's way to the base, called the root.
#pragma once

#include <vector>

#include "catena/dynamics/inertia/kernels.hpp"

namespace catena {

struct FijanyBejczy {
  static constexpr FormulationInfo info{"fijany-bejczy", "inertia",
                                        "Fijany and Bejczy 1989, in Lin 1991, equations A10-A15",
                                        "docs/equations/fijany_bejczy.md", "4.5n² + 115.5n - 175 M, 4n² + 88n - 134 A"};

  template <class S>
  struct Workspace {
    struct Link {
      Mat3<S> R_root_from_link;  // (1)
      Vec3<S> s_in_root;         // (2) o_parent to o_i
      Vec3<S> c;                 // (3) first moment of the composite, frame i about o_i
      Sym3<S> J;                 // (4) its pseudo-inertia
    };
    std::vector<Link> links;
    JointTurns<S> turns;

    explicit Workspace(const MechanismFor<S>& robot) : links(index(robot.n())), turns(robot.n()) {}
  };

  template <class S>
  static void run(const MechanismFor<S>& robot, std::span<const S> q, Workspace<S>& ws,
                  const MatrixView<S>& M) {
    joint_turns<S>(robot, q, ws.turns);
    M.set_zero();
    for (int i = 0; i < robot.n(); ++i) {  // outward: orientations and offsets in the common frame
      const auto& link = robot.link(i);
      auto& own = ws.links[index(i)];
      own.c = static_cast<Vec3<S>>(link.augmented_moment);
      own.J = static_cast<Sym3<S>>(link.augmented_pseudo);
      if (link.parent == base) continue;
      own.s_in_root = joint_offset(link, q[index(link.q)]);
      if (robot.link(link.parent).parent == base) {
        own.R_root_from_link = matrix(link.tilt, ws.turns[i]);
      } else {
        const Mat3<S>& R = ws.links[index(link.parent)].R_root_from_link;
        own.R_root_from_link = compose(R, link.tilt, ws.turns[i]);  // (1)
        own.s_in_root = R * own.s_in_root;                           // (2)
      }
    }
    for (int i = robot.n() - 1; i >= 0; --i) {  // inward: composites, then the walk of force and moment
      const auto& link = robot.link(i);
      const auto& own = ws.links[index(i)];
      M(link.q, link.q) = link.revolute ? own.J.xx + own.J.yy : S(link.augmented_mass);  // (7)
      if (link.parent == base) continue;
      add_to_parent(robot, q, i, ws);
      const Mat3<S>& R = own.R_root_from_link;
      Vec3<S> f, t;  // (5), (6)
      if (link.revolute) {
        f = R * FlatVec3<S>{-own.c.y, own.c.x};
        t = R * Vec3<S>{-own.J.xz, -own.J.yz, own.J.xx + own.J.yy};
      } else {
        f = link.augmented_mass * R.column_z();
        t = R * FlatVec3<S>{own.c.y, -own.c.x};
      }
      int j = i;
      for (; robot.link(link_parent(robot, j)).parent != base; j = link_parent(robot, j)) {
        const int m = link_parent(robot, j);
        t = add_cross(t, ws.links[index(j)].s_in_root, f);  // (8)
        const auto& ancestor = robot.link(m);
        const Vec3<S> axis = ws.links[index(m)].R_root_from_link.column_z();
        M.set_symmetric(link.q, ancestor.q, dot(axis, ancestor.revolute ? t : f));  // (7)
      }
      const auto& root = robot.link(link_parent(robot, j));  // its axis is z of the common frame
      const Vec3<S>& s = ws.links[index(j)].s_in_root;
      M.set_symmetric(link.q, root.q, root.revolute ? (t.z + s.x * f.y) - s.y * f.x : f.z);  // (7), (8)
    }
  }

 private:
  template <class T>
  static int link_parent(const BasicMechanism<T>& robot, int i) {
    return robot.link(i).parent;
  }

  // (3), (4). The mass at o_i is in the augmented link of the parent already, unless it slides.
  template <class S>
  static void add_to_parent(const MechanismFor<S>& robot, std::span<const S> q, int i, Workspace<S>& ws) {
    const auto& link = robot.link(i);
    const auto& own = ws.links[index(i)];
    auto& parent = ws.links[index(link.parent)];
    const Vec3<S> s = joint_offset(link, q[index(link.q)]);
    const Vec3<S> c = to_parent(link.tilt, ws.turns[i], own.c);
    parent.c += c;
    parent.J += to_parent(link.tilt, ws.turns[i], own.J) + outer_symmetric(s, c);
    if (link.revolute) return;
    const Vec3<S> slid = link.augmented_mass * s;
    parent.c += slid;
    parent.J += outer_parallel(slid, s);
  }
};

}  // namespace catena
