// D = ∂τ/∂q̈, V = ∂τ/∂q̇ and P = ∂τ/∂q with the composites of Balafoutis's Algorithm 7.2, but walked inward: ours. Each
// column is carried to the base once all beyond its joint is known; nothing of his Algorithm 7.1 is left.
// Equations (1)-(12): docs/equations/tensor_linearized.md. Quantities of link i are in frame i about its origin.
#pragma once

#include <array>

#include "formulations/inverse/tensor_augmented.hpp"

namespace catena {

// Where the three matrices go. P and D may be left out.
template <class S>
struct Sensitivities {
  MatrixView<S> D, V, P;
};

// Three square matrices in sequence, as results are stored.
template <class S>
std::array<MatrixView<S>, 3> three_matrices(std::span<S> out, int n) {
  const std::size_t square = index(n) * index(n);
  return {{{out.first(square), n}, {out.subspan(square, square), n}, {out.subspan(2 * square, square), n}}};
}

namespace detail {

// with_positions: D, V and P; without: V alone, which needs no accelerations, or half of it. Rates are stored doubled,
// or plain for that half: every term of V, and every term of P with rates, contains them twice.
template <bool with_positions, bool halved = false>
struct TensorSensitivities : protected TensorAugmented {
  template <class S>
  using LinkMotion = TensorAugmented::LinkMotion<S>;

  // Link i and all links beyond it.
  template <class S>
  struct Composite {
    Vec3<S> U, U_dot;  // (1), (2) first moment and twice its rate
    Sym3<S> K;         // (3) pseudo-inertia
    Mat3<S> G;         // (4) 2 Σ m ṙ rᵀ

    Composite& operator+=(const Composite& b) {
      U += b.U, U_dot += b.U_dot;
      K += b.K, G += b.G;
      return *this;
    }
  };
  // What a column carries to the base: its wrenches, and its row's dependence on an ancestor's speed.
  template <class S>
  struct Column {
    Wrench<S> D, V, P;  // (5)-(7)
    Vec3<S> b;          // (8)
  };

  template <class S>
  struct Workspace {
    Array<LinkMotion<S>> motions;
    Array<Vec3<S>> spins;         // 2ω
    Array<Vec3<S>> offset_rates;  // (9) 2ṡ in the parent's frame
    TensorAugmented::Workspace<S> inverse;
    Array<Composite<S>> composites;  // for trees

    explicit Workspace(const TreeFor<S>& robot)
        : motions(index(robot.joints())),
          spins(motions.size()),
          offset_rates(motions.size()),
          inverse(robot),
          composites(kept_by_link(robot)) {}
  };

  template <class S>
  static void run(const TreeFor<S>& robot, const Motion<S>& x, Workspace<S>& ws, const Sensitivities<S>& out) {
    if (robot.joints() == 0) return;
    joint_turns<S>(robot, x.q, ws.inverse.turns);
    sweep_both_ways<S>(robot, x, ws, out);
  }
  // For a caller whose workspace already has the joints' sines and cosines.
  template <class S>
  static void sweep_both_ways(const TreeFor<S>& robot, const Motion<S>& x, Workspace<S>& ws,
                              const Sensitivities<S>& out) {
    if (with_positions && robot.has_prismatic) augment_on_line(robot, x.q, ws.inverse);
    in_shape(robot, [&]<class Shape>(Shape) {
      find_motions<Shape>(robot, x, ws);
      sweep<Shape>(robot, x, ws, out);
    });
  }

 protected:  // algorithms_7_1_7_2.hpp uses the same steps
  // Outward: (2)-(7) of inverse dynamics, stored by link.
  template <class Shape, class S>
  static void find_motions(const TreeFor<S>& robot, const Motion<S>& x, Workspace<S>& ws) {
    auto& inverse = ws.inverse;
    for (int i = 0; i < robot.joints(); ++i) {
      const auto& link = robot.link(i);
      const int up = Shape::parent(robot, i);
      LinkMotion<S>& own = ws.motions[index(i)];
      const S& qd = x.qd[index(link.q)];
      if (up == base_link) {
        own = {};
        if (Shape::revolute(link)) own.omega.z = qd;
        if constexpr (with_positions) start<Shape>(robot, i, x, inverse.turns[i], own);
        ws.spins[index(i)] = {S{}, S{}, twice(own.omega.z)};
        continue;
      }
      const Step to{Shape::tilt(link), inverse.turns[i], Shape::offset(link, x.q)};
      const LinkMotion<S>& parent = ws.motions[index(up)];
      Vec3<S>& s_dot = ws.offset_rates[index(i)];
      const Vec3<S>& spin = ws.spins[index(up)];
      s_dot = counted_as("7.3.12f", on_base<Shape>(robot, up) ? cross_from_axis(spin.z, to.s) : cross(spin, to.s));
      if (!Shape::revolute(link)) s_dot += twice(qd) * link.z_in_parent;
      if constexpr (!with_positions) {
        own.omega = on_base<Shape>(robot, up) ? z_to_child(to.tilt, to.turn, parent.omega.z)
                                              : to_child(to.tilt, to.turn, parent.omega);
        if (Shape::revolute(link)) own.omega.z += qd;
      } else {
        own = on_base<Shape>(robot, up) ? carry(axial(parent), to) : carry(parent, to);
        if (Shape::revolute(link)) {
          turn(own, qd, x.qdd[index(link.q)], false);
        } else {
          slide(own, qd, x.qdd[index(link.q)], inverse.slidings[index(i)]);
        }
        inverse.loads[index(i)] = needed<Shape>(i, link, own, inverse);
      }
      ws.spins[index(i)] = {twice(own.omega.x), twice(own.omega.y), twice(own.omega.z)};
    }
  }
  template <class S>
  static S twice(const S& rate) {
    return halved ? rate : rate + rate;
  }
  template <class Shape, class S>
  static void start(const TreeFor<S>& robot, int i, const Motion<S>& x, const Turn<S>& turn, LinkMotion<S>& own) {
    const auto& link = robot.link(i);
    const S& qdd = x.qdd[index(link.q)];
    own.a_origin = counted_as("5.3.45e", base_acceleration(robot, i, turn));
    (Shape::revolute(link) ? own.omega_dot.z : own.a_origin.z) += qdd;
  }
  template <class S, class Offset>
  static Vec3<S> cross_from_axis(const S& omega_z, const Offset& s) {
    return {-(omega_z * s.y), omega_z * s.x, S{}};
  }
  template <class S>
  static AxialMotion<S> axial(const LinkMotion<S>& first) {
    return {first.omega.z, first.omega_dot.z, counted_as("5.3.45c", first.omega.z * first.omega.z), first.a_origin};
  }

  // Inward: once everything beyond joint i is known, its column and its row.
  template <class Shape, class S>
  static void sweep(const TreeFor<S>& robot, const Motion<S>& x, Workspace<S>& ws, const Sensitivities<S>& out) {
    if (!Shape::chain) {  // between branches
      out.V.set_zero();
      if constexpr (with_positions) out.D.set_zero(), out.P.set_zero();
    }
    for (int i = 0; i < robot.joints(); ++i)
      if (on_base<Shape>(robot, i)) put_first_alone<Shape>(robot.link(i), ws.motions[index(i)], out);
    const auto alone = [&](int i) { return link_alone<Shape>(robot.link(i), ws.spins[index(i)]); };
    Handed<Shape, Composite<S>> composites(ws.composites);
    composites.start(robot.joints(), alone);
    for (int i = robot.joints() - 1; i >= 0; --i) {
      const auto& link = robot.link(i);
      const int up = Shape::parent(robot, i);
      if (up == base_link) continue;
      const Composite<S>& own = composites[i];
      const ToParent<Shape, S> step(robot, x, ws, i);
      Column<S> column = start_column<Shape>(link, own, ws.motions[index(i)], ws.spins[index(i)]);
      put_diagonal<Shape>(link, column, out);
      if constexpr (with_positions) add_turning_load<Shape>(link, ws, i, column.P);
      walk<Shape>(robot, x, ws, i, column, out);
      if (on_base<Shape>(robot, up)) {
        if (Shape::revolute(robot.link(up)))
          add_to_first<Shape>(link, own, step, ws.motions[index(up)], robot.link(up), out);
        continue;
      }
      composites.add(up, felt_by_parent<Shape>(link, own, step), alone);
      if constexpr (with_positions) hand_load<Shape>(link, ws, i, up, step);
    }
  }

  // From link i to its parent: rotation, offset, and the offset's rate (9), in the parent's frame.
  template <class Shape, class S>
  struct ToParent {
    decltype(Shape::tilt(std::declval<const LinkConstants<ConstantOf<S>>&>())) tilt;
    const Turn<S>& turn;
    decltype(Shape::offset(std::declval<const LinkConstants<ConstantOf<S>>&>(), std::span<const S>{})) s;
    const Vec3<S>& s_dot;

    ToParent(const TreeFor<S>& robot, const Motion<S>& x, const Workspace<S>& ws, int i)
        : tilt(Shape::tilt(robot.link(i))),
          turn(ws.inverse.turns[i]),
          s(Shape::offset(robot.link(i), x.q)),
          s_dot(ws.offset_rates[index(i)]) {}
  };

  // (5)-(8) at the joint itself. ż = ω x z and z̈ = Ω z are the rates of its axis.
  template <class Shape, class T, class S>
  static Column<S> start_column(const LinkConstants<T>& link, const Composite<S>& own, const LinkMotion<S>& motion,
                                const Vec3<S>& spin) {
    return Shape::revolute(link) ? turning_column(own, motion, spin)
                                 : sliding_column(S(link.augmented_mass), own, motion, spin);
  }
  template <class S>
  static Column<S> turning_column(const Composite<S>& own, const LinkMotion<S>& motion, const Vec3<S>& spin) {
    const auto& [U, U_dot, K, G] = own;
    const FlatVec3<S> z_dot{spin.y, -spin.x};  // twice
    const S across = G.xx + G.yy;
    const S Exx = K.yy + K.zz, Eyy = K.xx + K.zz, Ezz = K.xx + K.yy;
    Column<S> column;
    column.D = {{-U.y, U.x, S{}}, {-K.xz, -K.yz, Ezz}};  // (5)
    column.b = {-G.zx, -G.zy, across};                   // (8)
    column.V.moment = {Exx * z_dot.x - K.xy * z_dot.y - G.xz, Eyy * z_dot.y - K.xy * z_dot.x - G.yz,
                       (across - K.xz * z_dot.x) - K.yz * z_dot.y};  // (6)
    column.V.force = {z_dot.y * U.z - U_dot.y, U_dot.x - z_dot.x * U.z, z_dot.x * U.y - z_dot.y * U.x};
    if constexpr (with_positions) {
      const Vec3<S> z_ddot = motion.Omega.column_z();
      const S x = motion.omega.y, y = -motion.omega.x;  // ż
      const Vec3<S> turned{Exx * z_ddot.x - K.xy * z_ddot.y - K.xz * z_ddot.z,
                           Eyy * z_ddot.y - K.xy * z_ddot.x - K.yz * z_ddot.z,
                           Ezz * z_ddot.z - K.xz * z_ddot.x - K.yz * z_ddot.y};                                // E z̈
      const Vec3<S> dragged{G.xy * y - (G.yy + G.zz) * x, G.yx * x - (G.xx + G.zz) * y, G.zx * x + G.zy * y};  // 2Lż
      const FlatVec3<S> kappa{motion.a_origin.y, -motion.a_origin.x};
      column.P.moment = {(turned.x - dragged.x) - U.z * kappa.y, (turned.y - dragged.y) + U.z * kappa.x,
                         ((turned.z - dragged.z) + U.x * kappa.y) - U.y * kappa.x};  // (7)
      column.P.force = add_cross(Vec3<S>{y * U_dot.z, -(x * U_dot.z), x * U_dot.y - y * U_dot.x}, z_ddot, U);
    }
    return column;
  }
  template <class S>
  static Column<S> sliding_column(const S& mass, const Composite<S>& own, const LinkMotion<S>& motion,
                                  const Vec3<S>& spin) {
    const auto& [U, U_dot, K, G] = own;
    const FlatVec3<S> z_dot{spin.y, -spin.x};  // twice
    Column<S> column;
    column.D = {{S{}, S{}, mass}, {U.y, -U.x, S{}}};
    column.b = {U_dot.y, -U_dot.x, S{}};
    column.V = {{mass * z_dot.x, mass * z_dot.y, S{}},
                {-(U.z * z_dot.y), U.z * z_dot.x, U.x * z_dot.y - U.y * z_dot.x}};
    if constexpr (with_positions) {
      const Vec3<S> z_ddot = motion.Omega.column_z();
      column.P = {mass * z_ddot, cross(U, z_ddot)};
    }
    return column;
  }
  // (7): everything beyond the joint turns or slides with it, and so does its load. No component along the axis.
  template <class Shape, class T, class S>
  static void add_turning_load(const LinkConstants<T>& link, const Workspace<S>& ws, int i, Wrench<S>& P) {
    const auto& [U_ddot, eta] = ws.inverse.loads[index(i)];
    if (Shape::revolute(link)) {
      P.force.x -= U_ddot.y, P.force.y += U_ddot.x;
      P.moment.x -= eta.y, P.moment.y += eta.x;
    } else {
      const Vec3<S>& a = ws.motions[index(i)].a_origin;
      P.moment.x -= link.augmented_mass * a.y + U_ddot.y;
      P.moment.y += link.augmented_mass * a.x + U_ddot.x;
    }
  }

  // (9)-(12): carries the column to the base and reads, at each ancestor, the column's component along that joint
  // (above the diagonal) and the row's dependence on that joint (below).
  template <class Shape, class S>
  static void walk(const TreeFor<S>& robot, const Motion<S>& x, const Workspace<S>& ws, int i, Column<S>& column,
                   const Sensitivities<S>& out) {
    const int own = robot.link(i).q;
    for (int j = i, up = Shape::parent(robot, i);; j = up, up = Shape::parent(robot, j)) {
      const auto& ancestor = robot.link(up);
      const ToParent<Shape, S> step(robot, x, ws, j);
      const LinkMotion<S>& motion = ws.motions[index(up)];
      if (on_base<Shape>(robot, up)) {
        read_first<Shape>(ancestor, own, column, step, motion, out);
        return;
      }
      if constexpr (with_positions) column.P = to_parent(step.tilt, step.turn, step.s, column.P);
      column.V = to_parent(step.tilt, step.turn, step.s, column.V);
      column.D = to_parent(step.tilt, step.turn, step.s, column.D);
      column.b = add_cross(to_parent(step.tilt, step.turn, column.b), step.s_dot, column.D.force);  // (9)
      read<Shape>(ancestor, own, column, motion, ws.spins[index(up)], out);
    }
  }
  // (10)-(12)
  template <class Shape, class T, class S>
  static void read(const LinkConstants<T>& ancestor, int own, const Column<S>& column, const LinkMotion<S>& motion,
                   const Vec3<S>& spin, const Sensitivities<S>& out) {
    const bool revolute = Shape::revolute(ancestor);
    const Vec3<S>& felt = revolute ? column.D.moment : column.D.force;
    const S dragged = spin.y * felt.x - spin.x * felt.y;  // 2ż
    out.V(ancestor.q, own) = felt_by_joint(revolute, column.V);
    out.V(own, ancestor.q) = revolute ? dragged + column.b.z : dragged;
    if constexpr (with_positions) {
      out.D.set_symmetric(own, ancestor.q, felt_by_joint(revolute, column.D));
      out.P(ancestor.q, own) = felt_by_joint(revolute, column.P);
      S turned = dot(motion.Omega.column_z(), felt);
      if (revolute) {
        turned = (turned + motion.omega.y * column.b.x) - motion.omega.x * column.b.y;
        turned = (turned + column.D.force.x * motion.a_origin.y) - column.D.force.y * motion.a_origin.x;
      }
      out.P(own, ancestor.q) = turned;
    }
  }
  // The same at the last joint, whose axis does not rotate: one component of each.
  template <class Shape, class T, class S>
  static void read_first(const LinkConstants<T>& first, int own, const Column<S>& column,
                         const ToParent<Shape, S>& step, const LinkMotion<S>& motion, const Sensitivities<S>& out) {
    const bool revolute = Shape::revolute(first);
    const auto felt = [&](const Wrench<S>& w) {
      if (!revolute) return to_parent_z(step.tilt, step.turn, w.force);
      const FlatVec3<S> f = to_parent_xy(step.tilt, step.turn, w.force);
      return (to_parent_z(step.tilt, step.turn, w.moment) + step.s.x * f.y) - step.s.y * f.x;
    };
    out.V(first.q, own) = felt(column.V);
    if constexpr (with_positions) out.P(first.q, own) = felt(column.P);
    if (!revolute) {
      out.V(own, first.q) = S{};
      if constexpr (with_positions) out.P(own, first.q) = S{}, out.D.set_symmetric(own, first.q, felt(column.D));
      return;
    }
    const FlatVec3<S> f = to_parent_xy(step.tilt, step.turn, column.D.force);
    out.V(own, first.q) = (to_parent_z(step.tilt, step.turn, column.b) + step.s_dot.x * f.y) - step.s_dot.y * f.x;
    if constexpr (with_positions) {
      out.P(own, first.q) = f.x * motion.a_origin.y - f.y * motion.a_origin.x;
      out.D.set_symmetric(own, first.q,
                          (to_parent_z(step.tilt, step.turn, column.D.moment) + step.s.x * f.y) - step.s.y * f.x);
    }
  }

  template <class Shape, class T, class S>
  static void put_diagonal(const LinkConstants<T>& link, const Column<S>& column, const Sensitivities<S>& out) {
    out.V(link.q, link.q) = felt_by_joint(Shape::revolute(link), column.V);
    if constexpr (with_positions) {
      out.D(link.q, link.q) = felt_by_joint(Shape::revolute(link), column.D);
      out.P(link.q, link.q) = felt_by_joint(Shape::revolute(link), column.P);
    }
  }
  // For a link on the base, D and P of the link itself; it has no V.
  template <class Shape, class T, class S>
  static void put_first_alone(const LinkConstants<T>& link, const LinkMotion<S>& motion, const Sensitivities<S>& out) {
    out.V(link.q, link.q) = S{};
    if constexpr (with_positions) {
      const auto& u = Shape::moment(link);
      const auto& K = Shape::pseudo(link);
      out.D(link.q, link.q) = Shape::revolute(link) ? S(K.xx) + S(K.yy) : S(link.augmented_mass);
      out.P(link.q, link.q) = Shape::revolute(link) ? -(u.x * motion.a_origin.x + u.y * motion.a_origin.y) : S{};
    }
  }
  // What a child adds to the entries of a joint on the base.
  template <class Shape, class T, class S>
  static void add_to_first(const LinkConstants<T>& link, const Composite<S>& own, const ToParent<Shape, S>& step,
                           const LinkMotion<S>& motion, const LinkConstants<T>& first, const Sensitivities<S>& out) {
    const auto& s = step.s;
    const auto& s_dot = step.s_dot;
    FlatVec3<S> U = to_parent_xy(step.tilt, step.turn, own.U), U_dot = to_parent_xy(step.tilt, step.turn, own.U_dot);
    const S still = (own.G.xx + own.G.yy + own.G.zz) - to_parent_zz(step.tilt, step.turn, own.G);
    S rate = (((still + U_dot.x * s.x) + U_dot.y * s.y) + s_dot.x * U.x) + s_dot.y * U.y;
    if (!Shape::revolute(link)) rate += link.augmented_mass * (s_dot.x * s.x + s_dot.y * s.y);
    out.V(first.q, first.q) += rate;
    if constexpr (with_positions) {
      const S across = s.x * U.x + s.y * U.y;
      S inertia = (own.K.trace() - to_parent_zz(step.tilt, step.turn, own.K)) + (across + across);
      if (!Shape::revolute(link)) {
        inertia += link.augmented_mass * (s.x * s.x + s.y * s.y);
        U.x += link.augmented_mass * s.x, U.y += link.augmented_mass * s.y;
      }
      out.D(first.q, first.q) += inertia;
      out.P(first.q, first.q) -= U.x * motion.a_origin.x + U.y * motion.a_origin.y;
    }
  }

  // The augmented link without its children.
  template <class Shape, class T, class S>
  static Composite<S> link_alone(const LinkConstants<T>& link, const Vec3<S>& spin) {
    const auto& u = Shape::moment(link);
    const auto& K = Shape::pseudo(link);
    return {{S(u.x), S(u.y), S(z_of(u))},
            cross(spin, u),
            {S(K.xx), S(K.yy), S(zz_of(K)), S(K.xy), S(K.xz), S(K.yz)},
            cross(spin, K)};
  }
  // (1)-(4): what a composite adds to its parent's. The parent's augmented link already includes the mass at o_i,
  // unless the joint slides.
  template <class Shape, class T, class S>
  static Composite<S> felt_by_parent(const LinkConstants<T>& link, const Composite<S>& own,
                                     const ToParent<Shape, S>& step) {
    Composite<S> felt{to_parent(step.tilt, step.turn, own.U), to_parent(step.tilt, step.turn, own.U_dot),
                      to_parent(step.tilt, step.turn, own.K), to_parent(step.tilt, step.turn, own.G)};
    felt.K = add_outer_symmetric(felt.K, step.s, felt.U);
    felt.G = add_outer(add_outer(felt.G, felt.U_dot, step.s), step.s_dot, felt.U);
    if (Shape::revolute(link)) return felt;
    const Vec3<S> s{S(step.s.x), S(step.s.y), S(z_of(step.s))}, slid = link.augmented_mass * step.s_dot;
    felt.U += link.augmented_mass * s;
    felt.U_dot += slid;
    felt.K += link.augmented_mass * outer(s);
    felt.G = add_outer(felt.G, slid, s);
    return felt;
  }
  // (8) of inverse dynamics.
  template <class Shape, class T, class S>
  static void hand_load(const LinkConstants<T>& link, Workspace<S>& ws, int i, int up, const ToParent<Shape, S>& step) {
    LinkLoad<S> load = ws.inverse.loads[index(i)];
    if (!Shape::revolute(link)) load.U_ddot += link.augmented_mass * ws.inverse.slidings[index(i)].zeta;
    ws.inverse.loads[index(up)] = with_child(ws.inverse.loads[index(up)], load, Step{step.tilt, step.turn, step.s});
  }
};

}  // namespace detail

struct TensorLinearized {
  static constexpr FormulationInfo info{"tensor", "linearize", "after Balafoutis 1989, chapter VII",
                                        "docs/equations/tensor_linearized.md", "none published"};
  template <class S>
  using Workspace = detail::TensorSensitivities<true>::Workspace<S>;

  template <class S>
  static void run(const TreeFor<S>& robot, const Motion<S>& x, Workspace<S>& ws, const Sensitivities<S>& out) {
    detail::TensorSensitivities<true>::run<S>(robot, x, ws, out);
  }
  // For a caller that already has the joints' sines and cosines.
  template <class S>
  static void with_turns(const TreeFor<S>& robot, const Motion<S>& x, const JointTurns<S>& turns, Workspace<S>& ws,
                         const Sensitivities<S>& out) {
    if (robot.joints() == 0) return;
    ws.inverse.turns = turns;
    detail::TensorSensitivities<true>::sweep_both_ways<S>(robot, x, ws, out);
  }
};

// V alone; half of it is the matrix C of the Christoffel symbols.
struct TensorDamping {
  static constexpr FormulationInfo info{"tensor", "damping", "after Balafoutis 1989, chapter VII",
                                        "docs/equations/tensor_linearized.md", "as counted"};
  template <class S>
  using Workspace = detail::TensorSensitivities<false>::Workspace<S>;

  template <class S>
  static void run(const TreeFor<S>& robot, std::span<const S> q, std::span<const S> qd, Workspace<S>& ws,
                  const MatrixView<S>& V) {
    detail::TensorSensitivities<false>::run<S>(robot, {q, qd, {}}, ws, {{}, V, {}});
  }
};
struct TensorChristoffel {
  static constexpr FormulationInfo info{"tensor", "coriolis", "after Balafoutis 1989, chapter VII: half of V",
                                        "docs/equations/tensor_linearized.md", "as counted"};
  template <class S>
  using Workspace = detail::TensorSensitivities<false, true>::Workspace<S>;

  template <class S>
  static void run(const TreeFor<S>& robot, std::span<const S> q, std::span<const S> qd, Workspace<S>& ws,
                  const MatrixView<S>& C) {
    detail::TensorSensitivities<false, true>::run<S>(robot, {q, qd, {}}, ws, {{}, C, {}});
  }
};

}  // namespace catena
