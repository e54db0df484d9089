// Coriolis and centrifugal matrix link by link (Laus et al., eq. 35), without derivatives of M: each link adds the
// Christoffel matrix of its own kinetic energy. Equations (1)-(5): docs/equations/progressive_coriolis.md. Components
// along the base axes.
#pragma once

#include "formulations/shared/links_in_base.hpp"

namespace catena {

struct ProgressiveCoriolis {
  static constexpr FormulationInfo info{"progressive", "coriolis", "Laus et al., eq. 35, derivatives worked out",
                                        "docs/equations/progressive_coriolis.md", "none published"};

  // The column of a joint in the link's Jacobian at the mass centre, and the link's inertia times its rate.
  template <class S>
  struct Column {
    Vec3<S> angular, linear;  // (1)
    Vec3<S> moment, force;    // (3), (4)
    int q = 0;                // which joint
    bool revolute = true;     // otherwise the angular halves of (1), (3) are zero and not stored
  };

  template <class S>
  struct Workspace {
    Array<LinkInBase<S>> links;
    Array<Column<S>> columns;  // for one link after the other: its own joint first, then towards the base
    JointTurns<S> turns;

    explicit Workspace(const TreeFor<S>& robot)
        : links(index(robot.joints())), columns(index(longest_path(robot))), turns(robot.joints()) {}
  };

  template <class S>
  static void run(const TreeFor<S>& robot, std::span<const S> q, std::span<const S> qd, Workspace<S>& ws,
                  const MatrixView<S>& C) {
    joint_turns<S>(robot, q, ws.turns);
    place_links<S>(robot, q, qd, ws.turns, ws.links);
    C.set_zero();
    for (int i = 0; i < robot.joints(); ++i) {
      const auto columns = form_columns(robot, i, robot.link(i), ws.links[index(i)], ws.links, ws.columns);
      for (const auto& row : columns)
        for (const auto& column : columns) C(row.q, column.q) += entry(row, column);
    }
  }

  // (1)-(4) for every joint that moves link i, its own first and then towards the base, for a body fixed to the link:
  // the link itself, or a piece of it. `own` is the link's pose with the body's mass centre and inertia.
  template <class S>
  static std::span<const Column<S>> form_columns(const TreeFor<S>& robot, int i,
                                                 const LinkConstants<ConstantOf<S>>& body, const LinkInBase<S>& own,
                                                 const Array<LinkInBase<S>>& links, Array<Column<S>>& columns) {
    const Mat3<S> Q = cross(own.omega, trace_free_inertia(body, own));  // (3)
    std::size_t count = 0;
    for (int a = i; a != base_link; a = robot.link(a).parent, ++count) {
      const auto& joint = robot.link(a);
      const auto& up = links[index(a)];
      auto& [angular, linear, moment, force, joint_q, revolute] = columns[count];
      joint_q = joint.q;
      revolute = joint.revolute;
      if (revolute) {
        const Vec3<S> reach = own.com - up.origin;
        angular = up.axis;  // (1)
        linear = cross(up.axis, reach);
        const Vec3<S> linear_dot = add_cross(cross(up.axis_dot, reach), up.axis, own.com_dot - up.origin_dot);  // (2)
        moment = own.inertia * up.axis_dot + Q * up.axis;                                                       // (3)
        force = body.mass * linear_dot;                                                                         // (4)
      } else {
        linear = up.axis;
        force = body.mass * up.axis_dot;
      }
    }
    return std::span(columns).first(count);
  }

  // (5)
  template <class S>
  static S entry(const Column<S>& row, const Column<S>& column) {
    S sum = dot(row.linear, column.force);
    if (row.revolute && column.revolute) sum += dot(row.angular, column.moment);
    return sum;
  }
};

}  // namespace catena
