// Inertia matrix by composite bodies whose force and moment are carried to the base in one common frame (Fijany and
// Bejczy, as printed by Lin). Equations (1)-(8): docs/equations/fijany_bejczy.md. Composites are built in the link
// frames; the common frame is that of each branch's first link, called the root.
#pragma once

#include "catena/formulation/kernels.hpp"

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
      CompositeBody<S> body;     // (3), (4)
    };
    Array<Link> links;
    JointTurns<S> turns;

    explicit Workspace(const TreeFor<S>& robot) : links(index(robot.joints())), turns(robot.joints()) {}
  };

  template <class S>
  static void run(const TreeFor<S>& robot, std::span<const S> q, Workspace<S>& ws, const MatrixView<S>& M) {
    joint_turns<S>(robot, q, ws.turns);
    M.set_zero();
    for (int i = 0; i < robot.joints(); ++i) {  // outward: orientations and offsets in the common frame
      const auto& link = robot.link(i);
      auto& own = ws.links[index(i)];
      own.body = {static_cast<Vec3<S>>(link.augmented_moment), static_cast<Sym3<S>>(link.augmented_pseudo)};
      if (link.parent == base_link) continue;
      own.s_in_root = joint_offset(link, q[index(link.q)]);
      if (robot.link(link.parent).parent == base_link) {
        own.R_root_from_link = matrix(link.tilt, ws.turns[i]);
      } else {
        const Mat3<S>& R = ws.links[index(link.parent)].R_root_from_link;
        own.R_root_from_link = compose(R, link.tilt, ws.turns[i]);  // (1)
        own.s_in_root = R * own.s_in_root;                          // (2)
      }
    }
    for (int i = robot.joints() - 1; i >= 0; --i) {  // inward: composites, then force and moment carried to the base
      const auto& link = robot.link(i);
      const auto& own = ws.links[index(i)];
      const auto& [c, J] = own.body;
      M(link.q, link.q) = link.revolute ? J.xx + J.yy : S(link.augmented_mass);  // (7)
      if (link.parent == base_link) continue;
      add_to_parent(link, ws.turns[i], q[index(link.q)], own.body, ws.links[index(link.parent)].body);  // (3), (4)
      const Mat3<S>& R = own.R_root_from_link;
      if (link.revolute) {  // (5), (6)
        walk(robot, i, {R * FlatVec3<S>{-c.y, c.x}, R * Vec3<S>{-J.xz, -J.yz, J.xx + J.yy}}, ws, M);
      } else {
        walk(robot, i, {link.augmented_mass * R.column_z(), R * FlatVec3<S>{c.y, -c.x}}, ws, M);
      }
    }
  }

 private:
  // (7), (8): force and moment for joint i, about o_i in the common frame, carried to the root.
  template <class S>
  static void walk(const TreeFor<S>& robot, int i, Wrench<S> w, const Workspace<S>& ws, const MatrixView<S>& M) {
    auto& [f, t] = w;
    const int row = robot.link(i).q;
    for (int j = i;;) {
      const Vec3<S>& s = ws.links[index(j)].s_in_root;
      j = robot.link(j).parent;
      const auto& ancestor = robot.link(j);
      if (ancestor.parent == base_link) {  // its axis is z of the common frame
        M.set_symmetric(row, ancestor.q, ancestor.revolute ? (t.z + s.x * f.y) - s.y * f.x : f.z);
        return;
      }
      t = add_cross(t, s, f);  // (8)
      const Vec3<S> axis = ws.links[index(j)].R_root_from_link.column_z();
      M.set_symmetric(row, ancestor.q, dot(axis, ancestor.revolute ? t : f));  // (7)
    }
  }
};

}  // namespace catena
