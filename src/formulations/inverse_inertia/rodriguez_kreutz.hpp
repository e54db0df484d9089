// The inverse of the inertia matrix as the product of its factors, M⁻¹ = (1 - HΨL)ᵀ D⁻¹ (1 - HΨL) (Rodriguez and Kreutz
// 1988; Balafoutis 1989, eq. 6.2.19): the inverse factor itself is built, by a recursion, from articulated bodies.
// Equations (1)-(9): docs/equations/rodriguez_kreutz.md.
#pragma once

#include "catena/formulation/shape.hpp"
#include "forces/joint_forces.hpp"
#include "formulations/forward/articulated_inertia.hpp"

namespace catena {

struct RodriguezKreutz {
  static constexpr FormulationInfo info{"rodriguez-kreutz", "inverse_inertia",
                                        "Rodriguez and Kreutz 1988; Balafoutis 1989, eqs 6.2.18 and 6.2.19",
                                        "docs/equations/rodriguez_kreutz.md", "none published"};

  template <class S>
  struct Workspace {
    JointTurns<S> turns;
    Array<ArticulatedInertia<S>> children;  // (5) for trees: everything beyond the link, in its frame, about its origin
    Array<Wrench<S>> gains;                 // (4) by link
    Array<S> pivots, inverse_pivots;        // (3) by link; the pivots are checked
    Array<S> W;                             // (6) 1 - HΨL by link, column after column
    Array<S> scaled;                        // a column of D⁻¹ (1 - HΨL)

    explicit Workspace(const TreeFor<S>& robot)
        : turns(robot.joints()),
          children(kept_by_link(robot)),
          gains(index(robot.joints())),
          pivots(index(robot.joints())),
          inverse_pivots(index(robot.joints())),
          W(index(robot.joints()) * index(robot.joints())),
          scaled(index(robot.joints())) {}
    S& factor(int i, int k) { return W[index(k) * pivots.size() + index(i)]; }
  };

  template <class S>
  static void run(const TreeFor<S>& robot, std::span<const S> q, Workspace<S>& ws, const MatrixView<S>& inverse) {
    joint_turns<S>(robot, q, ws.turns);
    in_shape(robot, [&]<class Shape>(Shape) {
      filter<Shape>(robot, q, ws);
      for (int k = 0; k < robot.joints(); ++k) write_column<Shape>(robot, q, k, ws);
    });
    multiply<S>(robot, ws, inverse);
  }

 private:
  // Tips to base: the Riccati equation of the articulated bodies, its pivots and gains.
  template <class Shape, class S>
  static void filter(const TreeFor<S>& robot, std::span<const S> q, Workspace<S>& ws) {
    using T = ConstantOf<S>;
    Handed<Shape, ArticulatedInertia<S>> children(ws.children);
    children.start();
    for (int k = robot.joints() - 1; k >= 0; --k) {
      const auto& link = robot.link(k);
      const int up = Shape::parent(robot, k);
      const bool revolute = Shape::revolute(link);
      const T rotor = added_inertia(robot, link);
      ArticulatedInertia<S>& P = children[k];
      add_link<Shape>(P, link);                                                             // (1)
      const Wrench<S> U = along_z(revolute, P);                                             // (2)
      const S pivot = ws.pivots[index(k)] = with_added(felt_by_joint(revolute, U), rotor);  // (3)
      const S inverse_pivot = ws.inverse_pivots[index(k)] = T(1) / pivot;
      if (up == base_link) continue;
      const Wrench<S> gain = ws.gains[index(k)] = inverse_pivot * U;                                    // (4)
      auto rest = felt_by_parent<Shape>(link, rotor, ws.turns[k], Shape::offset(link, q), U, gain, P);  // (5)
      if (!revolute) add_mass(rest, -link.augmented_mass);
      children.add(up, rest);
    }
  }

  // The answer of all joints nearer to the base to a unit torque at joint k, while each of them gives way.
  template <class Shape, class S>
  static void write_column(const TreeFor<S>& robot, std::span<const S> q, int k, Workspace<S>& ws) {
    ws.factor(k, k) = S(ConstantOf<S>(1));
    if (on_base<Shape>(robot, k)) return;
    Wrench<S> w = ws.gains[index(k)];
    for (int i = k; !on_base<Shape>(robot, i);) {
      const auto& step = robot.link(i);
      w = to_parent(Shape::tilt(step), ws.turns[i], Shape::offset(step, q), w);  // (7)
      i = Shape::parent(robot, i);
      const S u = -felt_by_joint(Shape::revolute(robot.link(i)), w);
      ws.factor(i, k) = u;                                         // (6)
      if (!on_base<Shape>(robot, i)) w += u * ws.gains[index(i)];  // (8)
    }
  }

  // (9) over the joints that carry both j and k.
  template <class S>
  static void multiply(const TreeFor<S>& robot, Workspace<S>& ws, const MatrixView<S>& inverse) {
    inverse.set_zero();
    for (int j = 0; j < robot.joints(); ++j) {
      ws.scaled[index(j)] = ws.inverse_pivots[index(j)];
      for (int i = robot.link(j).parent; i != base_link; i = robot.link(i).parent)
        ws.scaled[index(i)] = ws.inverse_pivots[index(i)] * ws.factor(i, j);
      for (int k = 0; k <= j; ++k) {
        int both = j;
        for (int other = k; both != other;) (both > other ? both : other) = robot.link(std::max(both, other)).parent;
        if (both == base_link) continue;  // on different branches from the base
        S sum = both == k ? ws.scaled[index(k)] : S(ws.scaled[index(both)] * ws.factor(both, k));
        for (int i = robot.link(both).parent; i != base_link; i = robot.link(i).parent)
          sum += ws.scaled[index(i)] * ws.factor(i, k);
        inverse(robot.link(j).q, robot.link(k).q) = inverse(robot.link(k).q, robot.link(j).q) = sum;
      }
    }
  }
};

}  // namespace catena
