// Inertia matrix by generalized links (Algorithm 6.2 of Balafoutis), with the prismatic term missing in print.
// Equations (1)-(6): docs/equations/generalized_links.md. Composite i is link i and all that hangs on it, in frame i about o_i.
#pragma once

#include <vector>

#include "catena/dynamics/formulation.hpp"
#include "catena/dynamics/shape.hpp"

namespace catena {

struct GeneralizedLinks {
  static constexpr FormulationInfo info{"generalized-links", "inertia", "Balafoutis 1989, Algorithm 6.2",
                                        "docs/equations/generalized_links.md; FORMULAS 4.2",
                                        "11n² + 12n - 41 M, 7n² + 30n - 56 A"};

  template <class S>
  struct Workspace {
    struct Composite {
      Vec3<S> U;      // (1) first moment
      Sym3<S> E;      // (2) pseudo-inertia
    };
    std::vector<Composite> composites;
    JointTurns<S> turns;

    explicit Workspace(const BasicMechanism<ConstantOf<S>>& robot) : composites(index(robot.n())), turns(robot.n()) {}
  };

  template <class S>
  static void run(const BasicMechanism<ConstantOf<S>>& robot, std::span<const S> q, Workspace<S>& ws,
                  const MatrixView<S>& M) {
    joint_turns<S>(robot, q, ws.turns);
    with_turns<S>(robot, q, ws.turns, ws, M);
  }

  // For a caller that has the joints' sines and cosines already.
  template <class S>
  static void with_turns(const BasicMechanism<ConstantOf<S>>& robot, std::span<const S> q, const JointTurns<S>& turns,
                         Workspace<S>& ws, const MatrixView<S>& M) {
    if (robot.flat) {
      sweep<FlatChain>(robot, q, turns, ws, M);
    } else {
      M.set_zero();
      for (auto& composite : ws.composites) composite = {};
      sweep<AnyTree>(robot, q, turns, ws, M);
    }
  }

 private:
  template <class Shape, class S>
  static void sweep(const BasicMechanism<ConstantOf<S>>& robot, std::span<const S> q, const JointTurns<S>& turns,
                    Workspace<S>& ws, const MatrixView<S>& M) {
    typename Workspace<S>::Composite carried{};  // in a chain: what hangs on link i
    for (int i = robot.n() - 1; i >= 0; --i) {
      const auto& link = robot.links[index(i)];
      auto& own = Shape::chain ? carried : ws.composites[index(i)];
      own.U += Shape::moment(link);                                                            // (1)
      own.E += Shape::pseudo(link);                                                            // (2)
      const auto& [U, E] = own;
      // Force and moment about o_i that a unit acceleration of joint i takes: (3), (4)
      Vec3<S> f{}, n{};
      if (Shape::revolute(link)) {
        f = {-U.y, U.x, S{}};
        n = {-E.xz, -E.yz, E.xx + E.yy};
      } else {
        f.z = S(link.augmented_mass);
        n = {U.y, -U.x, S{}};
      }
      M(link.q, link.q) = Shape::revolute(link) ? n.z : f.z;                                   // (6)
      if (link.parent == base) continue;
      if (Shape::chain) {
        carried = felt_by_parent<Shape>(link, q, turns[i], own);
      } else {
        const auto felt = felt_by_parent<Shape>(link, q, turns[i], own);
        ws.composites[index(link.parent)].U += felt.U;
        ws.composites[index(link.parent)].E += felt.E;
      }
      for (int j = i; robot.links[index(j)].parent != base;) {  // walk to the base: (5)
        const auto& step = robot.links[index(j)];
        f = to_parent(Shape::twist(step), turns[j], f);
        n = add_cross(to_parent(Shape::twist(step), turns[j], n), Shape::offset(step, q), f);
        j = step.parent;
        const auto& ancestor = robot.links[index(j)];
        M.set_symmetric(link.q, ancestor.q, Shape::revolute(ancestor) ? n.z : f.z);            // (6)
      }
    }
  }

  // (1), (2): A U and A Ê Aᵀ + s (A U)ᵀ + (A U) sᵀ; the mass at o_i is in the augmented link of the parent already, unless it
  // slides.
  template <class Shape, class S, class T, class Composite>
  static Composite felt_by_parent(const LinkConstants<T>& link, std::span<const S> q, const Turn<S>& turn,
                                  const Composite& own) {
    const auto s = Shape::offset(link, q);
    Composite felt{to_parent(Shape::twist(link), turn, own.U), to_parent(Shape::twist(link), turn, own.E)};
    felt.E = add_outer_symmetric(felt.E, s, felt.U);
    if (Shape::revolute(link)) return felt;
    const Vec3<S> offset = joint_offset(link, q[index(link.q)]);
    felt.U += link.augmented_mass * offset;
    felt.E += link.augmented_mass * outer(offset);
    return felt;
  }
};

}  // namespace catena
