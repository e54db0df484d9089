// Bias vector b = C q̇ + g from the coefficients of the velocity products (Lin 1991, eqs 45-57, the third of the four
// sheets of figure 3 worked out). Equations (1)-(14): docs/equations/base_origin_bias.md. Quantities of link i are in
// frame i; positions and moments are measured from O, the present origin of the first link of its branch.
#pragma once

#include <type_traits>

#include "formulations/shared/base_origin_stage.hpp"

namespace catena {

struct BaseOriginBias {
  static constexpr FormulationInfo info{"base-origin", "bias", "Lin 1991, eqs 45-57",
                                        "docs/equations/base_origin_bias.md",
                                        "beside its inertia matrix: 12.5n² + 5.5n + 3 M, 9n² + n A"};

  template <class S>
  struct Workspace {
    struct Link {
      Vec3<S> a;           // (2) gravity, as the acceleration -g of the base
      Vec3<S> zeta;        // (7) twice the angular velocity, less that of joint i
      Vec3<S> y;           // (8) ζ q̇
      FlatVec3<S> e_root;  // (9) for a link on the base
      int spin;            // the first revolute joint on the path from the base to this link; base_link: none
    };
    BaseOriginStage<S> stage;  // (1), (3)-(6), (9)
    Array<Link> links;
    AncestorRows<Vec3<S>> y;  // (8) of each ancestor, in frame i

    explicit Workspace(const TreeFor<S>& robot) : stage(robot), links(index(robot.joints())), y(robot) {}
  };

  template <class S>
  static void run(const TreeFor<S>& robot, std::span<const S> q, std::span<const S> qd, Workspace<S>& ws,
                  std::span<S> b) {
    ws.stage.run(robot, q);
    after_stage<S>(robot, qd, ws.stage, ws, b);
  }

  // For a caller that already has the inertia matrix of the same state by this formulation, and with it the stage.
  template <class S>
  static void after_stage(const TreeFor<S>& robot, std::span<const S> qd, BaseOriginStage<S>& stage, Workspace<S>& ws,
                          std::span<S> b) {
    for (int i = 0; i < robot.joints(); ++i) add_velocities(robot, qd, i, stage, ws);
    for (int j = 0; j < robot.joints(); ++j) add_torques(robot, j, stage, ws, b);
  }

 private:
  // Outward: (2), (7), (8), and (9) for the links on the base
  template <class S>
  static void add_velocities(const TreeFor<S>& robot, std::span<const S> qd, int i, BaseOriginStage<S>& stage,
                             Workspace<S>& ws) {
    const auto& link = robot.link(i);
    const auto& turn = stage.turns[i];
    const S& rate = qd[index(link.q)];
    auto& own = ws.links[index(i)];
    if (link.parent == base_link) {
      own.a = base_acceleration(robot, i, turn);
      own.spin = link.revolute ? i : base_link;
      own.e_root = {S(-(link.mass * link.com.y)), S(link.mass * link.com.x)};
    } else {
      auto& parent = ws.links[index(link.parent)];
      own.a = to_child(link.tilt, turn, parent.a);  // (2)
      own.spin = parent.spin != base_link ? parent.spin : link.revolute ? i : base_link;
      if (parent.spin == link.parent && robot.link(link.parent).parent == base_link) {
        const FlatVec3<S> p = to_parent_xy(link.tilt, turn, stage.links[index(i)].p);  // (3)
        parent.e_root.x -= p.y;
        parent.e_root.y += p.x;
      }
    }
    if (own.spin == base_link) return;
    if (own.spin == i) {
      own.zeta = {S{}, S{}, rate};
      own.y = {S{}, S{}, rate * rate};
      return;
    }
    const auto& up = robot.link(link.parent);
    const auto& parent = ws.links[index(link.parent)];
    if (own.spin == link.parent) {
      const S twice = parent.zeta.z + parent.zeta.z;
      own.zeta = twice * stage.axes[i][1].u;  // (7)
    } else {
      Vec3<S> spun = parent.zeta;
      if (up.revolute) spun.z += qd[index(up.q)];
      own.zeta = to_child(link.tilt, turn, spun);
    }
    if (link.revolute) own.zeta.z += rate;
    own.y = rate * own.zeta;  // (8)
    const auto row = ws.y[i], parent_row = ws.y[link.parent];
    std::size_t k = 1;
    for (int m = link.parent; m != own.spin; m = robot.link(m).parent, ++k)
      row[k] = to_child(link.tilt, turn, k == 1 ? parent.y : parent_row[k - 1]);
  }

  // Gravity and the velocity products of joint j with all its ancestors: (9)-(14)
  template <class S>
  static void add_torques(const TreeFor<S>& robot, int j, BaseOriginStage<S>& stage, Workspace<S>& ws, std::span<S> b) {
    const auto& link = robot.link(j);
    const auto& own = ws.links[index(j)];
    const auto& place = stage.links[index(j)];
    const auto mass = link.augmented_mass;
    const FlatVec3<S>& e = link.parent == base_link ? own.e_root : place.e;
    b[index(link.q)] = link.revolute ? S(e.x * own.a.x + e.y * own.a.y) : S(mass * own.a.z);  // (13)
    if (own.spin == base_link || link.parent == base_link) return;
    Mat3<S> B{};  // (10)
    if (link.revolute && own.spin != j) B = coefficient(place);
    std::size_t k = 1;
    for (int m = link.parent; m != base_link; m = robot.link(m).parent, ++k) {
      const auto& ancestor = robot.link(m);
      const auto& [u, s_hat] = stage.axes[j][k];
      const bool first = ancestor.parent == base_link;
      const Vec3<S> d = !ancestor.revolute ? sliding(link.revolute, mass, e, u)
                        : link.revolute    ? turning(B, e, u, s_hat, first)
                                           : turning(mass, place.p, u, s_hat, first);
      b[index(ancestor.q)] += dot(own.y, d);  // (14)
      if (own.spin == m) {
        b[index(link.q)] -= ws.links[index(m)].y.z * dot(u, d);
      } else if (ws.links[index(m)].spin != base_link) {
        b[index(link.q)] -= dot(ws.y[j][k], d);
      }
    }
  }

  // (10) B = Ĵ z~ + ŝ~ p̂~ for ŝ = z x s; its last column is (0, 0, zz)
  template <class Link>
  static auto coefficient(const Link& own) {
    using S = std::remove_cvref_t<decltype(own.s.x)>;
    const auto& [s, p, J, e] = own;
    const S xx = -(s.y * p.x), xy = -(s.y * p.y), xz = -(s.y * p.z);  // ŝ p̂ᵀ
    const S yx = s.x * p.x, yy = s.x * p.y, yz = s.x * p.z;
    return Mat3<S>{J.xy - yy, yx - J.xx, S{}, xy + J.yy, -(J.xy + xx), S{}, xz + J.yz, yz - J.xz, -(xx + yy)};
  }

  // (11) revolute m, revolute j: d = B u + ŝ_m x e
  template <class S>
  static Vec3<S> turning(const Mat3<S>& B, const FlatVec3<S>& e, const Vec3<S>& u, const Vec3<S>& s_hat, bool first) {
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
  static Vec3<S> sliding(bool revolute, const T& mass, const FlatVec3<S>& e, const Vec3<S>& u) {
    if (revolute) return {e.y * u.z, -(e.x * u.z), e.x * u.y - e.y * u.x};
    return {-(mass * u.y), mass * u.x, S{}};
  }
};

}  // namespace catena
