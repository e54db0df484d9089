// Inertia matrix by composite rigid bodies about their mass centres (Walker and Orin; Algorithm 6.1 of Balafoutis).
// Equations (1)-(7): docs/equations/walker_orin.md. Composite i is link i and all links beyond it, in frame i.
#pragma once

#include <limits>

#include "catena/formulation/kernels.hpp"

namespace catena {

struct WalkerOrin {
  static constexpr FormulationInfo info{"walker-orin", "inertia",
                                        "Walker and Orin 1982; Balafoutis 1989, Algorithm 6.1",
                                        "docs/equations/walker_orin.md", "12n² + 56n - 27 M, 7n² + 67n - 53 A"};

  template <class S>
  struct Workspace {
    using T = ConstantOf<S>;
    struct Composite {
      Vec3<S> moment;     // (1) m̄ R
      Vec3<S> R;          // (2) o_i to the composite's mass centre
      Vec3<S> in_parent;  // (1) o_parent to the composite's mass centre, parent frame
      Sym3<S> E;          // (3) inertia about the composite's mass centre
    };
    Array<T> constants;  // 1 / m̄; 0 for a composite without mass, whose R is then 0
    Array<Composite> composites;
    JointTurns<S> turns;

    explicit Workspace(const BasicTree<T>& robot)
        : constants(index(robot.joints())), composites(index(robot.joints())), turns(robot.joints()) {
      for (std::size_t i = 0; i < constants.size(); ++i) {
        const T mass = robot.links[i].augmented_mass;
        constants[i] = mass >= std::numeric_limits<T>::min() ? T(1) / mass : T(0);
      }
    }
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
    find_mass_centres(robot, q, turns, ws);
    for (int i = robot.joints() - 1; i >= 0; --i) {
      const auto& link = robot.link(i);
      const auto& own = ws.composites[index(i)];
      Wrench<S> w = for_unit_acceleration<S>(link, own);
      M(link.q, link.q) = felt_by_joint(link.revolute, w);  // (7)
      if (link.parent != base_link) {
        auto& parent = ws.composites[index(link.parent)];
        const Vec3<S> d = own.in_parent - parent.R;
        parent.E += to_parent(link.tilt, turns[i], own.E) + steiner_parallel(link.augmented_mass * d, d);  // (3)
      }
      for (int j = i; robot.link(j).parent != base_link;) {  // carries the wrench to the base: (6)
        const auto& step = robot.link(j);
        w = to_parent(step.tilt, turns[j], joint_offset(step, q[index(step.q)]), w);
        j = step.parent;
        const auto& ancestor = robot.link(j);
        M.set_symmetric(link.q, ancestor.q, felt_by_joint(ancestor.revolute, w));  // (7)
      }
    }
  }

 private:
  // (4), (5): force and moment about o_i needed for a unit acceleration of joint i.
  template <class S>
  static Wrench<S> for_unit_acceleration(const LinkConstants<ConstantOf<S>>& link,
                                         const typename Workspace<S>::Composite& own) {
    const auto& [moment, R, in_parent, E] = own;
    if (!link.revolute) return {{S{}, S{}, S(link.augmented_mass)}, {moment.y, -moment.x, S{}}};
    const FlatVec3<S> f{-moment.y, moment.x};
    return {{f.x, f.y, S{}}, E.column_z() + Vec3<S>{-(R.z * f.y), R.z * f.x, R.x * f.y - R.y * f.x}};
  }

  // (1), (2), and the link's own contribution to (3).
  template <class S>
  static void find_mass_centres(const TreeFor<S>& robot, std::span<const S> q, const JointTurns<S>& turns,
                                Workspace<S>& ws) {
    for (int i = 0; i < robot.joints(); ++i)
      ws.composites[index(i)].moment = static_cast<Vec3<S>>(robot.link(i).mass * robot.link(i).com);
    for (int i = robot.joints() - 1; i >= 0; --i) {
      const auto& link = robot.link(i);
      auto& own = ws.composites[index(i)];
      own.R = ws.constants[index(i)] * own.moment;
      const Vec3<S> d = link.com - own.R;
      own.E = link.inertia_com + steiner_parallel(link.mass * d, d);
      if (link.parent == base_link) continue;
      own.in_parent = joint_offset(link, q[index(link.q)]) + to_parent(link.tilt, turns[i], own.R);
      ws.composites[index(link.parent)].moment += link.augmented_mass * own.in_parent;
    }
  }
};

}  // namespace catena
