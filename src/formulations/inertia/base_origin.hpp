// Inertia matrix with everything measured from one point (Lin, equations 12 and 65), in link frames. Equations (1)-(9):
// docs/equations/base_origin_inertia.md. The point O can be chosen freely; here it is the origin of each branch's first
// link, where a revolute first joint moves nothing. In frame i, about O.
#pragma once

#include "formulations/shared/base_origin_stage.hpp"

namespace catena {

struct BaseOriginInertia {
  static constexpr FormulationInfo info{"base-origin", "inertia", "Lin 1991, equations 12 and 65",
                                        "docs/equations/base_origin_inertia.md",
                                        "10.5n² + 38.5n - 85 M, 6n² + 39n - 70 A"};

  template <class S>
  struct Workspace {
    BaseOriginStage<S> stage;

    explicit Workspace(const TreeFor<S>& robot) : stage(robot) {}
  };

  template <class S>
  static void run(const TreeFor<S>& robot, std::span<const S> q, Workspace<S>& ws, const MatrixView<S>& M) {
    ws.stage.run(robot, q);  // (1)-(5), (7)
    M.set_zero();
    for (int i = 0; i < robot.joints(); ++i) {
      const auto& link = robot.link(i);
      if (link.parent == base_link) {
        M(link.q, link.q) = S(link.revolute ? felt_of_link(link) : link.augmented_mass);  // (9)
        continue;
      }
      if (const auto& root = robot.link(link.parent); root.parent == base_link && root.revolute)
        M(root.q, root.q) += moment_about(ws.stage.axes[i][1].u, ws.stage.links[index(i)].J);  // (9)
      fill_row(robot, i, ws.stage, M);
    }
  }

 private:
  template <class S>
  static void fill_row(const TreeFor<S>& robot, int i, BaseOriginStage<S>& stage, const MatrixView<S>& M) {
    const auto& link = robot.link(i);
    const auto& [s, p, J, e] = stage.links[index(i)];
    Vec3<S> a{};  // (6) moment about O needed for a unit acceleration of joint i
    if (link.revolute) a = {s.x * p.z - J.xz, s.y * p.z - J.yz, (J.xx + J.yy) - (s.x * p.x + s.y * p.y)};
    M(link.q, link.q) = link.revolute ? a.z + (s.y * e.x - s.x * e.y) : S(link.augmented_mass);  // (8)
    std::size_t k = 1;
    for (int m = link.parent; m != base_link; m = robot.link(m).parent, ++k) {
      const auto& ancestor = robot.link(m);
      const bool moves_o = BaseOriginStage<S>::moves_o(ancestor);
      M.set_symmetric(link.q, ancestor.q, entry(link, ancestor.revolute, moves_o, stage.axes[i][k], a, e, p));  // (8)
    }
  }
  template <class S>
  using Axis = typename BaseOriginStage<S>::Axis;

  // (8) for the joint of a link and that of an ancestor.
  template <class S, class T>
  static S entry(const LinkConstants<T>& link, bool ancestor_revolute, bool moves_o, const Axis<S>& axis,
                 const Vec3<S>& a, const FlatVec3<S>& e, const Vec3<S>& p) {
    const auto& [u, s] = axis;
    if (link.revolute) {
      if (!ancestor_revolute) return e.x * u.x + e.y * u.y;
      return moves_o ? dot(a, u) - (s.x * e.x + s.y * e.y) : dot(a, u);
    }
    if (!ancestor_revolute) return link.augmented_mass * u.z;
    const S turning = u.x * p.y - u.y * p.x;
    return moves_o ? turning - link.augmented_mass * s.z : turning;
  }
};

}  // namespace catena
