// The common start of the base-origin formulations of the inertia matrix and of the bias, so that both together run it
// once: positions, composites and the axes of the ancestors, measured from O, the origin of the first link of each
// branch. Equations (1)-(5), (7): docs/equations/base_origin_inertia.md. Quantities of link i are in frame i.
#pragma once

#include "catena/formulation/kernels.hpp"

namespace catena {

template <class S>
struct BaseOriginStage {
  // For a link on the base: s = 0, the rest is not filled in.
  struct Link {
    Vec3<S> s;      // (1) O to o_i
    Vec3<S> p;      // (2) first moment of the composite
    Sym3<S> J;      // (3) pseudo-inertia of the composite
    FlatVec3<S> e;  // (7) force needed for a unit acceleration of revolute joint i
  };
  struct Axis {
    Vec3<S> u;  // (4) axis of an ancestor's joint
    Vec3<S> s;  // (5) its moment, u x (O to the ancestor's origin), if it is not zero
  };
  Array<Link> links;
  AncestorRows<Axis> axes;
  JointTurns<S> turns;

  explicit BaseOriginStage(const TreeFor<S>& robot)
      : links(index(robot.joints())), axes(robot), turns(robot.joints()) {}

  void run(const TreeFor<S>& robot, std::span<const S> q) {
    joint_turns<S>(robot, q, turns);
    for (int i = 0; i < robot.joints(); ++i) {  // outward: positions, axes and each link's own contribution
      const auto& link = robot.link(i);
      if (link.parent == base_link) continue;
      Link& own = links[index(i)];
      Vec3<S> s = joint_offset(link, q[index(link.q)]);
      if (robot.link(link.parent).parent != base_link) s += links[index(link.parent)].s;
      own.s = to_child(link.tilt, turns[i], s);  // (1)
      const Vec3<S> to_com = own.s + link.com;
      own.p = link.mass * to_com;                               // (2)
      own.J = link.pseudo_com + outer_parallel(own.p, to_com);  // (3)
      carry_axes(robot, i);
    }
    for (int i = robot.joints() - 1; i >= 0; --i) {  // inward: composites
      const auto& link = robot.link(i);
      if (link.parent == base_link) continue;
      Link& own = links[index(i)];
      if (link.revolute)
        own.e = {link.augmented_mass * own.s.y - own.p.y, own.p.x - link.augmented_mass * own.s.x};  // (7)
      if (robot.link(link.parent).parent == base_link) continue;
      links[index(link.parent)].p += to_parent(link.tilt, turns[i], own.p);  // (2)
      links[index(link.parent)].J += to_parent(link.tilt, turns[i], own.J);  // (3)
    }
  }

  // Whether (5) is not zero: a revolute joint on the base has its axis through O; a prismatic joint rotates nothing.
  template <class T>
  static bool moves_o(const LinkConstants<T>& ancestor) {
    return ancestor.revolute && ancestor.parent != base_link;
  }

 private:
  void carry_axes(const TreeFor<S>& robot, int i) {
    const auto& link = robot.link(i);
    const auto row = axes[i], parent_row = axes[link.parent];
    const Vec3<S>& o = links[index(link.parent)].s;
    row[1].u = parent_z_in_child(link.tilt, turns[i]);
    if (moves_o(robot.link(link.parent))) row[1].s = to_child(link.tilt, turns[i], FlatVec3<S>{-o.y, o.x});
    std::size_t k = 2;
    for (int m = robot.link(link.parent).parent; m != base_link; m = robot.link(m).parent, ++k) {
      row[k].u = to_child(link.tilt, turns[i], parent_row[k - 1].u);                              // (4)
      if (moves_o(robot.link(m))) row[k].s = to_child(link.tilt, turns[i], parent_row[k - 1].s);  // (5)
    }
  }
};

}  // namespace catena
