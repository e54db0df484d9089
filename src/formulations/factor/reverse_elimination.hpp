// Factors of the inertia matrix by reverse Gaussian elimination on the bodies (Saha 1999, appendix B), without building
// M. Equations (1)-(6): docs/equations/factor.md.
#pragma once

#include "catena/formulation/shape.hpp"
#include "forces/joint_forces.hpp"
#include "formulations/factor/branches.hpp"
#include "formulations/forward/articulated_inertia.hpp"

namespace catena {

// Reverse Gaussian elimination without building M (Saha 1999, appendix B): the pivots are the components of the
// articulated inertia along each joint, (1)-(6). A pivot of zero causes infinities from there to the base: the caller
// must check D first.
struct ReverseElimination {
  static constexpr FormulationInfo info{"denoc", "factor", "Saha 1999, appendix B", "docs/equations/factor.md",
                                        "none published"};

  template <class S>
  struct Workspace {
    JointTurns<S> turns;
    Array<ArticulatedInertia<S>> children;  // (5) for trees: everything beyond the link, in its frame, about its origin

    explicit Workspace(const TreeFor<S>& robot) : turns(robot.joints()), children(kept_by_link(robot)) {}
  };

  template <class S>
  static void run(const TreeFor<S>& robot, std::span<const S> q, Workspace<S>& ws, const FactorView<S>& out) {
    joint_turns<S>(robot, q, ws.turns);
    out.U.set_zero();
    in_shape(robot, [&]<class Shape>(Shape) { sweep<Shape>(robot, q, ws, out); });
  }

 private:
  template <class Shape, class S>
  static void sweep(const TreeFor<S>& robot, std::span<const S> q, Workspace<S>& ws, const FactorView<S>& out) {
    using T = ConstantOf<S>;
    Handed<Shape, ArticulatedInertia<S>> children(ws.children);
    children.start();
    for (int k = robot.joints() - 1; k >= 0; --k) {
      const auto& link = robot.link(k);
      const int up = Shape::parent(robot, k);
      const bool revolute = Shape::revolute(link);
      const T rotor = added_inertia(robot, link);
      ArticulatedInertia<S>& A = children[k];
      add_link<Shape>(A, link);                                       // (1)
      const Wrench<S> U = along_z(revolute, A);                       // (2)
      const S pivot = with_added(felt_by_joint(revolute, U), rotor);  // (3)
      out.D[index(link.q)] = pivot;
      out.U(link.q, link.q) = S(T(1));
      if (up == base_link) continue;
      const Wrench<S> psi = (T(1) / pivot) * U;
      auto rest = felt_by_parent<Shape>(link, rotor, ws.turns[k], Shape::offset(link, q), U, psi, A);  // (4), (5)
      if (!revolute) add_mass(rest, -link.augmented_mass);
      children.add(up, rest);
      write_column<Shape>(robot, q, k, psi, ws, out);
    }
  }

  // (6): transports ψ_k from joint k to the base.
  template <class Shape, class S>
  static void write_column(const TreeFor<S>& robot, std::span<const S> q, int k, Wrench<S> psi, const Workspace<S>& ws,
                           const FactorView<S>& out) {
    const int column = robot.link(k).q;
    for (int i = k; !on_base<Shape>(robot, i);) {
      const auto& step = robot.link(i);
      psi = to_parent(Shape::tilt(step), ws.turns[i], Shape::offset(step, q), psi);
      i = Shape::parent(robot, i);
      const auto& ancestor = robot.link(i);
      out.U(ancestor.q, column) = felt_by_joint(Shape::revolute(ancestor), psi);
    }
  }
};

}  // namespace catena
