// Factors of the inertia matrix by reverse Gaussian elimination on the bodies (Saha 1999, appendix B), without forming M.
// Equations (1)-(6): docs/equations/factor.md.
#pragma once

#include <vector>

#include "catena/dynamics/around/drives.hpp"
#include "catena/dynamics/factor/branches.hpp"
#include "catena/dynamics/forward/articulated_inertia.hpp"
#include "catena/dynamics/shape.hpp"

namespace catena {

// Reverse Gaussian elimination without forming M (Saha 1999, appendix B): the pivots are what each joint feels of its
// articulated inertia, (1)-(6). A pivot of zero makes infinities from there to the base: whoever calls looks at D
// first.
struct ReverseElimination {
  static constexpr FormulationInfo info{"denoc", "factor", "Saha 1999, appendix B", "docs/equations/factor.md",
                                        "none published"};

  template <class S>
  struct Workspace {
    std::vector<ArticulatedInertia<S>> children;  // (5) what hangs on the link, its frame, about its origin
    JointTurns<S> turns;

    explicit Workspace(const MechanismFor<S>& robot) : children(index(robot.n())), turns(robot.n()) {}
  };

  template <class S>
  static void run(const MechanismFor<S>& robot, std::span<const S> q, Workspace<S>& ws,
                  const FactorView<S>& out) {
    joint_turns<S>(robot, q, ws.turns);
    out.U.set_zero();
    for (auto& A : ws.children) A = {};
    if (robot.flat) {
      sweep<FlatChain>(robot, q, ws, out);
    } else {
      sweep<AnyTree>(robot, q, ws, out);
    }
  }

 private:
  template <class Shape, class S>
  static void sweep(const MechanismFor<S>& robot, std::span<const S> q, Workspace<S>& ws,
                    const FactorView<S>& out) {
    using T = ConstantOf<S>;
    for (int k = robot.n() - 1; k >= 0; --k) {
      const auto& link = robot.link(k);
      const bool revolute = Shape::revolute(link);
      const T rotor = rotor_inertia(robot, link);
      ArticulatedInertia<S>& A = ws.children[index(k)];
      add_moments(A, Shape::moment(link), Shape::pseudo(link));  // (1)
      if (!revolute) add_mass(A, link.augmented_mass);
      const Vec3<S> n = revolute ? A.I.column_z() : A.H.column_z();  // (2)
      const Vec3<S> f = revolute ? row_z(A.H) : A.M.column_z();
      S pivot = revolute ? n.z : f.z;
      if (rotor != T(0)) pivot += rotor;  // (3)
      out.D[index(link.q)] = pivot;
      out.U(link.q, link.q) = S(T(1));
      if (link.parent == base) continue;
      const S inverse_pivot = T(1) / pivot;
      const Wrench<S> psi{inverse_pivot * f, inverse_pivot * n};
      ArticulatedInertia<S> rest;
      if (revolute && rotor == T(0)) {
        rest = to_parent(Shape::tilt(link), ws.turns[k], give_way_about_axis(A, psi.moment, psi.force));  // (4)
      } else {
        give_way(A, n, f, psi.moment, psi.force);
        rest = to_parent(Shape::tilt(link), ws.turns[k], A);
      }
      move_origin(rest, Shape::offset(link, q));  // (5)
      if (!revolute) add_mass(rest, -link.augmented_mass);
      ws.children[index(link.parent)] += rest;
      write_column<Shape>(robot, q, k, psi, ws, out);
    }
  }

  // (6): carries ψ_k from joint k to the base.
  template <class Shape, class S>
  static void write_column(const MechanismFor<S>& robot, std::span<const S> q, int k, Wrench<S> psi,
                           const Workspace<S>& ws, const FactorView<S>& out) {
    const int column = robot.link(k).q;
    for (int i = k; robot.link(i).parent != base;) {
      const auto& step = robot.link(i);
      psi.force = to_parent(Shape::tilt(step), ws.turns[i], psi.force);
      psi.moment = add_cross(to_parent(Shape::tilt(step), ws.turns[i], psi.moment), Shape::offset(step, q), psi.force);
      i = step.parent;
      const auto& ancestor = robot.link(i);
      out.U(ancestor.q, column) = Shape::revolute(ancestor) ? psi.moment.z : psi.force.z;
    }
  }
};

}  // namespace catena
