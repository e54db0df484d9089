// Coriolis and centrifugal matrix link by link (Laus et al., eq. 35), without derivatives of M: each link adds the
// Christoffel matrix of its own kinetic energy. Equations (1)-(5): docs/equations/progressive_coriolis.md. Components
// along the base axes.
#pragma once

#include "catena/dynamics/links_in_base.hpp"

namespace catena {

struct ProgressiveCoriolis {
  static constexpr FormulationInfo info{"progressive", "coriolis", "Laus et al., eq. 35, derivatives worked out",
                                        "docs/equations/progressive_coriolis.md", "none published"};

  template <class S>
  struct Workspace {
    // Column of a joint in the link's Jacobian at the mass centre, and what the link's inertia makes of its rate.
    struct Column {
      Vec3<S> angular, linear;  // (1)
      Vec3<S> moment, force;    // (3), (4)
      int q;                    // which joint
      bool revolute;            // (1), (3) are zero in their angular half otherwise, and not kept
    };
    Array<LinkInBase<S>> links;
    Array<Column> columns;  // of one link after the other: its own joint first, then on to the base
    JointTurns<S> turns;

    explicit Workspace(const MechanismFor<S>& robot)
        : links(index(robot.n())), columns(index(longest_path(robot))), turns(robot.n()) {}
  };

  template <class S>
  static void run(const MechanismFor<S>& robot, std::span<const S> q, std::span<const S> qd, Workspace<S>& ws,
                  const MatrixView<S>& C) {
    joint_turns<S>(robot, q, ws.turns);
    place_links<S>(robot, q, qd, ws.turns, ws.links);
    C.set_zero();
    for (int i = 0; i < robot.n(); ++i) {
      const auto columns = form_columns(robot, i, ws);
      for (const auto& row : columns)
        for (const auto& column : columns) {  // (5)
          S entry = dot(row.linear, column.force);
          if (row.revolute && column.revolute) entry += dot(row.angular, column.moment);
          C(row.q, column.q) += entry;
        }
    }
  }

 private:
  // (1)-(4) of every joint that moves link i
  template <class S>
  static auto form_columns(const MechanismFor<S>& robot, int i, Workspace<S>& ws) {
    const auto& link = robot.link(i);
    const auto& own = ws.links[index(i)];
    const Mat3<S> Q = cross(own.omega, trace_free_inertia(link, own));  // (3)
    std::size_t count = 0;
    for (int a = i; a != base; a = robot.link(a).parent, ++count) {
      const auto& joint = robot.link(a);
      const auto& up = ws.links[index(a)];
      auto& [angular, linear, moment, force, joint_q, revolute] = ws.columns[count];
      joint_q = joint.q;
      revolute = joint.revolute;
      if (revolute) {
        const Vec3<S> reach = own.com - up.origin;
        angular = up.axis;  // (1)
        linear = cross(up.axis, reach);
        const Vec3<S> linear_dot = add_cross(cross(up.axis_dot, reach), up.axis, own.com_dot - up.origin_dot);  // (2)
        moment = own.inertia * up.axis_dot + Q * up.axis;                                                       // (3)
        force = link.mass * linear_dot;                                                                         // (4)
      } else {
        linear = up.axis;
        force = link.mass * up.axis_dot;
      }
    }
    return std::span(ws.columns).first(count);
  }
};

}  // namespace catena
