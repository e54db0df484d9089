// Forward dynamics by the natural orthogonal complement (Angeles and Ma): the factors of M from P = N T without
// building M = PᵀP, then two triangular systems. Equations (1)-(9): docs/equations/noc_forward.md.
#pragma once

#include <limits>

#include "forces/joint_forces.hpp"
#include "formulations/bias/by_inverse.hpp"
#include "formulations/inertia/noc.hpp"
#include "formulations/inverse/tensor_augmented.hpp"

namespace catena {

struct NocForward {
  static constexpr FormulationInfo info{"noc", "forward", "Angeles and Ma 1988; Balafoutis 1989, eqs 6.2.15-6.2.17",
                                        "docs/equations/noc_forward.md", "1353 M, 1165 A at n = 6"};

  template <class S>
  struct Workspace {
    BiasByInverse<TensorAugmented>::Workspace<S> bias_by;
    Array<S> bias;      // (1) by q
    Array<Twist<S>> T;  // (2) row i, column j: twist of link i at its mass centre for a unit rate of joint j, frame i
    Array<Twist<S>> P;  // (3) column j, row i; (5) orthogonalized
    Array<S> rotors;    // (4) column j, row i: the same for the rotors
    Array<S> U;         // (6) row j, column k
    Array<S> pivots;    // (6) by link
    Array<S> y;         // (7)-(9) by link

    explicit Workspace(const TreeFor<S>& robot)
        : bias_by(robot),
          bias(index(robot.joints())),
          T(index(robot.joints()) * index(robot.joints())),
          P(T.size()),
          rotors(robot.has_drives ? T.size() : 0),
          U(T.size()),
          pivots(index(robot.joints())),
          y(index(robot.joints())) {}
  };

  template <class S>
  static void run(const TreeFor<S>& robot, std::span<const S> q, std::span<const S> qd, std::span<const S> tau,
                  Workspace<S>& ws, std::span<S> qdd) {
    factor<S>(robot, q, qd, ws);
    solve<S>(robot, q, tau, ws, qdd);
  }

  // The bias, P, and the factors from orthogonalizing its columns.
  template <class S>
  static void factor(const TreeFor<S>& robot, std::span<const S> q, std::span<const S> qd, Workspace<S>& ws) {
    BiasByInverse<TensorAugmented>::run<S>(robot, q, qd, ws.bias_by, ws.bias);  // (1)
    fill_columns<S>(robot, q, ws);
    for (int k = robot.joints() - 1; k >= 0; --k) {
      ws.pivots[index(k)] = product<S>(robot, k, k, ws);  // (6)
      const S inverse = ConstantOf<S>(1) / ws.pivots[index(k)];
      for (int j = robot.link(k).parent; j != base_link; j = robot.link(j).parent) {
        const S u = product<S>(robot, j, k, ws) * inverse;  // (6)
        ws.U[at(robot, j, k)] = u;
        for (int i = k; i < robot.joints(); ++i) {  // (5)
          ws.P[at(robot, j, i)].omega -= u * ws.P[at(robot, k, i)].omega;
          ws.P[at(robot, j, i)].v -= u * ws.P[at(robot, k, i)].v;
          if (robot.has_drives) ws.rotors[at(robot, j, i)] -= u * ws.rotors[at(robot, k, i)];
        }
      }
    }
  }

  // q̈ for torques τ, any number of times after one factor() at the same q.
  template <class S>
  static void solve(const TreeFor<S>& robot, std::span<const S>, std::span<const S> tau, Workspace<S>& ws,
                    std::span<S> qdd) {
    const auto& links = robot.links;
    for (int k = 0; k < robot.joints(); ++k)
      ws.y[index(k)] = tau[index(links[index(k)].q)] - ws.bias[index(links[index(k)].q)];
    for (int k = robot.joints() - 1; k >= 0; --k)  // (7)
      for (int j = links[index(k)].parent; j != base_link; j = links[index(j)].parent)
        ws.y[index(j)] -= ws.U[at(robot, j, k)] * ws.y[index(k)];
    for (int k = 0; k < robot.joints(); ++k) {  // (8), (9)
      ws.y[index(k)] = ws.y[index(k)] / ws.pivots[index(k)];
      for (int j = links[index(k)].parent; j != base_link; j = links[index(j)].parent)
        ws.y[index(k)] -= ws.U[at(robot, j, k)] * ws.y[index(j)];
      qdd[index(links[index(k)].q)] = ws.y[index(k)];
    }
  }

 private:
  template <class T>
  static std::size_t at(const BasicTree<T>& robot, int row, int column) {
    return index(row) * index(robot.joints()) + index(column);
  }

  // What makes a result no number, which a call refuses: a body whose inertia has no real root is turned.
  template <class T>
  static constexpr T none = std::numeric_limits<T>::quiet_NaN();
  template <class T>
  static bool is_turned(const BasicTree<T>& robot, int i) {
    while (i != base_link && !robot.link(i).revolute) i = robot.link(i).parent;
    return i != base_link;
  }

  // (2)-(4). Links that joint j does not move have a zero in its column.
  template <class S>
  static void fill_columns(const TreeFor<S>& robot, std::span<const S> q, Workspace<S>& ws) {
    for (auto& entry : ws.P) entry = {};
    for (S& entry : ws.rotors) entry = S{};
    for (int i = 0; i < robot.joints(); ++i) {
      const auto& link = robot.link(i);
      const Noc::Body<ConstantOf<S>> body(link);  // N_i: off line
      ws.T[at(robot, i, i)] = static_cast<Twist<S>>(Noc::unit_twist(link));
      ws.P[at(robot, i, i)] = static_cast<Twist<S>>(body * Noc::unit_twist(link));
      if (!body.real && is_turned(robot, i)) ws.P[at(robot, i, i)].v.z = S(none<ConstantOf<S>>);
      if (robot.has_drives)
        ws.rotors[at(robot, i, i)] = S(Noc::Body<ConstantOf<S>>::root(added_inertia(robot, link)));  // (4)
      if (link.parent == base_link) continue;
      const auto& turn = ws.bias_by.turns()[i];
      const Vec3<S> c = to_child(link.tilt, turn, com_to_joint(robot, link, q)) + link.com;
      for (int j = link.parent; j != base_link; j = robot.link(j).parent) {
        const auto& parent = ws.T[at(robot, link.parent, j)];
        auto& own = ws.T[at(robot, i, j)];
        own.omega = to_child(link.tilt, turn, parent.omega);  // (2)
        own.v = add_cross(to_child(link.tilt, turn, parent.v), own.omega, c);
        ws.P[at(robot, j, i)] = body * own;  // (3)
      }
    }
  }

  // Columns j and k of P, with joint j at or before joint k on the path from the base: both are zero at links before k.
  template <class S>
  static S product(const TreeFor<S>& robot, int j, int k, const Workspace<S>& ws) {
    S sum{};
    for (int i = k; i < robot.joints(); ++i) {
      const auto &a = ws.P[at(robot, j, i)], &b = ws.P[at(robot, k, i)];
      sum += dot(a.omega, b.omega) + dot(a.v, b.v);
      if (robot.has_drives) sum += ws.rotors[at(robot, j, i)] * ws.rotors[at(robot, k, i)];
    }
    return sum;
  }
};

}  // namespace catena
