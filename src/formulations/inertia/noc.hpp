// Inertia matrix by the natural orthogonal complement (Angeles and Ma): M = PᵀP, P = N T, with T the twists of the
// bodies at unit joint rates and N the square roots of their mass matrices. Equations (1)-(6): docs/equations/noc.md.
// Twists of link i are in frame i, at its mass centre C_i.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>

#include "catena/formulation/kernels.hpp"

namespace catena {

struct Noc {
  static constexpr FormulationInfo info{"noc", "inertia", "Angeles and Ma 1988, in Balafoutis 1989, Table 6.2",
                                        "docs/equations/noc.md", "n³ + 17n² - 15n + 8 M, n³ + 14n² - 16n + 5 A"};

  // (1): twist of a link at its mass centre for a unit rate of its own joint.
  template <class T>
  static Twist<T> unit_twist(const LinkConstants<T>& link) {  // (1)
    if (link.revolute) return {{T(0), T(0), T(1)}, {-link.com.y, link.com.x, T(0)}};
    return {{}, {T(0), T(0), T(1)}};
  }

  // (4): N of one body, off line: I_C = LᵀL with L upper triangular, and √m; and what needs no q, for its own joint.
  template <class T>
  struct Body {
    T xx{}, xy{}, xz{}, yy{}, yz{}, zz{};  // L
    T root_mass{};
    bool real = true;  // false: I_C has a negative eigenvalue, hence no real root
    Twist<T> own{};    // (5) the column of P, or (1) of T, for the body's own joint
    T own_inertia{};   // (6) this column times itself

    explicit Body(const LinkConstants<T>& link) : root_mass(root(link.mass)) {
      const Sym3<T>& I = link.inertia_com;
      using std::abs;
      const T rounding = std::numeric_limits<T>::epsilon() * (abs(I.xx) + abs(I.yy) + abs(I.zz));
      // A body without extent in some direction has zero pivots, which rounding may make negative or positive: the test
      // is whether the product gives I_C again.
      real = take_root(I, T(0), T(16) * rounding) || take_root(I, T(4) * rounding, T(16) * rounding);
      own = unit_twist(link);
      own_inertia = dot(own.omega, I * own.omega) + link.mass * dot(own.v, own.v);
      if (real) own = *this * own;
    }
    // L, where pivots up to `least` are zero; whether its product misses I_C by no more than `allowed`.
    bool take_root(const Sym3<T>& I, const T& least, const T& allowed) {
      using std::abs;
      const auto pivot = [&](const T& square) { return square > least ? root(square) : T(0); };
      const auto over = [](T value, T by) { return by > T(0) ? value / by : T(0); };
      xx = pivot(I.xx), xy = over(I.xy, xx), xz = over(I.xz, xx);
      yy = pivot(I.yy - xy * xy), yz = over(I.yz - xy * xz, yy);
      zz = pivot(I.zz - xz * xz - yz * yz);
      const Sym3<T> product{xx * xx, xy * xy + yy * yy, xz * xz + yz * yz + zz * zz,
                            xx * xy, xx * xz,           xy * xz + yy * yz};
      const Sym3<T> miss = product - I;
      bool good = true;
      for (const T d : {miss.xx, miss.yy, miss.zz, miss.xy, miss.xz, miss.yz}) good = good && abs(d) <= allowed;
      return good;
    }
    static T root(const T& square) {
      using std::sqrt;
      return square > T(0) ? sqrt(square) : T(0);
    }
    template <class S>
    Twist<S> operator*(const Twist<S>& t) const {  // 9M 3A
      const auto& w = t.omega;
      return {{xx * w.x + xy * w.y + xz * w.z, yy * w.y + yz * w.z, zz * w.z}, root_mass * t.v};
    }
  };

  template <class S>
  struct Workspace {
    using T = ConstantOf<S>;
    Array<Body<T>> constants;
    AncestorRows<Twist<S>> T_rows;  // (1)-(3) twist of each link at unit rate of each joint that moves it
    Array<Twist<S>> P, right;       // (5), (6) one row of P; its right factor if the body has no root
    JointTurns<S> turns;

    explicit Workspace(const BasicTree<T>& robot)
        : constants(robot.links.begin(), robot.links.end()),
          T_rows(robot),
          P(index(longest_path(robot))),
          right(P.size()),
          turns(robot.joints()) {}
  };

  template <class S>
  static void run(const TreeFor<S>& robot, std::span<const S> q, Workspace<S>& ws, const MatrixView<S>& M) {
    joint_turns<S>(robot, q, ws.turns);
    M.set_zero();
    for (int i = 0; i < robot.joints(); ++i) {
      const auto& link = robot.link(i);
      const auto& body = ws.constants[index(i)];
      M(link.q, link.q) = S(body.own_inertia);
      if (link.parent == base_link) continue;
      move_twists(robot, q, i, ws);
      const auto twists = ws.T_rows[i];
      std::size_t k = 1;
      for (int m = link.parent; m != base_link; m = robot.link(m).parent, ++k) {
        if (body.real) {
          ws.P[k] = body * twists[k];  // (5)
        } else {
          ws.P[k] = twists[k];
          ws.right[k] = {link.inertia_com * twists[k].omega, link.mass * twists[k].v};
        }
      }
      multiply(robot, i, ws.P, body.real ? ws.P : ws.right, body.own, M);
    }
    mirror_to_ancestors(robot, M);
  }

 private:
  // (1)-(3): from mass centre to mass centre.
  template <class S>
  static void move_twists(const TreeFor<S>& robot, std::span<const S> q, int i, Workspace<S>& ws) {
    const auto& link = robot.link(i);
    const auto& parent = robot.link(link.parent);
    const auto& turn = ws.turns[i];
    const Vec3<S> c = to_child(link.tilt, turn, com_to_joint(robot, link, q)) + link.com;  // (2)
    const auto twists = ws.T_rows[i], before = ws.T_rows[link.parent];
    twists[1] = {{}, parent_z_in_child(link.tilt, turn)};
    if (parent.revolute) {
      twists[1].omega = twists[1].v;
      twists[1].v =
          add_cross(to_child(link.tilt, turn, FlatVec3<S>{S(-parent.com.y), S(parent.com.x)}), twists[1].omega, c);
    }
    std::size_t k = 2;
    for (int m = parent.parent; m != base_link; m = robot.link(m).parent, ++k) {
      auto& [omega, v] = twists[k];
      omega = {};
      v = to_child(link.tilt, turn, before[k - 1].v);
      if (!robot.link(m).revolute) continue;
      omega = to_child(link.tilt, turn, before[k - 1].omega);
      v = add_cross(v, omega, c);  // (3)
    }
  }

  // (6): the contribution of body i, at the joints between it and the base. Body i is the first to write to the row of
  // its joint.
  template <class S>
  static void multiply(const TreeFor<S>& robot, int i, const Array<Twist<S>>& left, const Array<Twist<S>>& right,
                       const Twist<ConstantOf<S>>& own, const MatrixView<S>& M) {
    const auto& link = robot.link(i);
    std::size_t k = 1;
    for (int m = link.parent; m != base_link; m = robot.link(m).parent, ++k) {
      const auto& row = robot.link(m);
      const auto& [omega, v] = right[k];
      M(link.q, row.q) = link.revolute ? dot(own.omega, omega) + (own.v.x * v.x + own.v.y * v.y) : own.v.z * v.z;
      std::size_t l = k;
      for (int a = m; a != base_link; a = robot.link(a).parent, ++l)
        M(row.q, robot.link(a).q) += dot(left[k].omega, right[l].omega) + dot(left[k].v, right[l].v);
    }
  }
};

}  // namespace catena
