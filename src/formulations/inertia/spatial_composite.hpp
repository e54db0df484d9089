// Inertia matrix by composite bodies in spatial arithmetic (Featherstone): each composite is a spatial inertia about
// its frame's origin, passed on by a congruence with the joint's transform. Equations (1)-(6):
// docs/equations/spatial_composite.md. In link frames.
#pragma once

#include "catena/formulation/kernels.hpp"

namespace catena {

struct SpatialComposite {
  static constexpr FormulationInfo info{"spatial-composite", "inertia",
                                        "Featherstone 1984, in Balafoutis 1989, Table 6.2",
                                        "docs/equations/spatial_composite.md", "10n² + 31n - 41 M, 6n² + 40n - 46 A"};

  template <class S>
  struct Workspace {
    // A spatial inertia: the mass is the augmented mass, the blocks h~, -h~ and m 1 are not stored.
    struct Composite {
      Vec3<S> h;  // (1), (2) first moment about o_i
      Sym3<S> I;  // (1), (3) inertia about o_i
    };
    Array<Composite> composites;
    JointTurns<S> turns;

    explicit Workspace(const TreeFor<S>& robot) : composites(index(robot.joints())), turns(robot.joints()) {}
  };

  template <class S>
  static void run(const TreeFor<S>& robot, std::span<const S> q, Workspace<S>& ws, const MatrixView<S>& M) {
    joint_turns<S>(robot, q, ws.turns);
    with_turns<S>(robot, q, ws.turns, ws, M);
  }

  // For a caller that has the joints' sines and cosines.
  template <class S>
  static void with_turns(const TreeFor<S>& robot, std::span<const S> q, const JointTurns<S>& turns, Workspace<S>& ws,
                         const MatrixView<S>& M) {
    M.set_zero();
    for (int i = 0; i < robot.joints(); ++i) {
      const auto& link = robot.link(i);  // (1): off line
      ws.composites[index(i)] = {static_cast<Vec3<S>>(link.mass * link.com),
                                 static_cast<Sym3<S>>(link.inertia_com + link.mass * steiner(link.com))};
    }
    for (int i = robot.joints() - 1; i >= 0; --i) {
      const auto& link = robot.link(i);
      Wrench<S> f = for_unit_acceleration<S>(link, ws.composites[index(i)]);  // (4)
      M(link.q, link.q) = felt_by_joint(link.revolute, f);                    // (6)
      if (link.parent != base_link) add_to_parent(robot, q, i, turns, ws);
      for (int j = i; robot.link(j).parent != base_link;) {  // (5)
        const auto& step = robot.link(j);
        f = to_parent(step.tilt, turns[j], joint_offset(step, q[index(step.q)]), f);
        j = step.parent;
        M.set_symmetric(link.q, robot.link(j).q, felt_by_joint(robot.link(j).revolute, f));  // (6)
      }
    }
  }

 private:
  // (4): the spatial inertia times the joint's axis, (z; 0) or (0; z).
  template <class S>
  static Wrench<S> for_unit_acceleration(const LinkConstants<ConstantOf<S>>& link,
                                         const typename Workspace<S>::Composite& own) {
    if (!link.revolute) return {{S{}, S{}, S(link.augmented_mass)}, cross_z(own.h)};
    return {{-own.h.y, own.h.x, S{}}, own.I.column_z()};
  }

  // (2), (3): X^T I X, first the axes, then the reference point.
  template <class S>
  static void add_to_parent(const TreeFor<S>& robot, std::span<const S> q, int i, const JointTurns<S>& turns,
                            Workspace<S>& ws) {
    const auto& link = robot.link(i);
    const auto& own = ws.composites[index(i)];
    auto& parent = ws.composites[index(link.parent)];
    const Vec3<S> s = joint_offset(link, q[index(link.q)]);
    const Vec3<S> half = (ConstantOf<S>(0.5) * link.augmented_mass) * s;
    const Vec3<S> middle = to_parent(link.tilt, turns[i], own.h) + half;
    parent.h += middle + half;                                                                   // (2)
    parent.I += to_parent(link.tilt, turns[i], own.I) + minus_cross_cross_symmetric(s, middle);  // (3)
  }
};

}  // namespace catena
