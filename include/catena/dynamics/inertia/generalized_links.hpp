// Inertia matrix by generalized links (Algorithm 6.2 of Balafoutis), with the prismatic term missing in print.
// Equations (1)-(6): docs/equations/generalized_links.md. Composite i is link i and all that hangs on it, in frame i
// about o_i.
#pragma once

#include <vector>

#include "catena/dynamics/formulation.hpp"
#include "catena/dynamics/shape.hpp"

namespace catena {

struct GeneralizedLinks {
  static constexpr FormulationInfo info{"generalized-links", "inertia", "Balafoutis 1989, Algorithm 6.2",
                                        "docs/equations/generalized_links.md",
                                        "11n² + 11n - 42 M, 5.5n² + 32.5n - 54 A"};

  template <class S>
  struct Composite {
    Vec3<S> U;  // (1) first moment
    Sym3<S> E;  // (2) pseudo-inertia
  };

  template <class S>
  struct Workspace {
    std::vector<Composite<S>> composites;
    JointTurns<S> turns;

    explicit Workspace(const MechanismFor<S>& robot) : composites(index(robot.n())), turns(robot.n()) {}
  };

  template <class S>
  static void run(const MechanismFor<S>& robot, std::span<const S> q, Workspace<S>& ws,
                  const MatrixView<S>& M) {
    joint_turns<S>(robot, q, ws.turns);
    with_turns<S>(robot, q, ws.turns, ws, M);
  }

  // For a caller that has the joints' sines and cosines already.
  template <class S>
  static void with_turns(const MechanismFor<S>& robot, std::span<const S> q, const JointTurns<S>& turns,
                         Workspace<S>& ws, const MatrixView<S>& M) {
    if (robot.n() == 0) return;
    if (robot.flat) {
      sweep<FlatChain>(robot, q, turns, ws, M);
    } else {
      M.set_zero();
      for (int i = 0; i < robot.n(); ++i) ws.composites[index(i)] = alone<AnyTree, S>(robot.link(i));
      sweep<AnyTree>(robot, q, turns, ws, M);
    }
  }

  // (1), (2): A U and A Ê Aᵀ + s (A U)ᵀ + (A U) sᵀ; the mass at o_i is in the augmented link of the parent already,
  // unless it slides. Of a parent on the base no more is asked than Ê_xx + Ê_yy, which is left in xx.
  template <class Shape, class S, class T>
  static Composite<S> felt_by_parent(const LinkConstants<T>& link, const LinkConstants<T>& parent, std::span<const S> q,
                                     const Turn<S>& turn, const Composite<S>& own) {
    const auto s = Shape::offset(link, q);
    const auto tilt = Shape::tilt(link);
    if (parent.parent == base) {
      const FlatVec3<S> U = to_parent_xy(tilt, turn, own.U);
      const S across = s.x * U.x + s.y * U.y;
      S sum = (own.E.trace() - to_parent_zz(tilt, turn, own.E)) + (across + across);
      if (!Shape::revolute(link)) sum += link.augmented_mass * (s.x * s.x + s.y * s.y);
      return {{}, {sum, S{}, S{}, S{}, S{}, S{}}};
    }
    Composite<S> felt{to_parent(tilt, turn, own.U), to_parent(tilt, turn, own.E)};
    felt.E = add_outer_symmetric(felt.E, s, felt.U);
    if (Shape::revolute(link)) return felt;
    const Vec3<S> offset = joint_offset(link, q[index(link.q)]);
    felt.U += link.augmented_mass * offset;
    felt.E += link.augmented_mass * outer(offset);
    return felt;
  }

  template <class S>
  static void add(const Composite<S>& felt, bool on_base, Composite<S>& parent) {
    if (on_base) {
      parent.E.xx += felt.E.xx;
    } else {
      parent.U += felt.U;
      parent.E += felt.E;
    }
  }

 private:
  template <class Shape, class S>
  static void sweep(const MechanismFor<S>& robot, std::span<const S> q, const JointTurns<S>& turns,
                    Workspace<S>& ws, const MatrixView<S>& M) {
    auto carried = alone<Shape, S>(robot.links.back());  // in a chain: composite i
    for (int i = robot.n() - 1; i >= 0; --i) {
      const auto& link = robot.link(i);
      const auto& [U, E] = Shape::chain ? carried : ws.composites[index(i)];
      // Force and moment about o_i that a unit acceleration of joint i takes: (3), (4)
      Vec3<S> f{}, n{};
      if (Shape::revolute(link)) {
        f = {-U.y, U.x, S{}};
        n = {-E.xz, -E.yz, E.xx + E.yy};
      } else {
        f.z = S(link.augmented_mass);
        n = {U.y, -U.x, S{}};
      }
      M(link.q, link.q) = Shape::revolute(link) ? n.z : f.z;  // (6)
      if (link.parent == base) continue;
      walk<Shape>(robot, q, turns, i, f, n, M);
      const auto& above = robot.link(link.parent);
      const auto felt = felt_by_parent<Shape>(link, above, q, turns[i], {U, E});
      if (Shape::chain) carried = alone<Shape, S>(above);
      auto& parent = Shape::chain ? carried : ws.composites[index(link.parent)];
      add(felt, above.parent == base, parent);
    }
  }

  // (5): carries the force and moment that joint i takes to the base and reads what each joint on the way feels of it.
  // At the last joint only one component is wanted.
  template <class Shape, class S>
  static void walk(const MechanismFor<S>& robot, std::span<const S> q, const JointTurns<S>& turns, int i,
                   Vec3<S> f, Vec3<S> n, const MatrixView<S>& M) {
    const auto& link = robot.link(i);
    for (int j = i;;) {
      const auto& step = robot.link(j);
      const auto& ancestor = robot.link(step.parent);
      const auto tilt = Shape::tilt(step);
      if (ancestor.parent == base) {
        S felt = to_parent_z(tilt, turns[j], Shape::revolute(ancestor) ? n : f);
        if (Shape::revolute(ancestor)) {
          const auto s = Shape::offset(step, q);
          const FlatVec3<S> across = to_parent_xy(tilt, turns[j], f);
          felt = (felt + s.x * across.y) - s.y * across.x;
        }
        M.set_symmetric(link.q, ancestor.q, felt);  // (6)
        return;
      }
      const bool flat = j == i && Shape::revolute(link);  // f starts in the plane across the axis
      f = flat ? to_parent(tilt, turns[j], FlatVec3<S>{f.x, f.y}) : to_parent(tilt, turns[j], f);
      n = add_cross(to_parent(tilt, turns[j], n), Shape::offset(step, q), f);
      j = step.parent;
      M.set_symmetric(link.q, ancestor.q, Shape::revolute(ancestor) ? n.z : f.z);  // (6)
    }
  }

  // The augmented link without its children.
  template <class Shape, class S, class T>
  static Composite<S> alone(const LinkConstants<T>& link) {
    const auto& u = Shape::moment(link);
    const auto& K = Shape::pseudo(link);
    return {{S(u.x), S(u.y), S(z_of(u))}, {S(K.xx), S(K.yy), S(zz_of(K)), S(K.xy), S(K.xz), S(K.yz)}};
  }
};

}  // namespace catena
