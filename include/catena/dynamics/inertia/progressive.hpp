// Inertia matrix link by link (Laus, Simoni and Martins, equation 21): every link adds J_iᵀ diag(I_i, m_i 1) J_i at the
// joints that move it, and no link's share depends on another's. Equations (1)-(5):
// docs/equations/progressive_inertia.md. In the base frame, but for the angular half of J_i, which is in frame i.
#pragma once

#include "catena/dynamics/kernels.hpp"

namespace catena {

struct ProgressiveInertia {
  static constexpr FormulationInfo info{"progressive", "inertia", "Laus, Simoni and Martins, equation 21",
                                        "docs/equations/progressive_inertia.md",
                                        "none published; counted n³ + 16.5n² + 39.5n - 29 M, n³ + 12n² + 29n - 21 A"};

  template <class S>
  struct Workspace {
    struct Link {
      Mat3<S> R;  // (1) base from link
      Vec3<S> p;  // (1) base origin to o_i
    };
    struct Column {
      Vec3<S> omega, v;           // (2), (3) one column of J_i
      Vec3<S> I_omega, momentum;  // (4) the same times diag(I_i, m_i 1)
    };
    Array<Link> links;
    Array<Column> columns;
    JointTurns<S> turns;

    explicit Workspace(const MechanismFor<S>& robot)
        : links(index(robot.n())), columns(index(longest_path(robot))), turns(robot.n()) {}
  };

  template <class S>
  static void run(const MechanismFor<S>& robot, std::span<const S> q, Workspace<S>& ws, const MatrixView<S>& M) {
    joint_turns<S>(robot, q, ws.turns);
    M.set_zero();
    for (int i = 0; i < robot.n(); ++i) {
      const auto& link = robot.link(i);
      place(robot, q, i, ws);
      const auto& [R, p] = ws.links[index(i)];
      const Vec3<S> p_com = p + R * link.com;
      std::size_t k = 0;
      for (int j = i; j != base; j = robot.link(j).parent, ++k) {
        const auto& joint = ws.links[index(j)];
        const Vec3<S> z = joint.R.column_z();
        auto& [omega, v, I_omega, momentum] = ws.columns[k];
        if (robot.link(j).revolute) {
          omega = j == i ? Vec3<S>{S{}, S{}, S(ConstantOf<S>(1))} : R.transpose() * z;                      // (2)
          I_omega = j == i ? static_cast<Vec3<S>>(link.inertia_com.column_z()) : link.inertia_com * omega;  // (4)
          v = cross(z, p_com - joint.p);                                                                    // (3)
        } else {
          v = z;  // (3)
        }
        momentum = link.mass * v;  // (4)
      }
      scatter(robot, i, ws, M);
    }
    mirror_to_ancestors(robot, M);
  }

 private:
  // (1)
  template <class S>
  static void place(const MechanismFor<S>& robot, std::span<const S> q, int i, Workspace<S>& ws) {
    const auto& link = robot.link(i);
    const Vec3<S> s = joint_offset(link, q[index(link.q)]);
    if (link.parent == base) {
      ws.links[index(i)] = {matrix(link.tilt, ws.turns[i]), s};
    } else {
      const auto& parent = ws.links[index(link.parent)];
      ws.links[index(i)] = {compose(parent.R, link.tilt, ws.turns[i]), parent.p + parent.R * s};
    }
  }

  // (5): the share of link i, at the joints between it and the base.
  template <class S>
  static void scatter(const MechanismFor<S>& robot, int i, Workspace<S>& ws, const MatrixView<S>& M) {
    std::size_t k = 0;
    for (int j = i; j != base; j = robot.link(j).parent, ++k) {
      const auto& row = robot.link(j);
      std::size_t l = k;
      for (int a = j; a != base; a = robot.link(a).parent, ++l) {
        const auto& column = robot.link(a);
        S& entry = M(row.q, column.q);
        entry += dot(ws.columns[k].v, ws.columns[l].momentum);
        if (row.revolute && column.revolute) entry += dot(ws.columns[k].omega, ws.columns[l].I_omega);
      }
    }
  }
};

}  // namespace catena
