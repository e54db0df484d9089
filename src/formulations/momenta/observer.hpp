// What an observer of momenta integrates: p = M q̇ and β = Cᵀq̇ - g with Christoffel's C, of which ṗ = τ + β. Equations
// (10)-(15): docs/equations/two_velocities.md. Quantities of link i are in frame i, about its origin.
#pragma once

#include "formulations/inverse/two_velocities.hpp"

namespace catena {

struct SweptMomenta {
  static constexpr FormulationInfo info{"sweeps", "observer", "derived by us", "docs/equations/two_velocities.md",
                                        "none published"};

  template <class S>
  struct Link {
    Vec3<S> omega, v;         // (10) angular velocity, velocity of the origin
    Vec3<S> a;                // (11) what gravity is as an acceleration
    Vec3<S> linear, angular;  // (12) momentum of this link and all beyond it
    Vec3<S> force, moment;    // (13) what holds their weight
  };
  template <class S>
  struct Workspace {
    Array<Link<S>> links;
    JointTurns<S> turns;

    explicit Workspace(const TreeFor<S>& robot) : links(index(robot.joints())), turns(robot.joints()) {}
  };

  template <class S>
  static void run(const TreeFor<S>& robot, std::span<const S> q, std::span<const S> qd, Workspace<S>& ws,
                  std::span<S> p, std::span<S> beta) {
    joint_turns<S>(robot, q, ws.turns);
    for (int i = 0; i < robot.joints(); ++i) move<S>(robot, i, q, qd, ws);  // outward
    for (int i = robot.joints() - 1; i >= 0; --i) {                         // inward: project, pass to the parent
      const auto& link = robot.link(i);
      const auto& [w, v, a, P, L, F, N] = ws.links[index(i)];
      const S turned = w.y * (link.revolute ? L : P).x - w.x * (link.revolute ? L : P).y;
      p[index(link.q)] = link.revolute ? L.z : P.z;                                                    // (14)
      beta[index(link.q)] = link.revolute ? turned - (v.x * P.y - v.y * P.x) - N.z : S(turned - F.z);  // (15)
      if (link.parent == base_link) continue;
      Link<S>& up = ws.links[index(link.parent)];
      const Vec3<S> s = joint_offset(link, q[index(link.q)]);
      const auto hand = [&](const Vec3<S>& along, const Vec3<S>& about, Vec3<S>& up_along, Vec3<S>& up_about) {
        const Vec3<S> in_parent = to_parent(link.tilt, ws.turns[i], along);
        up_along += in_parent;
        up_about += to_parent(link.tilt, ws.turns[i], about) + cross(s, in_parent);
      };
      hand(P, L, up.linear, up.angular);  // (12)
      hand(F, N, up.force, up.moment);    // (13)
    }
  }

 private:
  // (10)-(13) of one link.
  template <class S>
  static void move(const TreeFor<S>& robot, int i, std::span<const S> q, std::span<const S> qd, Workspace<S>& ws) {
    const auto& link = robot.link(i);
    Link<S>& own = ws.links[index(i)];
    own = {};
    if (link.parent == base_link) {
      own.a = base_acceleration(robot, i, ws.turns[i]);
    } else {
      const Link<S>& up = ws.links[index(link.parent)];
      own.omega = to_child(link.tilt, ws.turns[i], up.omega);
      own.v = to_child(link.tilt, ws.turns[i], add_cross(up.v, up.omega, joint_offset(link, q[index(link.q)])));
      own.a = to_child(link.tilt, ws.turns[i], up.a);
    }
    (link.revolute ? own.omega : own.v).z += qd[index(link.q)];
    own.linear = link.mass * (own.v + cross(own.omega, link.com));
    own.angular = link.inertia_com * own.omega + cross(link.com, own.linear);
    own.force = link.mass * own.a;
    own.moment = cross(link.com, own.force);
  }
};

// By the matrices themselves.
struct MomentaByMatrices {
  static constexpr FormulationInfo info{"matrices", "observer", "textbook mechanics",
                                        "docs/equations/two_velocities.md", "none published"};
  static constexpr bool reference_only = true;
  template <class S>
  using Workspace = MatricesTwo::Workspace<S>;

  template <class S>
  static void run(const TreeFor<S>& robot, std::span<const S> q, std::span<const S> qd, Workspace<S>& ws,
                  std::span<S> p, std::span<S> beta) {
    ws.fill(robot, q, qd);
    const std::size_t n = p.size();
    for (std::size_t i = 0; i < n; ++i) {
      p[i] = S{}, beta[i] = -ws.g[i];
      for (std::size_t j = 0; j < n; ++j) p[i] += ws.M[i * n + j] * qd[j], beta[i] += ws.C[j * n + i] * qd[j];
    }
  }
};

}  // namespace catena
