// Inertia matrix with everything measured from one point (Lin, equations 12 and 65), in link frames.
// Equations (1)-(9): docs/equations/base_origin_inertia.md. The point O may be any; here it is the origin
// of the first link on each branch's way to the base, where a revolute first joint moves nothing. In frame i, about O.
#pragma once

#include <vector>

#include "catena/dynamics/inertia/kernels.hpp"

namespace catena {

struct BaseOriginInertia {
  static constexpr FormulationInfo info{"base-origin", "inertia", "Lin 1991, equations 12 and 65",
                                        "docs/equations/base_origin_inertia.md",
                                        "10.5n² + 38.5n - 85 M, 6n² + 39n - 70 A"};

  template <class S>
  struct Workspace {
    struct Link {
      Vec3<S> s;  // (1) O to o_i
      Vec3<S> p;  // (2) first moment of the composite
      Sym3<S> J;  // (3) pseudo-inertia of the composite
    };
    struct Axis {
      Vec3<S> u;  // (4) axis of an ancestor's joint
      Vec3<S> s;  // (5) its moment, u x (O to the ancestor's origin)
    };
    std::vector<Link> links;
    AncestorRows<Axis> axes;
    JointTurns<S> turns;

    explicit Workspace(const BasicMechanism<ConstantOf<S>>& robot)
        : links(index(robot.n())), axes(robot), turns(robot.n()) {}
  };

  template <class S>
  static void run(const BasicMechanism<ConstantOf<S>>& robot, std::span<const S> q, Workspace<S>& ws,
                  const MatrixView<S>& M) {
    joint_turns<S>(robot, q, ws.turns);
    M.set_zero();
    for (int i = 0; i < robot.n(); ++i) {  // outward: places, and each link's own share
      const auto& link = robot.links[index(i)];
      if (link.parent == base) {
        M(link.q, link.q) = own_axis_inertia<S>(link);
        continue;
      }
      auto& own = ws.links[index(i)];
      Vec3<S> s = joint_offset(link, q[index(link.q)]);
      if (!on_base(robot, link.parent)) s += ws.links[index(link.parent)].s;
      own.s = to_child(link.twist, ws.turns[i], s);  // (1)
      const Vec3<S> to_com = own.s + link.com;
      own.p = link.mass * to_com;                               // (2)
      own.J = link.pseudo_com + outer_parallel(own.p, to_com);  // (3)
    }
    for (int i = robot.n() - 1; i >= 0; --i) {  // inward: composites
      const auto& link = robot.links[index(i)];
      if (link.parent == base) continue;
      const auto& own = ws.links[index(i)];
      if (!on_base(robot, link.parent)) {
        ws.links[index(link.parent)].p += to_parent(link.twist, ws.turns[i], own.p);  // (2)
        ws.links[index(link.parent)].J += to_parent(link.twist, ws.turns[i], own.J);  // (3)
      } else if (const auto& root = robot.links[index(link.parent)]; root.revolute) {
        M(root.q, root.q) += moment_about(parent_z_in_child(link.twist, ws.turns[i]), own.J);  // (9)
      }
    }
    for (int i = 0; i < robot.n(); ++i)  // outward: axes of the ancestors, and the matrix
      if (robot.links[index(i)].parent != base) fill_row(robot, i, ws, M);
  }

 private:
  template <class T>
  static bool on_base(const BasicMechanism<T>& robot, int i) {
    return robot.links[index(i)].parent == base;
  }

  // (9): of the link on the base only the moment about its own joint's axis shows.
  template <class S, class T>
  static S own_axis_inertia(const LinkConstants<T>& link) {
    if (!link.revolute) return S(link.augmented_mass);
    return S(link.inertia_com.zz + link.mass * (link.com.x * link.com.x + link.com.y * link.com.y));
  }

  template <class S>
  static void fill_row(const BasicMechanism<ConstantOf<S>>& robot, int i, Workspace<S>& ws, const MatrixView<S>& M) {
    const auto& link = robot.links[index(i)];
    const auto& [s, p, J] = ws.links[index(i)];
    // Moment about O and force that a unit acceleration of joint i takes: (6), (7). A prismatic joint's force is m̄ z.
    Vec3<S> a{};
    FlatVec3<S> e{};
    if (link.revolute) {
      a = {s.x * p.z - J.xz, s.y * p.z - J.yz, (J.xx + J.yy) - (s.x * p.x + s.y * p.y)};
      e = {link.augmented_mass * s.y - p.y, p.x - link.augmented_mass * s.x};
    }
    M(link.q, link.q) = link.revolute ? a.z + (s.y * e.x - s.x * e.y) : S(link.augmented_mass);  // (8)
    const auto row = ws.axes[i], parent_row = ws.axes[link.parent];
    std::size_t k = 1;
    for (int m = link.parent; m != base; m = robot.links[index(m)].parent, ++k) {
      const auto& ancestor = robot.links[index(m)];
      const bool moves_o = ancestor.revolute && ancestor.parent != base;  // (5) is zero for a revolute joint through O
      Axis<S>& axis = row[k];
      if (k == 1) {
        const Vec3<S>& o = ws.links[index(m)].s;
        axis.u = parent_z_in_child(link.twist, ws.turns[i]);
        if (moves_o) axis.s = to_child(link.twist, ws.turns[i], FlatVec3<S>{-o.y, o.x});
      } else {
        axis.u = to_child(link.twist, ws.turns[i], parent_row[k - 1].u);               // (4)
        if (moves_o) axis.s = to_child(link.twist, ws.turns[i], parent_row[k - 1].s);  // (5)
      }
      M.set_symmetric(link.q, ancestor.q, entry(link, ancestor.revolute, moves_o, axis, a, e, p));  // (8)
    }
  }
  template <class S>
  using Axis = typename Workspace<S>::Axis;

  // (8) for the joint of a link and that of an ancestor.
  template <class S, class T>
  static S entry(const LinkConstants<T>& link, bool ancestor_revolute, bool moves_o, const Axis<S>& axis,
                 const Vec3<S>& a, const FlatVec3<S>& e, const Vec3<S>& p) {
    const auto& [u, s] = axis;
    if (link.revolute) {
      if (!ancestor_revolute) return e.x * u.x + e.y * u.y;
      return moves_o ? dot(a, u) - (s.x * e.x + s.y * e.y) : dot(a, u);
    }
    if (!ancestor_revolute) return link.augmented_mass * u.z;
    const S turning = u.x * p.y - u.y * p.x;
    return moves_o ? turning - link.augmented_mass * s.z : turning;
  }
};

}  // namespace catena
