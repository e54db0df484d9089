// Bias vector b = C q̇ + g from the coefficients of the velocity products (Lin 1991, eqs 45-57, third sheet of figure 3
// worked out). Equations (1)-(14): docs/equations/base_origin_bias.md. Quantities of link i are in frame i, places and
// moments measured from O, the origin of the first link of its branch at this moment.
#pragma once

#include <type_traits>
#include <vector>

#include "catena/dynamics/inertia/kernels.hpp"

namespace catena {

struct BaseOriginBias {
  static constexpr FormulationInfo info{"base-origin", "bias", "Lin 1991, eqs 45-57",
                                        "docs/equations/base_origin_bias.md",
                                        "beside its inertia matrix: 12.5n² + 5.5n + 3 M, 9n² + n A"};

  template <class S>
  struct Workspace {
    struct Link {
      Vec3<S> s;      // (1) O to o_i
      Vec3<S> p_hat;  // (3) first moment of the composite about O
      Sym3<S> J_bar;  // (4) minus its pseudo-inertia about O
      Vec3<S> a;      // (2) gravity, as the acceleration -g of the base
      Vec3<S> zeta;   // (7) twice the angular velocity, less that of joint i
      Vec3<S> y;      // (8) ζ q̇
      int spin;       // the first revolute joint from the base to here; base: none
    };
    // Of ancestor m, seen from link i.
    struct Pair {
      Vec3<S> u;      // (5) axis of joint m
      Vec3<S> s_hat;  // (6) u x s: velocity of O for a unit rate of revolute joint m, turned round
      Vec3<S> y;      // (8)
    };
    std::vector<Link> links;
    std::vector<Pair> pairs;  // (i, m), m ≤ i
    JointTurns<S> turns;

    explicit Workspace(const BasicMechanism<ConstantOf<S>>& robot)
        : links(index(robot.n())), pairs(at(robot.n(), 0)), turns(robot.n()) {}
    Pair& pair(int i, int m) { return pairs[at(i, m)]; }

   private:
    static std::size_t at(int i, int m) { return index(i) * index(i + 1) / 2 + index(m); }
  };

  template <class S>
  static void run(const BasicMechanism<ConstantOf<S>>& robot, std::span<const S> q, std::span<const S> qd,
                  Workspace<S>& ws, std::span<S> b) {
    joint_turns<S>(robot, q, ws.turns);
    for (int i = 0; i < robot.n(); ++i) {
      place(robot, q, i, ws);
      add_velocities(robot, qd, i, ws);
    }
    add_up_composites(robot, ws);
    for (int j = 0; j < robot.n(); ++j) add_torques(robot, j, ws, b);
  }

 private:
  // Outward, what the inertia matrix of this formulation needs too: (1), (5), (6)
  template <class S>
  static void place(const BasicMechanism<ConstantOf<S>>& robot, std::span<const S> q, int i, Workspace<S>& ws) {
    const auto& link = robot.links[index(i)];
    const auto& turn = ws.turns[i];
    auto& own = ws.links[index(i)];
    own.spin = link.parent != base && ws.links[index(link.parent)].spin != base ? ws.links[index(link.parent)].spin
               : link.revolute                                                  ? i
                                                                                : base;
    if (link.parent == base) {
      own.s = {};
      return;
    }
    const auto& up = robot.links[index(link.parent)];
    const Vec3<S> offset = joint_offset(link, q[index(link.q)]);
    own.s = to_child(link.twist, turn, up.parent == base ? offset : ws.links[index(link.parent)].s + offset);  // (1)
    ws.pair(i, link.parent).u = parent_z_in_child(link.twist, turn);                                           // (5)
    if (up.revolute && up.parent != base) {
      const Vec3<S>& s = ws.links[index(link.parent)].s;
      ws.pair(i, link.parent).s_hat = to_child(link.twist, turn, FlatVec3<S>{-s.y, s.x});  // (6)
    }
    for (int m = up.parent; m != base; m = robot.links[index(m)].parent) {
      const auto& ancestor = robot.links[index(m)];
      const auto& before = ws.pair(link.parent, m);
      ws.pair(i, m).u = to_child(link.twist, turn, before.u);
      if (ancestor.revolute && ancestor.parent != base) ws.pair(i, m).s_hat = to_child(link.twist, turn, before.s_hat);
    }
  }

  // Outward, what only the bias needs: (2), (7), (8)
  template <class S>
  static void add_velocities(const BasicMechanism<ConstantOf<S>>& robot, std::span<const S> qd, int i,
                             Workspace<S>& ws) {
    const auto& link = robot.links[index(i)];
    const auto& turn = ws.turns[i];
    const S& rate = qd[index(link.q)];
    auto& own = ws.links[index(i)];
    own.a = link.parent == base ? base_acceleration(robot, i, turn)
                                : to_child(link.twist, turn, ws.links[index(link.parent)].a);  // (2)
    if (own.spin == base) return;
    if (own.spin == i) {
      own.zeta = {S{}, S{}, rate};
      own.y = {S{}, S{}, rate * rate};
      return;
    }
    const auto& up = robot.links[index(link.parent)];
    const auto& parent = ws.links[index(link.parent)];
    if (own.spin == link.parent) {
      const S twice = parent.zeta.z + parent.zeta.z;
      own.zeta = twice * ws.pair(i, link.parent).u;  // (7)
    } else {
      Vec3<S> spun = parent.zeta;
      if (up.revolute) spun.z += qd[index(up.q)];
      own.zeta = to_child(link.twist, turn, spun);
    }
    if (link.revolute) own.zeta.z += rate;
    own.y = rate * own.zeta;  // (8)
    for (int m = link.parent; m != own.spin; m = robot.links[index(m)].parent)
      ws.pair(i, m).y = to_child(link.twist, turn, m == link.parent ? parent.y : ws.pair(link.parent, m).y);
  }

  // Inward: (3), (4), where a turning joint makes them felt
  template <class S>
  static void add_up_composites(const BasicMechanism<ConstantOf<S>>& robot, Workspace<S>& ws) {
    for (int i = 0; i < robot.n(); ++i) {
      const auto& link = robot.links[index(i)];
      auto& own = ws.links[index(i)];
      if (own.spin == base) continue;
      const Vec3<S> p = link.parent == base ? static_cast<Vec3<S>>(link.com) : own.s + link.com;
      own.p_hat = link.mass * p;
      if (own.spin == i) continue;
      const auto &h = own.p_hat, &r = p;
      const auto& K = link.pseudo_com;
      own.J_bar = {-(K.xx + h.x * r.x), -(K.yy + h.y * r.y), -(K.zz + h.z * r.z),
                   -(K.xy + h.x * r.y), -(K.xz + h.x * r.z), -(K.yz + h.y * r.z)};
    }
    for (int i = robot.n() - 1; i >= 0; --i) {
      const auto& link = robot.links[index(i)];
      const auto& own = ws.links[index(i)];
      if (link.parent == base || ws.links[index(link.parent)].spin == base) continue;
      auto& parent = ws.links[index(link.parent)];
      parent.p_hat += to_parent(link.twist, ws.turns[i], own.p_hat);                                  // (3)
      if (parent.spin != link.parent) parent.J_bar += to_parent(link.twist, ws.turns[i], own.J_bar);  // (4)
    }
  }

  // Gravity and the velocity products of joint j with all its ancestors: (9)-(14)
  template <class S>
  static void add_torques(const BasicMechanism<ConstantOf<S>>& robot, int j, Workspace<S>& ws, std::span<S> b) {
    const auto& link = robot.links[index(j)];
    const auto& own = ws.links[index(j)];
    const auto mass = link.augmented_mass;
    Vec3<S> e{};  // (9), z component zero
    Mat3<S> B{};  // (10)
    if (link.revolute) {
      e = {-own.p_hat.y, own.p_hat.x, S{}};
      if (link.parent != base) e = {mass * own.s.y - own.p_hat.y, own.p_hat.x - mass * own.s.x, S{}};
      b[index(link.q)] = e.x * own.a.x + e.y * own.a.y;  // (13)
      if (own.spin != j) B = coefficient(own);
    } else {
      b[index(link.q)] = mass * own.a.z;
    }
    if (own.spin == base) return;
    for (int m = link.parent; m != base; m = robot.links[index(m)].parent) {
      const auto& ancestor = robot.links[index(m)];
      const auto& [u, s_hat, y] = ws.pair(j, m);
      const bool first = ancestor.parent == base;
      const Vec3<S> d = !ancestor.revolute ? sliding(link.revolute, mass, e, u)
                        : link.revolute    ? turning(B, e, u, s_hat, first)
                                           : turning(mass, own.p_hat, u, s_hat, first);
      b[index(ancestor.q)] += dot(own.y, d);  // (14)
      if (own.spin == m) {
        b[index(link.q)] -= ws.links[index(m)].y.z * dot(u, d);
      } else if (ws.links[index(m)].spin != base) {
        b[index(link.q)] -= dot(y, d);
      }
    }
  }

  // (10) B = -J̄ z~ + ŝ~ p̂~ for ŝ = z x s; its last column is (0, 0, zz)
  template <class Link>
  static auto coefficient(const Link& own) {
    using S = std::remove_cvref_t<decltype(own.s.x)>;
    const auto &s = own.s, &p = own.p_hat;
    const auto& J = own.J_bar;
    const S xx = -(s.y * p.x), xy = -(s.y * p.y), xz = -(s.y * p.z);  // ŝ p̂ᵀ
    const S yx = s.x * p.x, yy = s.x * p.y, yz = s.x * p.z;
    return Mat3<S>{-(J.xy + yy), J.xx + yx, S{}, xy - J.yy, J.xy - xx, S{}, xz - J.yz, J.xz + yz, -(xx + yy)};
  }

  // (11) revolute m, revolute j: d = B u + ŝ_m x e
  template <class S>
  static Vec3<S> turning(const Mat3<S>& B, const Vec3<S>& e, const Vec3<S>& u, const Vec3<S>& s_hat, bool first) {
    const Vec3<S> d{B.xx * u.x + B.xy * u.y, B.yx * u.x + B.yy * u.y, B.zx * u.x + B.zy * u.y + B.zz * u.z};
    if (first) return d;
    return {d.x - s_hat.z * e.y, d.y + s_hat.z * e.x, d.z + s_hat.x * e.y - s_hat.y * e.x};
  }
  // (11) revolute m, prismatic j: d = z x (u_m x p̂ - m̂ ŝ_m)
  template <class T, class S>
  static Vec3<S> turning(const T& mass, const Vec3<S>& p, const Vec3<S>& u, const Vec3<S>& s_hat, bool first) {
    const S x = u.y * p.z - u.z * p.y, y = u.z * p.x - u.x * p.z;
    if (first) return {-y, x, S{}};
    return {mass * s_hat.y - y, x - mass * s_hat.x, S{}};
  }
  // (12) prismatic m: d = e x u, or m̂ z x u
  template <class T, class S>
  static Vec3<S> sliding(bool revolute, const T& mass, const Vec3<S>& e, const Vec3<S>& u) {
    if (revolute) return {e.y * u.z, -(e.x * u.z), e.x * u.y - e.y * u.x};
    return {-(mass * u.y), mass * u.x, S{}};
  }
};

}  // namespace catena
