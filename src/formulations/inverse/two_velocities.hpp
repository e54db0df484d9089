// τ = M q̈ + C(q, q̇) q̇_r + g with Christoffel's C, by one recursion: every product of two rates in the motion of a link
// is taken half with the rates q̇ and half with the reference q̇_r in either place. Equations (1)-(7):
// docs/equations/two_velocities.md. Quantities of link i are in frame i, about its origin.
#pragma once

#include "formulations/coriolis/progressive.hpp"
#include "formulations/gravity/progressive.hpp"
#include "formulations/inertia/generalized_links.hpp"

namespace catena {

// A motion and the reference velocity beside it.
template <class S>
struct ReferredMotion : Motion<S> {
  std::span<const S> reference;
};

// The motion of links that two velocities have together.
struct TwoVelocities {
  template <class S>
  using State = ReferredMotion<S>;
  template <class S>
  struct LinkMotion {
    Vec3<S> omega, omega_r;  // (1) angular velocities of q̇ and of q̇_r
    Vec3<S> omega_dot;       // (2) angular acceleration
    Mat3<S> Omega;           // (3) angular acceleration tensor
    Vec3<S> a_origin;        // (4) acceleration of the origin, gravity included
  };

  // (3): Ω = ω̇~ + (ω~ω_r~ + ω_r~ω~)/2
  template <class S>
  static Mat3<S> tensor(const Vec3<S>& w, const Vec3<S>& r, const Vec3<S>& wd) {
    const ConstantOf<S> half(0.5);
    const S xx = w.x * r.x, yy = w.y * r.y, zz = w.z * r.z;
    const S xy = half * (w.x * r.y + w.y * r.x), xz = half * (w.x * r.z + w.z * r.x);
    const S yz = half * (w.y * r.z + w.z * r.y);
    return {-(yy + zz), xy - wd.z, xz + wd.y, xy + wd.z, -(xx + zz), yz - wd.x, xz - wd.y, yz + wd.x, -(xx + yy)};
  }

  // (1)-(4) of link i; its parent's motion is there.
  template <class S>
  static void move(const TreeFor<S>& robot, int i, const ReferredMotion<S>& x, const Turn<S>& turn,
                   Array<LinkMotion<S>>& motions) {
    const auto& link = robot.link(i);
    const S &qd = x.qd[index(link.q)], &qd_r = x.reference[index(link.q)], &qdd = x.qdd[index(link.q)];
    LinkMotion<S>& own = motions[index(i)];
    own = {};
    if (link.parent == base_link) {
      own.a_origin = base_acceleration(robot, i, turn);
    } else {
      const LinkMotion<S>& up = motions[index(link.parent)];
      own.omega = to_child(link.tilt, turn, up.omega);
      own.omega_r = to_child(link.tilt, turn, up.omega_r);
      own.omega_dot = to_child(link.tilt, turn, up.omega_dot);
      own.a_origin = to_child(link.tilt, turn, up.a_origin + up.Omega * joint_offset(link, x.q[index(link.q)]));
    }
    const Vec3<S> mixed{own.omega.y * qd_r + own.omega_r.y * qd, -(own.omega.x * qd_r + own.omega_r.x * qd), S{}};
    if (link.revolute) {
      own.omega_dot += ConstantOf<S>(0.5) * mixed;
      own.omega_dot.z += qdd, own.omega.z += qd, own.omega_r.z += qd_r;
    } else {
      own.a_origin += Vec3<S>{mixed.x, mixed.y, qdd};
    }
    own.Omega = tensor(own.omega, own.omega_r, own.omega_dot);
  }
};

struct TensorTwo : TwoVelocities {
  static constexpr FormulationInfo info{"tensor", "inverse_two", "derived by us, after Balafoutis 1989, Algorithm 5.5",
                                        "docs/equations/two_velocities.md", "none published"};

  template <class S>
  struct Workspace {
    Array<LinkMotion<S>> motions;  // (1)-(4)
    Array<Vec3<S>> force, moment;  // (5), (6) of this link and all beyond it, about its origin
    JointTurns<S> turns;

    explicit Workspace(const TreeFor<S>& robot)
        : motions(index(robot.joints())), force(motions.size()), moment(motions.size()), turns(robot.joints()) {}
  };

  template <class S>
  static void run(const TreeFor<S>& robot, const ReferredMotion<S>& x, Workspace<S>& ws, std::span<S> tau) {
    joint_turns<S>(robot, x.q, ws.turns);
    for (int i = 0; i < robot.joints(); ++i) {  // outward: motion, then force and moment
      const auto& link = robot.link(i);
      move<S>(robot, i, x, ws.turns[i], ws.motions);
      const auto& own = ws.motions[index(i)];
      ws.force[index(i)] = link.mass * (own.a_origin + own.Omega * link.com);                                // (5)
      ws.moment[index(i)] = euler_moment(own.Omega, link.pseudo_com) + cross(link.com, ws.force[index(i)]);  // (6)
    }
    for (int i = robot.joints() - 1; i >= 0; --i) {  // inward: project, pass to the parent
      const auto& link = robot.link(i);
      const Vec3<S>&f = ws.force[index(i)], &n = ws.moment[index(i)];
      tau[index(link.q)] = link.revolute ? n.z : f.z;  // (7)
      if (link.parent == base_link) continue;
      const Vec3<S> f_in_parent = to_parent(link.tilt, ws.turns[i], f);
      ws.force[index(link.parent)] += f_in_parent;
      ws.moment[index(link.parent)] +=
          to_parent(link.tilt, ws.turns[i], n) + cross(joint_offset(link, x.q[index(link.q)]), f_in_parent);
    }
  }
};

// By the matrices themselves.
struct MatricesTwo {
  static constexpr FormulationInfo info{"matrices", "inverse_two", "textbook mechanics",
                                        "docs/equations/two_velocities.md", "none published"};
  static constexpr bool reference_only = true;

  template <class S>
  struct Workspace {
    GeneralizedLinks::Workspace<S> inertia;
    ProgressiveCoriolis::Workspace<S> coriolis;
    ProgressiveGravity::Workspace<S> gravity;
    Array<S> M, C, g;

    explicit Workspace(const TreeFor<S>& robot)
        : inertia(robot),
          coriolis(robot),
          gravity(robot),
          M(index(robot.joints()) * index(robot.joints())),
          C(M.size()),
          g(index(robot.joints())) {}

    void fill(const TreeFor<S>& robot, std::span<const S> q, std::span<const S> qd) {
      GeneralizedLinks::run<S>(robot, q, inertia, {M, robot.joints()});
      ProgressiveCoriolis::run<S>(robot, q, qd, coriolis, {C, robot.joints()});
      ProgressiveGravity::run<S>(robot, q, gravity, g);
    }
  };

  template <class S>
  static void run(const TreeFor<S>& robot, const ReferredMotion<S>& x, Workspace<S>& ws, std::span<S> tau) {
    ws.fill(robot, x.q, x.qd);
    const std::size_t n = tau.size();
    for (std::size_t i = 0; i < n; ++i) {
      tau[i] = ws.g[i];
      for (std::size_t j = 0; j < n; ++j) tau[i] += ws.M[i * n + j] * x.qdd[j] + ws.C[i * n + j] * x.reference[j];
    }
  }
};

}  // namespace catena
