// D = ∂τ/∂q̈, V = ∂τ/∂q̇ and P = ∂τ/∂q by Algorithms 7.1 and 7.2 of Balafoutis as he prints them: composites inward, and
// the axis of every joint carried outward to every link beyond it, where both meet in his equations 7.3.2 to 7.3.4.
// Equations (1)-(12): docs/equations/algorithms_7_1_7_2.md. Quantities of link i are in frame i about its origin.
#pragma once

#include "catena/formulation/kernels.hpp"
#include "formulations/linearize/tensor.hpp"

namespace catena {

struct Algorithms71And72 : private detail::TensorSensitivities<true, true> {
  static constexpr FormulationInfo info{"algorithms-7.1-7.2", "linearize", "Balafoutis 1989, Algorithms 7.1 and 7.2",
                                        "docs/equations/algorithms_7_1_7_2.md",
                                        "beside Algorithm 5.5: 67n² - 40n + 14 M, 52.5n² + 30.5n - 33 A"};
  static constexpr bool reference_only = true;

  // Algorithm 7.2: link i and all links beyond it.
  template <class S>
  struct Composite {
    Vec3<S> U, U_dot;  // (5), (6) first moment and its rate
    Sym3<S> E;         // (7) inertia
    Mat3<S> L;         // (8)
  };
  // Algorithm 7.1: the axis of joint j and the way from o_j, seen from link i.
  template <class S>
  struct Axis {
    Vec3<S> z, z_dot, z_ddot;  // (1)
    Vec3<S> a_origin;          // (2) acceleration of o_j, gravity included
    Vec3<S> s, s_dot;          // (3), (4) o_j to o_i and its rate
  };
  // What joint i feels, and what a change of it takes.
  template <class S>
  struct Ends {
    Vec3<S> w, e, b;  // (9) row i
    Wrench<S> V, P;   // (11) column i
  };

  template <class S>
  struct Workspace {
    detail::TensorSensitivities<true, true>::Workspace<S> motion;  // Algorithm 5.5, and ṡ from the parent
    Array<Vec3<S>> offsets;                                        // (3) from the parent, in the link's frame
    Array<Vec3<S>> offset_rates;                                   // (4) likewise
    Array<Composite<S>> composites;
    Array<Ends<S>> ends;
    Array<Axis<S>> axes;  // of one joint, by link
    Array<int> carried;   // the joint whose axis was last carried to the link

    explicit Workspace(const TreeFor<S>& robot)
        : motion(robot),
          offsets(index(robot.joints())),
          offset_rates(offsets.size()),
          composites(offsets.size()),
          ends(offsets.size()),
          axes(offsets.size()),
          carried(offsets.size(), base_link) {}
  };

  template <class S>
  static void run(const TreeFor<S>& robot, const Motion<S>& x, Workspace<S>& ws, const Sensitivities<S>& out) {
    if (robot.joints() == 0) return;
    joint_turns<S>(robot, x.q, ws.motion.inverse.turns);
    if (robot.has_prismatic) augment_on_line(robot, x.q, ws.motion.inverse);
    find_motions<AnyTree>(robot, x, ws.motion);
    for (int i = 0; i < robot.joints(); ++i) find_offset<S>(robot, x, ws, i);
    compose<S>(robot, x, ws);
    out.D.set_zero(), out.V.set_zero(), out.P.set_zero();  // between branches
    for (int i = 0; i < robot.joints(); ++i) ws.ends[index(i)] = ends_of<S>(robot, ws, i);
    for (int j = 0; j < robot.joints(); ++j) carry_axis<S>(robot, ws, j, out);
  }

 private:
  // (3), (4) for a link and its parent. Constant factors of the rotation are applied off line.
  template <class S>
  static void find_offset(const TreeFor<S>& robot, const Motion<S>& x, Workspace<S>& ws, int i) {
    const auto& link = robot.link(i);
    if (link.parent == base_link) return;
    const auto& tilt = link.tilt;
    const Turn<S>& turn = ws.motion.inverse.turns[i];
    auto at = link.p_parent_to_link;
    if (tilt.turned) {
      const auto xy = rotate_back(tilt.cos_gamma, tilt.sin_gamma, at.x, at.y);
      at.x = xy.x, at.y = xy.y;
    }
    const auto yz = rotate_back(tilt.cos_alpha, tilt.sin_alpha, at.y, at.z);
    at.y = yz.x, at.z = yz.y;
    Vec3<S>& s = ws.offsets[index(i)];
    s = counted_as("7.3.12e", to_child(turn, at));
    if (!link.revolute) s.z = counted_as("7.3.12e", s.z + x.q[index(link.q)]);
    ws.offset_rates[index(i)] = counted_as("7.3.12f", to_child(tilt, turn, ws.motion.offset_rates[index(i)]));
  }

  // Algorithm 7.2, inward: (5)-(8), and the load of Algorithm 5.5.
  template <class S>
  static void compose(const TreeFor<S>& robot, const Motion<S>& x, Workspace<S>& ws) {
    for (int i = 0; i < robot.joints(); ++i) ws.composites[index(i)] = link_alone<S>(robot, ws, i);
    for (int i = robot.joints() - 1; i >= 0; --i) {
      const auto& link = robot.link(i);
      if (link.parent == base_link) continue;
      const ToParent<AnyTree, S> step(robot, x, ws.motion, i);
      add_to_parent<S>(link, step, ws, i);
      if (!on_base<AnyTree>(robot, link.parent)) hand_load<AnyTree>(link, ws.motion, i, link.parent, step);
    }
  }
  template <class S>
  static Composite<S> link_alone(const TreeFor<S>& robot, const Workspace<S>& ws, int i) {
    const auto& link = robot.link(i);
    const Vec3<S>& omega = ws.motion.motions[index(i)].omega;
    const auto& u = link.augmented_moment;
    const auto& K = link.augmented_pseudo;
    return {static_cast<Vec3<S>>(u), counted_as("7.3.14b", cross(omega, u)),
            static_cast<Sym3<S>>(inertia_from_pseudo(K)), counted_as("7.3.14d", cross(omega, K))};
  }
  // What slides adds its mass where it is now; otherwise the parent's augmented link has it.
  template <class S, class T>
  static void add_to_parent(const LinkConstants<T>& link, const ToParent<AnyTree, S>& step, Workspace<S>& ws, int i) {
    const Vec3<S>&s = ws.offsets[index(i)], &s_dot = ws.offset_rates[index(i)];
    auto [U, U_dot, E, L] = ws.composites[index(i)];
    Composite<S>& parent = ws.composites[index(link.parent)];
    E += minus_cross_cross_symmetric(s, U);
    if (!link.revolute) E += link.augmented_mass * steiner(s);
    parent.E = counted_as("7.3.14c", parent.E + to_parent(step.tilt, step.turn, E));  // (7)
    L = minus(minus(L, minus_cross_cross(s, U_dot)), minus_cross_cross(U, s_dot));
    if (!link.revolute) L = minus(L, minus_cross_cross(s, link.augmented_mass * s_dot));
    parent.L += to_parent(step.tilt, step.turn, L);
    parent.L = counted_as("7.3.14d", parent.L);  // (8)
    if (!link.revolute) U += link.augmented_mass * s;
    parent.U = counted_as("7.3.14a", parent.U + to_parent(step.tilt, step.turn, U));  // (5)
    if (!link.revolute) U_dot += link.augmented_mass * s_dot;
    parent.U_dot = counted_as("7.3.14b", parent.U_dot + to_parent(step.tilt, step.turn, U_dot));  // (6)
  }
  template <class S>
  static Mat3<S> minus(const Mat3<S>& a, const Mat3<S>& b) {
    return {a.xx - b.xx, a.xy - b.xy, a.xz - b.xz, a.yx - b.yx, a.yy - b.yy,
            a.yz - b.yz, a.zx - b.zx, a.zy - b.zy, a.zz - b.zz};
  }

  // (9) and (11)
  template <class S>
  static Ends<S> ends_of(const TreeFor<S>& robot, const Workspace<S>& ws, int i) {
    const auto& [U, U_dot, E, L] = ws.composites[index(i)];
    const auto& own = ws.motion.motions[index(i)];
    const auto& [U_ddot, eta] = ws.motion.inverse.loads[index(i)];
    const FlatVec3<S> z_dot{own.omega.y, -own.omega.x}, a_z{own.a_origin.y, -own.a_origin.x};  // ω x z, s̈ x z
    const Vec3<S> z_ddot = own.Omega.column_z();
    Ends<S> ends;
    if (robot.link(i).revolute) {
      ends = {{-U.y, U.x, S{}}, E.column_z(), L.row_z(), {}, {}};
      const Vec3<S> L_z_dot = z_dot.x * L.column_x() + z_dot.y * L.column_y();
      ends.P = counted_as("7.3.4", Wrench<S>{cross(z_ddot, U) - doubled(cross(U_dot, z_dot)) - cross_z(U_ddot),
                                             ((E * z_ddot - doubled(L_z_dot)) + cross(U, a_z)) - cross_z(eta)});
      const Vec3<S> E_z_dot = z_dot.x * E.column_x() + z_dot.y * E.column_y();
      ends.V =
          counted_as("7.3.3", Wrench<S>{doubled(-(cross(U, z_dot) + cross_z(U_dot))), doubled(E_z_dot - L.column_z())});
    } else {
      const auto& m = robot.link(i).augmented_mass;
      ends = {{S{}, S{}, S(m)}, cross_z(U), -cross_z(U_dot), {}, {}};
      ends.V = counted_as("7.3.3", Wrench<S>{doubled(m * Vec3<S>{z_dot.x, z_dot.y, S{}}), doubled(cross(U, z_dot))});
      ends.P = counted_as("7.3.4", Wrench<S>{m * z_ddot, cross(U, z_ddot) - cross_z(m * own.a_origin + U_ddot)});
    }
    return ends;
  }
  template <class V>
  static V doubled(const V& v) {
    return v + v;
  }

  // Algorithm 7.1, outward from joint j: (1)-(4), and what it meets at each link beyond.
  template <class S>
  static void carry_axis(const TreeFor<S>& robot, Workspace<S>& ws, int j, const Sensitivities<S>& out) {
    const auto& joint = robot.link(j);
    const Ends<S>& ends = ws.ends[index(j)];
    out.D(joint.q, joint.q) = joint.revolute ? ends.e.z : ends.w.z;
    out.V(joint.q, joint.q) = felt_by_joint(joint.revolute, ends.V);
    out.P(joint.q, joint.q) = felt_by_joint(joint.revolute, ends.P);
    ws.carried[index(j)] = j;
    for (int i = j + 1; i < robot.joints(); ++i) {
      const int up = robot.link(i).parent;
      if (up == base_link || ws.carried[index(up)] != j) continue;
      ws.carried[index(i)] = j;
      ws.axes[index(i)] = up == j ? first_step<S>(robot, ws, j, i) : next_step<S>(robot, ws, j, i);
      put_row<S>(robot, ws, i, j, out);
      put_column<S>(robot, ws, i, j, out);
    }
  }
  // The axis of a joint on the base stands still: ż = z̈ = 0 (7.3.7), (7.3.8). For one that slides z is enough.
  template <class S>
  static Axis<S> first_step(const TreeFor<S>& robot, const Workspace<S>& ws, int j, int i) {
    const auto& tilt = robot.link(i).tilt;
    const Turn<S>& turn = ws.motion.inverse.turns[i];
    const auto& own = ws.motion.motions[index(j)];
    Axis<S> axis;
    axis.z = counted_as("7.3.12a", parent_z_in_child(tilt, turn));
    if (!on_base<AnyTree>(robot, j)) {
      axis.z_dot = counted_as("7.3.12b", to_child(tilt, turn, FlatVec3<S>{own.omega.y, -own.omega.x}));
      axis.z_ddot = counted_as("7.3.12c", to_child(tilt, turn, own.Omega.column_z()));
    }
    if (!robot.link(j).revolute) return axis;
    axis.a_origin = counted_as("7.3.12d", to_child(tilt, turn, own.a_origin));
    axis.s = ws.offsets[index(i)], axis.s_dot = ws.offset_rates[index(i)];
    return axis;
  }
  template <class S>
  static Axis<S> next_step(const TreeFor<S>& robot, const Workspace<S>& ws, int j, int i) {
    const auto& tilt = robot.link(i).tilt;
    const Turn<S>& turn = ws.motion.inverse.turns[i];
    const Axis<S>& before = ws.axes[index(robot.link(i).parent)];
    Axis<S> axis;
    axis.z = counted_as("7.3.12a", to_child(tilt, turn, before.z));
    if (!on_base<AnyTree>(robot, j)) {
      axis.z_dot = counted_as("7.3.12b", to_child(tilt, turn, before.z_dot));
      axis.z_ddot = counted_as("7.3.12c", to_child(tilt, turn, before.z_ddot));
    }
    if (!robot.link(j).revolute) return axis;
    axis.a_origin = counted_as("7.3.12d", to_child(tilt, turn, before.a_origin));
    axis.s = counted_as("7.3.12e", to_child(tilt, turn, before.s) + ws.offsets[index(i)]);
    axis.s_dot = counted_as("7.3.12f", to_child(tilt, turn, before.s_dot) + ws.offset_rates[index(i)]);
    return axis;
  }

  // (10): row i, column j of the three matrices, j nearer to the base; D is symmetric.
  template <class S>
  static void put_row(const TreeFor<S>& robot, const Workspace<S>& ws, int i, int j, const Sensitivities<S>& out) {
    const int row = robot.link(i).q, column = robot.link(j).q;
    const bool turns = robot.link(i).revolute, still = on_base<AnyTree>(robot, j);
    const auto& [w, e, b, V, P] = ws.ends[index(i)];
    const auto& [z, z_dot, z_ddot, a_origin, s, s_dot] = ws.axes[index(i)];
    if (!robot.link(j).revolute) {
      out.D.set_symmetric(row, column, counted_as("7.3.2", along(turns, w, z)));
      if (still) return;
      out.V(row, column) = counted_as("7.3.3", doubled(along(turns, w, z_dot)));
      out.P(row, column) = counted_as("7.3.4", along(turns, w, z_ddot));
      return;
    }
    const Vec3<S> r = e + cross_w(turns, s, w);
    out.D.set_symmetric(row, column, counted_as("7.3.2", dot(r, z)));
    const Vec3<S> l = b - cross_w(turns, s_dot, w);
    S half = -dot(l, z);
    if (!still) half = dot(r, z_dot) + half;
    out.V(row, column) = counted_as("7.3.3", doubled(half));
    S change = -dot(cross_w(turns, a_origin, w), z);
    if (!still) change = (dot(r, z_ddot) - doubled(dot(l, z_dot))) + change;
    out.P(row, column) = counted_as("7.3.4", change);
  }
  // w · x and x x w, where w lies across the axis of a joint that turns, or along one that slides.
  template <class S>
  static S along(bool turns, const Vec3<S>& w, const Vec3<S>& x) {
    return turns ? w.x * x.x + w.y * x.y : w.z * x.z;
  }
  template <class S>
  static Vec3<S> cross_w(bool turns, const Vec3<S>& x, const Vec3<S>& w) {
    if (turns) return cross(x, FlatVec3<S>{w.x, w.y});
    return {x.y * w.z, -(x.x * w.z), S{}};
  }

  // (12): row j, column i of V and P.
  template <class S>
  static void put_column(const TreeFor<S>& robot, const Workspace<S>& ws, int i, int j, const Sensitivities<S>& out) {
    const int row = robot.link(j).q, column = robot.link(i).q;
    const Wrench<S>&V = ws.ends[index(i)].V, &P = ws.ends[index(i)].P;
    const Axis<S>& axis = ws.axes[index(i)];
    if (!robot.link(j).revolute) {
      out.V(row, column) = counted_as("7.3.3", dot(axis.z, V.force));
      out.P(row, column) = counted_as("7.3.4", dot(axis.z, P.force));
      return;
    }
    const Vec3<S> arm = cross(axis.z, axis.s);
    out.V(row, column) = counted_as("7.3.3", dot(axis.z, V.moment) + dot(arm, V.force));
    out.P(row, column) = counted_as("7.3.4", dot(axis.z, P.moment) + dot(arm, P.force));
  }
};

}  // namespace catena
