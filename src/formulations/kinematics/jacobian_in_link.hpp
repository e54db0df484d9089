// The Jacobian of a frame, column by column along the axes of the link that carries it, from there inward: the second
// route of Laus, Simoni and Martins. Nothing is placed from the base. Equations (3)-(6):
// docs/equations/jacobian_routes.md.
#pragma once

#include "formulations/kinematics/frames.hpp"

namespace catena {

struct JacobianInLink {
  static constexpr FormulationInfo info{"link-axes", "jacobian", "Laus, Simoni and Martins, eq. 28",
                                        "docs/equations/jacobian_routes.md", "none published"};
  static constexpr bool reference_only = true;
  template <class S>
  struct Workspace {
    JointTurns<S> turns;
    Array<JacobianColumn<S>> columns;  // (5) by link, along the axes of the link that carries the frame

    explicit Workspace(const TreeFor<S>& robot) : turns(robot.joints()), columns(index(robot.joints())) {}
  };

  template <class S>
  static void run(const TreeFor<S>& robot, std::span<const S> q, int frame, Workspace<S>& ws, std::span<S> J) {
    using T = ConstantOf<S>;
    joint_turns<S>(robot, q, ws.turns);
    for (S& entry : J) entry = S{};
    const auto& f = robot.frames[index(frame)];
    Mat3<S> E = static_cast<Mat3<S>>(Mat3<T>::identity());  // columns: the carrying link's axes, along those of link i
    Vec3<S> arm = static_cast<Vec3<S>>(f.in_link.p);        // from o_i to the frame, along the axes of link i
    for (int i = f.link; i != base_link; i = robot.link(i).parent) {
      const auto& link = robot.link(i);
      const Vec3<S> x = E.column_x(), y = E.column_y(), z = E.column_z(), axis{x.z, y.z, z.z};
      const auto along = [&](const Vec3<S>& k) { return k.y * arm.x - k.x * arm.y; };                 // k · (z x arm)
      ws.columns[index(i)] = link.revolute ? JacobianColumn<S>{{along(x), along(y), along(z)}, axis}  // (5)
                                           : JacobianColumn<S>{axis, Vec3<S>{}};
      arm = to_parent(link.tilt, ws.turns[i], arm) + joint_offset(link, q[index(link.q)]);  // (4)
      E = Mat3<S>::from_columns(to_parent(link.tilt, ws.turns[i], x), to_parent(link.tilt, ws.turns[i], y),
                                to_parent(link.tilt, ws.turns[i], z));  // (3)
    }
    const Mat3<S> world_from_link = robot.world_from_base.R * E;
    for (int i = f.link; i != base_link; i = robot.link(i).parent) {
      const auto& [linear, angular] = ws.columns[index(i)];  // (6)
      const Vec3<S> turned = robot.link(i).revolute ? world_from_link * angular : Vec3<S>{};
      put_column(JacobianColumn<S>{world_from_link * linear, turned}, robot.link(i).q, robot.joints(), J);
    }
  }
};

}  // namespace catena
