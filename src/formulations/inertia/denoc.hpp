// Inertia matrix by the decoupled natural orthogonal complement (Saha, equation 24): twists and wrenches at the mass
// centres. Equations (1)-(7): docs/equations/denoc_inertia.md. The paper has the composite mass matrix M̃_i as a 6 x 6
// matrix; as that of a rigid body it is stored here as mass, first moment and inertia, about the mass centre C_i of
// link i alone, in frame i.
#pragma once

#include "catena/formulation/kernels.hpp"

namespace catena {

struct DenocInertia {
  static constexpr FormulationInfo info{"denoc", "inertia", "Saha 1999, equation 24", "docs/equations/denoc_inertia.md",
                                        "none published; counted 12n² + 36n - 42 M, 8n² + 56n - 56 A"};

  template <class S>
  struct Workspace {
    struct Composite {
      Vec3<S> h;  // (2) first moment about C_i: the block M̃_12 is h̃, M̃_22 is m̄ 1
      Sym3<S> I;  // (3) inertia about C_i: the block M̃_11
      Vec3<S> c;  // (1) C_parent to C_i, parent frame: defines the B between the two
    };
    Array<Composite> composites;
    JointTurns<S> turns;

    explicit Workspace(const TreeFor<S>& robot) : composites(index(robot.joints())), turns(robot.joints()) {}
  };

  template <class S>
  static void run(const TreeFor<S>& robot, std::span<const S> q, Workspace<S>& ws, const MatrixView<S>& M) {
    joint_turns<S>(robot, q, ws.turns);
    M.set_zero();
    for (int i = 0; i < robot.joints(); ++i)
      ws.composites[index(i)] = {{}, static_cast<Sym3<S>>(robot.link(i).inertia_com), from_com(robot, q, i, ws.turns)};
    for (int i = robot.joints() - 1; i >= 0; --i) {
      const auto& link = robot.link(i);
      Wrench<S> y = for_unit_rate<S>(link, ws.composites[index(i)]);
      M(link.q, link.q) = felt_from_com(link, y);  // (7)
      if (link.parent != base_link) add_to_parent(robot, i, ws);
      for (int j = i; robot.link(j).parent != base_link;) {  // y <- Bᵀ y, from mass centre to mass centre: (6)
        const auto& step = robot.link(j);
        y = to_parent(step.tilt, ws.turns[j], ws.composites[index(j)].c, y);
        j = step.parent;
        M.set_symmetric(link.q, robot.link(j).q, felt_from_com(robot.link(j), y));  // (7)
      }
    }
  }

 private:
  // (4), (5): y = M̃ p, force and moment about C_i; p = [z; v] or [0; z].
  template <class S>
  static Wrench<S> for_unit_rate(const LinkConstants<ConstantOf<S>>& link,
                                 const typename Workspace<S>::Composite& own) {
    const auto& [h, I, c] = own;
    if (!link.revolute) return {{S{}, S{}, S(link.augmented_mass)}, cross_z(h)};
    const FlatVec3<ConstantOf<S>> v{-link.com.y, link.com.x};
    return {{link.augmented_mass * v.x - h.y, link.augmented_mass * v.y + h.x, S{}},
            I.column_z() + Vec3<S>{-(v.y * h.z), v.x * h.z, v.y * h.x - v.x * h.y}};
  }

  // (1), for a link on another link.
  template <class S>
  static Vec3<S> from_com(const TreeFor<S>& robot, std::span<const S> q, int i, const JointTurns<S>& turns) {
    const auto& link = robot.link(i);
    if (link.parent == base_link) return {};
    return com_to_joint(robot, link, q) + to_parent(link.tilt, turns[i], link.com);
  }

  // (2), (3): M̃_p += Bᵀ M̃ B, the shift from C_i to C_p of a rigid body's first moment and inertia.
  template <class S>
  static void add_to_parent(const TreeFor<S>& robot, int i, Workspace<S>& ws) {
    const auto& link = robot.link(i);
    const auto& [h, I, c] = ws.composites[index(i)];
    auto& parent = ws.composites[index(link.parent)];
    const Vec3<S> half = (ConstantOf<S>(0.5) * link.augmented_mass) * c;
    const Vec3<S> middle = to_parent(link.tilt, ws.turns[i], h) + half;
    parent.h += middle + half;
    parent.I += to_parent(link.tilt, ws.turns[i], I) + minus_cross_cross_symmetric(c, middle);
  }
};

}  // namespace catena
