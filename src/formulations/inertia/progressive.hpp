// Inertia matrix link by link (Laus, Simoni and Martins, equation 21): every link adds J_iᵀ diag(I_i, m_i 1) J_i at the
// joints that move it, and no link's contribution depends on another's. Equations (1)-(6):
// docs/equations/progressive_inertia.md. In the base frame, except for the angular half of J_i, which is in frame i.
#pragma once

#include "catena/formulation/kernels.hpp"

namespace catena {

struct ProgressiveInertia {
  static constexpr FormulationInfo info{"progressive", "inertia", "Laus, Simoni and Martins, equation 21",
                                        "docs/equations/progressive_inertia.md",
                                        "none published; counted n³ + 16.5n² + 39.5n - 29 M, n³ + 12n² + 29n - 21 A"};

  // One column of J_i.
  template <class S>
  struct Column {
    Vec3<S> omega, v;           // (2), (3)
    Vec3<S> I_omega, momentum;  // (4) the same times diag(I_i, m_i 1)
    int q = 0;                  // which joint
    bool revolute = true;       // otherwise omega and I_omega are zero and not stored
  };

  template <class S>
  struct Place {
    Mat3<S> R;       // (1) base from link
    Vec3<S> origin;  // (1) base origin to o_i
  };

  template <class S>
  struct Workspace {
    using Link = Place<S>;
    Array<Link> links;
    Array<Column<S>> columns;  // for one link after the other
    JointTurns<S> turns;

    explicit Workspace(const TreeFor<S>& robot)
        : links(index(robot.joints())), columns(index(longest_path(robot))), turns(robot.joints()) {}
  };

  template <class S>
  static void run(const TreeFor<S>& robot, std::span<const S> q, Workspace<S>& ws, const MatrixView<S>& M) {
    joint_turns<S>(robot, q, ws.turns);
    M.set_zero();
    for (int i = 0; i < robot.joints(); ++i) {
      place(robot, q, i, ws.turns, ws.links);
      const auto columns = form_columns(robot, i, robot.link(i), ws.links, ws.columns);
      for (std::size_t k = 0; k < columns.size(); ++k)
        for (std::size_t l = k; l < columns.size(); ++l)
          add_entry(columns[k], columns[l], M(columns[k].q, columns[l].q));
    }
    mirror_to_ancestors(robot, M);
  }

  // (2)-(4) for every joint that moves link i, its own first and then towards the base, for a body fixed to the link:
  // the link itself, or a piece of it. `links` are placed by (1).
  template <class S, class Place>
  static std::span<const Column<S>> form_columns(const TreeFor<S>& robot, int i,
                                                 const LinkConstants<ConstantOf<S>>& body, const Array<Place>& links,
                                                 Array<Column<S>>& columns) {
    const auto& own = links[index(i)];
    const Vec3<S> p_com = own.origin + own.R * body.com;
    std::size_t k = 0;
    for (int j = i; j != base_link; j = robot.link(j).parent, ++k) {
      const auto& joint = links[index(j)];
      const Vec3<S> z = joint.R.column_z();
      auto& [omega, v, I_omega, momentum, joint_q, revolute] = columns[k];
      joint_q = robot.link(j).q;
      revolute = robot.link(j).revolute;
      if (revolute) {
        omega = j == i ? Vec3<S>{S{}, S{}, S(ConstantOf<S>(1))} : own.R.transpose() * z;                  // (2)
        I_omega = j == i ? static_cast<Vec3<S>>(body.inertia_com.column_z()) : body.inertia_com * omega;  // (4)
        v = cross(z, p_com - joint.origin);                                                               // (3)
      } else {
        v = z;  // (3)
      }
      momentum = body.mass * v;  // (4)
    }
    return std::span(columns).first(k);
  }

  // (5): what two columns of one link add to an entry.
  template <class S>
  static void add_entry(const Column<S>& row, const Column<S>& column, S& entry) {
    entry += dot(row.v, column.momentum);
    if (row.revolute && column.revolute) entry += dot(row.omega, column.I_omega);
  }

  // (6): the torque that a link's weight needs at a joint that moves it.
  template <class S>
  static S weight(const TreeFor<S>& robot, const Column<S>& column) {
    return -dot(column.momentum, robot.gravity);
  }

  // (1)
  template <class S>
  static void place(const TreeFor<S>& robot, std::span<const S> q, int i, const JointTurns<S>& turns,
                    Array<Place<S>>& links) {
    const auto& link = robot.link(i);
    const Vec3<S> s = joint_offset(link, q[index(link.q)]);
    if (link.parent == base_link) {
      links[index(i)] = {matrix(link.tilt, turns[i]), s};
    } else {
      const auto& parent = links[index(link.parent)];
      links[index(i)] = {compose(parent.R, link.tilt, turns[i]), parent.origin + parent.R * s};
    }
  }
};

}  // namespace catena
