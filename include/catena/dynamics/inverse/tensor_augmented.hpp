// Inverse dynamics with Cartesian tensors and augmented links (Algorithm 5.5 of Balafoutis).
// Equations (1)-(9): docs/equations/tensor_augmented.md. Quantities of link i are in frame i, about its origin.
#pragma once

#include <vector>

#include "catena/dynamics/formulation.hpp"
#include "catena/dynamics/shape.hpp"

namespace catena {

struct TensorAugmented {
  static constexpr FormulationInfo info{"tensor-augmented", "inverse", "Balafoutis 1989, Algorithm 5.5",
                                        "docs/equations/tensor_augmented.md",
                                        "93n - 69 M, 81n - 66 A; first and last link peeled: 93n - 108 M, 81n - 100 A"};

  // Motion of a link.
  template <class S>
  struct LinkMotion {
    Vec3<S> omega;      // (2) angular velocity
    Vec3<S> omega_dot;  // (3) angular acceleration
    Mat3<S> Omega;      // (4) angular acceleration tensor
    Vec3<S> a_origin;   // (5) acceleration of the origin, gravity included
  };
  // What a link needs of its parent.
  template <class S>
  struct LinkLoad {
    Vec3<S> U_ddot;  // (6), (8) inertia force of what hangs here, less m̄ a_origin
    Vec3<S> eta;     // (7), (8) moment about the origin
  };
  // What only robots with prismatic joints use.
  template <class S>
  struct Sliding {
    Vec3<S> zeta;  // (5) acceleration along and across this prismatic joint
    S a_z;         // (9) a_origin along this prismatic joint
    Vec3<S> u;     // (1) first moment and pseudo-inertia of this augmented link, where a child slides
    Sym3<S> K;
  };

  template <class S>
  struct Workspace {
    std::vector<LinkMotion<S>> motions;
    std::vector<LinkLoad<S>> loads;
    std::vector<Sliding<S>> slidings;
    JointTurns<S> turns;

    explicit Workspace(const MechanismFor<S>& robot)
        : motions(index(robot.n())),
          loads(index(robot.n())),
          slidings(index(robot.has_prismatic ? robot.n() : 0)),
          turns(robot.n()) {}
  };

  template <class S>
  static void run(const MechanismFor<S>& robot, const Motion<S>& x, Workspace<S>& ws, std::span<S> tau) {
    if (robot.n() == 0) return;  // nothing moves
    joint_turns<S>(robot, x.q, ws.turns);
    if (robot.has_prismatic) augment_on_line(robot, x.q, ws);
    if (robot.flat) {
      sweep<FlatChain>(robot, x, ws, tau);
    } else {
      sweep<AnyTree>(robot, x, ws, tau);
    }
  }

 private:
  template <class Shape, class S>
  static void sweep(const MechanismFor<S>& robot, const Motion<S>& x, Workspace<S>& ws, std::span<S> tau) {
    LinkMotion<S> latest;                  // of the link before: in a chain the parent
    for (int i = 0; i < robot.n(); ++i) {  // outward: motion, then what it needs of force and moment
      const auto& link = robot.link(i);
      const auto tilt = Shape::tilt(link);
      const auto& turn = ws.turns[i];
      const int up = Shape::parent(robot, i);
      const S &qd = x.qd[index(link.q)], &qdd = x.qdd[index(link.q)];
      LinkMotion<S> own;
      Vec3<S> zeta;
      if (up == base) {
        own = start(Shape::revolute(link), qd, qdd, zeta);
        own.a_origin = base_acceleration(robot, i, turn);
      } else {
        const LinkMotion<S>& parent = Shape::chain ? latest : ws.motions[index(up)];
        if (Shape::parent(robot, up) == base) {
          carry_first(tilt, turn, parent, Shape::offset(link, x.q), own);
        } else {
          own.omega = to_child(tilt, turn, parent.omega);
          own.omega_dot = to_child(tilt, turn, parent.omega_dot);
          own.a_origin = to_child(tilt, turn, parent.a_origin + parent.Omega * Shape::offset(link, x.q));
        }
        const bool early = Shape::revolute(link) && Shape::omega_before_joint(link);
        if (early) own.Omega = angular_acceleration_tensor(own.omega, own.omega_dot, qd, qdd);  // (4) after (2), (3)
        if (Shape::revolute(link)) {
          own.omega_dot += Vec3<S>{own.omega.y * qd, -(own.omega.x * qd), qdd};  // (3)
          own.omega.z += qd;                                                     // (2)
        } else {
          const S twice = qd + qd;
          zeta = {own.omega.y * twice, -(own.omega.x * twice), qdd};  // (5)
        }
        if (!early) own.Omega = angular_acceleration_tensor(own.omega, own.omega_dot);  // (4)
      }
      if (!Shape::revolute(link)) {
        own.a_origin += zeta;
        ws.slidings[index(i)].zeta = zeta;
        ws.slidings[index(i)].a_z = own.a_origin.z;
      }
      LinkLoad<S>& load = ws.loads[index(i)];
      if (Shape::variable(link)) {
        load = needed(up == base, own, ws.slidings[index(i)].u, ws.slidings[index(i)].K);
      } else {
        load = needed(up == base, own, Shape::moment(link), Shape::pseudo(link));
      }
      if (Shape::chain) {
        latest = own;
      } else {
        ws.motions[index(i)] = own;
      }
    }
    LinkLoad<S> load = ws.loads.back();         // of link i, its children's share included
    for (int i = robot.n() - 1; i >= 0; --i) {  // inward: project, hand force and moment to the parent
      const auto& link = robot.link(i);
      const auto tilt = Shape::tilt(link);
      if (!Shape::chain) load = ws.loads[index(i)];
      tau[index(link.q)] =
          Shape::revolute(link) ? load.eta.z : link.augmented_mass * ws.slidings[index(i)].a_z + load.U_ddot.z;  // (9)
      const int up = Shape::parent(robot, i);
      if (up == base) continue;
      if (!Shape::revolute(link)) load.U_ddot += link.augmented_mass * ws.slidings[index(i)].zeta;
      LinkLoad<S>& parent = ws.loads[index(up)];
      if (Shape::parent(robot, up) == base) {
        hand_to_first(Shape::revolute(robot.link(up)), tilt, ws.turns[i], load, Shape::offset(link, x.q),
                      parent);
        load = parent;
        continue;
      }
      const Vec3<S> U_in_parent = to_parent(tilt, ws.turns[i], load.U_ddot);  // (8)
      load.eta = add_cross(parent.eta, Shape::offset(link, x.q), U_in_parent) + to_parent(tilt, ws.turns[i], load.eta);
      load.U_ddot = parent.U_ddot + U_in_parent;
      if (!Shape::chain) parent = load;
    }
  }

  // (2)-(5) for a link on the base, where all but the joint's own motion is zero.  1M
  template <class S>
  static LinkMotion<S> start(bool revolute, const S& qd, const S& qdd, Vec3<S>& zeta) {
    LinkMotion<S> own{};
    if (revolute) {
      const S square = qd * qd, zero{};
      own.omega.z = qd;
      own.omega_dot.z = qdd;
      own.Omega = {-square, -qdd, zero, qdd, -square, zero, zero, zero, zero};
    } else {
      zeta.z = qdd;
    }
    return own;
  }

  // (2), (3), (5) for a child of such a link, before the child's own joint moves: ω and ω̇ of the parent lie along z.
  template <class K, class S, class Offset>
  static void carry_first(const K& tilt, const Turn<S>& turn, const LinkMotion<S>& parent, const Offset& s,
                          LinkMotion<S>& own) {
    const Mat3<S>& Omega = parent.Omega;
    own.omega = z_to_child(tilt, turn, parent.omega.z);
    own.omega_dot = z_to_child(tilt, turn, parent.omega_dot.z);
    own.a_origin = to_child(tilt, turn,
                            Vec3<S>{parent.a_origin.x + (Omega.xx * s.x + Omega.xy * s.y),
                                    parent.a_origin.y + (Omega.yx * s.x + Omega.yy * s.y), parent.a_origin.z});
  }
  // (8) on the way back: (9) reads one component of a link on the base.
  template <class K, class S, class Offset>
  static void hand_to_first(bool revolute, const K& tilt, const Turn<S>& turn, const LinkLoad<S>& load,
                            const Offset& s, LinkLoad<S>& parent) {
    if (revolute) {
      const FlatVec3<S> U = to_parent_xy(tilt, turn, load.U_ddot);
      parent.eta.z = ((parent.eta.z + s.x * U.y) - s.y * U.x) + to_parent_z(tilt, turn, load.eta);
    } else {
      parent.U_ddot.z += to_parent_z(tilt, turn, load.U_ddot);
    }
  }

  // (6), (7): U̇̇ = Ω u and η = dual(Ω K̂ - (Ω K̂)ᵀ) + u x a_origin, u and K̂ constants or, above a sliding child,
  // variables. Of a link on the base no more is asked than η_z (revolute; U̇̇_z = 0 where it slides).
  template <class S, class Moment, class Pseudo>
  static LinkLoad<S> needed(bool on_base, const LinkMotion<S>& own, const Moment& u, const Pseudo& K) {
    if (!on_base) return {own.Omega * u, add_cross(euler_moment(own.Omega, K), u, own.a_origin)};
    LinkLoad<S> load{};
    load.eta.z = ((K.xx + K.yy) * own.omega_dot.z + u.x * own.a_origin.y) - u.y * own.a_origin.x;
    return load;
  }

  // (1) on line, only for the parents of prismatic joints: the sliding masses where they are now.
  template <class S>
  static void augment_on_line(const MechanismFor<S>& robot, std::span<const S> q, Workspace<S>& ws) {
    for (int i = 0; i < robot.n(); ++i) {
      const auto& link = robot.link(i);
      if (link.prismatic_child) {
        ws.slidings[index(i)].u = static_cast<Vec3<S>>(link.augmented_moment);
        ws.slidings[index(i)].K = static_cast<Sym3<S>>(link.augmented_pseudo);
      }
      if (link.revolute || link.parent == base) continue;
      const Vec3<S> s = joint_offset(link, q[index(link.q)]);
      ws.slidings[index(link.parent)].u += link.augmented_mass * s;
      ws.slidings[index(link.parent)].K += link.augmented_mass * outer(s);
    }
  }
};

}  // namespace catena
