// Inertia matrix by generalized links (Algorithm 6.2 of Balafoutis), with the prismatic term that is missing in print.
// Equations (1)-(6): docs/equations/generalized_links.md. Composite i is link i and all links beyond it, in frame i
// about o_i.
#pragma once

#include "catena/formulation/formulation.hpp"
#include "catena/formulation/shape.hpp"
#include "formulations/shared/counted_as.hpp"

namespace catena {

struct GeneralizedLinks {
  static constexpr FormulationInfo info{"generalized-links", "inertia", "Balafoutis 1989, Algorithm 6.2",
                                        "docs/equations/generalized_links.md",
                                        "11n² + 11n - 42 M, 5.5n² + 32.5n - 54 A"};

  template <class S>
  struct Composite {
    Vec3<S> U;  // (1) first moment
    Sym3<S> E;  // (2) pseudo-inertia

    Composite& operator+=(const Composite& b) {
      U = counted_as("6.3.29a", U + b.U);
      E = counted_as("6.3.29c", E + b.E);
      return *this;
    }
  };
  template <class S>
  struct Workspace {
    JointTurns<S> turns;
    Array<Composite<S>> composites;  // for trees

    explicit Workspace(const TreeFor<S>& robot) : turns(robot.joints()), composites(kept_by_link(robot)) {}
  };

  template <class S>
  static void run(const TreeFor<S>& robot, std::span<const S> q, Workspace<S>& ws, const MatrixView<S>& M) {
    joint_turns<S>(robot, q, ws.turns);
    with_turns<S>(robot, q, ws.turns, ws, M);
  }

  // For a caller that already has the joints' sines and cosines.
  template <class S>
  static void with_turns(const TreeFor<S>& robot, std::span<const S> q, const JointTurns<S>& turns, Workspace<S>& ws,
                         const MatrixView<S>& M) {
    if (robot.joints() == 0) return;
    in_shape(robot, [&]<class Shape>(Shape) { sweep<Shape>(robot, q, turns, ws, M); });
  }

  // (3), (4): force and moment about o_i needed for a unit acceleration of joint i.
  template <class Shape, class T, class S>
  static Wrench<S> for_unit_acceleration(const LinkConstants<T>& link, const Composite<S>& own) {
    const auto& [U, E] = own;
    if (Shape::revolute(link)) return {{-U.y, U.x, S{}}, {-E.xz, -E.yz, counted_as("6.3.29e", E.xx + E.yy)}};
    return {{S{}, S{}, S(link.augmented_mass)}, {U.y, -U.x, S{}}};
  }
  // (1), (2): A U and A Ê Aᵀ + s (A U)ᵀ + (A U) sᵀ; the parent's augmented link already includes the mass at o_i,
  // unless the joint slides.
  template <class Shape, class T, class S>
  static Composite<S> felt_by_parent(const LinkConstants<T>& link, std::span<const S> q, const Turn<S>& turn,
                                     const Composite<S>& own) {
    const auto tilt = Shape::tilt(link);
    Composite<S> felt{counted_as("6.3.29a", to_parent(tilt, turn, own.U)), to_parent(tilt, turn, own.E)};
    felt.E = counted_as("6.3.29c", add_outer_symmetric(felt.E, Shape::offset(link, q), felt.U));
    if (Shape::revolute(link)) return felt;
    const Vec3<S> offset = joint_offset(link, q[index(link.q)]);
    felt.U += link.augmented_mass * offset;
    felt.E += link.augmented_mass * outer(offset);
    return felt;
  }
  // The augmented link without its children.
  template <class Shape, class S, class T>
  static Composite<S> link_alone(const LinkConstants<T>& link) {
    const auto& u = Shape::moment(link);
    const auto& K = Shape::pseudo(link);
    return {{S(u.x), S(u.y), S(z_of(u))}, {S(K.xx), S(K.yy), S(zz_of(K)), S(K.xy), S(K.xz), S(K.yz)}};
  }

 private:
  template <class Shape, class S>
  static void sweep(const TreeFor<S>& robot, std::span<const S> q, const JointTurns<S>& turns, Workspace<S>& ws,
                    const MatrixView<S>& M) {
    if (!Shape::chain) M.set_zero();  // between branches
    for (int i = 0; i < robot.joints(); ++i)
      if (on_base<Shape>(robot, i)) M(robot.link(i).q, robot.link(i).q) = first_alone<Shape, S>(robot.link(i));  // (6)
    const auto alone = [&](int i) { return link_alone<Shape, S>(robot.link(i)); };
    Handed<Shape, Composite<S>> composites(ws.composites);
    composites.start(robot.joints(), alone);
    for (int i = robot.joints() - 1; i >= 0; --i) {
      const auto& link = robot.link(i);
      const int up = Shape::parent(robot, i);
      if (up == base_link) continue;
      const Composite<S>& own = composites[i];
      const Wrench<S> w = for_unit_acceleration<Shape>(link, own);  // (3), (4)
      M(link.q, link.q) = felt_by_joint(Shape::revolute(link), w);  // (6)
      walk<Shape>(robot, q, turns, i, w, M);
      if (!on_base<Shape>(robot, up)) {
        composites.add(up, felt_by_parent<Shape>(link, q, turns[i], own), alone);
      } else if (const auto& first = robot.link(up); Shape::revolute(first)) {
        S& entry = M(first.q, first.q);
        entry = counted_as("6.3.29c", entry + inertia_about_first_axis<Shape>(link, q, turns[i], own));  // (6)
      }
    }
  }

  // (5): carries the force and moment of joint i to the base and reads their component along each joint on the way.
  template <class Shape, class S>
  static void walk(const TreeFor<S>& robot, std::span<const S> q, const JointTurns<S>& turns, int i, Wrench<S> w,
                   const MatrixView<S>& M) {
    const auto& link = robot.link(i);
    auto& [f, n] = w;
    for (int j = i, up = Shape::parent(robot, i);; j = up, up = Shape::parent(robot, j)) {
      const auto& ancestor = robot.link(up);
      const auto tilt = Shape::tilt(robot.link(j));
      const auto s = Shape::offset(robot.link(j), q);
      if (on_base<Shape>(robot, up)) {
        M.set_symmetric(link.q, ancestor.q, felt_by_first_joint(Shape::revolute(ancestor), tilt, turns[j], s, w));
        return;
      }
      const bool flat = j == i && Shape::revolute(link);  // f starts in the plane normal to the axis
      f = counted_as("6.3.30a", flat ? to_parent(tilt, turns[j], FlatVec3<S>{f.x, f.y}) : to_parent(tilt, turns[j], f));
      n = counted_as("6.3.30b", add_cross(to_parent(tilt, turns[j], n), s, f));
      M.set_symmetric(link.q, ancestor.q, felt_by_joint(Shape::revolute(ancestor), w));  // (6)
    }
  }
  // (5), (6) at the last joint, where one component is enough.
  template <class K, class S, class Offset>
  static S felt_by_first_joint(bool revolute, const K& tilt, const Turn<S>& turn, const Offset& s, const Wrench<S>& w) {
    if (!revolute) return to_parent_z(tilt, turn, w.force);
    const FlatVec3<S> f = counted_as("6.3.30a", to_parent_xy(tilt, turn, w.force));
    return counted_as("6.3.30b", (to_parent_z(tilt, turn, w.moment) + s.x * f.y) - s.y * f.x);
  }

  // The same for a parent on the base, where only Ê_xx + Ê_yy, the inertia about its joint's axis, is needed.
  template <class Shape, class T, class S>
  static S inertia_about_first_axis(const LinkConstants<T>& link, std::span<const S> q, const Turn<S>& turn,
                                    const Composite<S>& own) {
    const auto tilt = Shape::tilt(link);
    const auto s = Shape::offset(link, q);
    const FlatVec3<S> U = counted_as("6.3.29a", to_parent_xy(tilt, turn, own.U));
    const S across = s.x * U.x + s.y * U.y;
    const S inertia = counted_as("6.3.29c", (own.E.trace() - to_parent_zz(tilt, turn, own.E)) + (across + across));
    if (Shape::revolute(link)) return inertia;
    return inertia + link.augmented_mass * (s.x * s.x + s.y * s.y);
  }

  // The inertia that the joint of a link on the base feels of that link.
  template <class Shape, class S, class T>
  static S first_alone(const LinkConstants<T>& link) {
    const auto& K = Shape::pseudo(link);
    return Shape::revolute(link) ? counted_as("6.3.29c", S(K.xx) + S(K.yy)) : S(link.augmented_mass);
  }
};

}  // namespace catena
