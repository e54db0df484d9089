// Inverse dynamics by the decoupled natural orthogonal complement (Saha's RIDIM, section 5.1): twists and their rates
// at the mass centres outward, wrenches inward. Equations (1)-(8): docs/equations/denoc_inverse.md. Link i's quantities
// are in frame i. Saha's classic-DH vectors are here: d_i = com_i, from the joint to the mass centre, and r, from the
// parent's mass centre to the joint.
#pragma once

#include "catena/formulation/kernels.hpp"

namespace catena {

struct DenocInverse {
  static constexpr FormulationInfo info{"denoc", "inverse", "Saha 1999, RIDIM (section 5.1, eq. 32)",
                                        "docs/equations/denoc_inverse.md", "120n - 44 M, 97n - 55 A"};

  template <class S>
  struct Workspace {
    struct Link {
      Vec3<S> c;        // (1) from the parent's mass centre to this one: defines B
      Twist<S> nu;      // (3) twist of the link at its mass centre
      Twist<S> xi;      // (4) its rate, gravity included
      Wrench<S> gamma;  // (6), (7) on the link from its parent, about the mass centre
    };
    Array<Link> links;
    JointTurns<S> turns;

    explicit Workspace(const TreeFor<S>& robot) : links(index(robot.joints())), turns(robot.joints()) {}
  };

  template <class S>
  static void run(const TreeFor<S>& robot, const Motion<S>& x, Workspace<S>& ws, std::span<S> tau) {
    joint_turns<S>(robot, x.q, ws.turns);
    for (int i = 0; i < robot.joints(); ++i) {  // outward: ν, ξ, then γ of the link alone
      const auto& link = robot.link(i);
      const S &qd = x.qd[index(link.q)], &qdd = x.qdd[index(link.q)];
      auto& own = ws.links[index(i)];
      if (link.parent == base_link) {
        start(link, base_acceleration(robot, i, ws.turns[i]), qd, qdd, own);
      } else {
        const Vec3<S> r = com_to_joint(robot, link, x.q);
        carry(link, ws.turns[i], r, qd, qdd, ws.links[index(link.parent)], own);
      }
      const auto& [omega, v] = own.nu;
      own.gamma.force = link.mass * own.xi.v;                                                          // (6)
      own.gamma.moment = add_cross(link.inertia_com * own.xi.omega, omega, link.inertia_com * omega);  // (6)
    }
    for (int i = robot.joints() - 1; i >= 0; --i) {  // inward: γ including everything beyond the link
      const auto& link = robot.link(i);
      const auto& [c, nu, xi, gamma] = ws.links[index(i)];
      tau[index(link.q)] = felt_from_com(link, gamma);  // (8)
      if (link.parent == base_link) continue;
      auto& parent = ws.links[index(link.parent)].gamma;  // (7): Bᵀγ, then the parent's axes
      parent.force += to_parent(link.tilt, ws.turns[i], gamma.force);
      parent.moment += to_parent(link.tilt, ws.turns[i], add_cross(gamma.moment, c, gamma.force));
    }
  }

 private:
  // (2): the linear half of p q̇ for a revolute joint, z x d q̇.
  template <class S, class T>
  static FlatVec3<S> swing(const LinkConstants<T>& link, const S& rate) {
    return {-(link.com.y * rate), link.com.x * rate};
  }

  // (5): ν = p q̇, ξ = p q̈ + Ω p q̇ + ρ of a link on the base.
  template <class S, class T, class Link>
  static void start(const LinkConstants<T>& link, const Vec3<S>& minus_g, const S& qd, const S& qdd, Link& own) {
    own.nu = own.xi = {};
    own.xi.v = minus_g;
    if (link.revolute) {
      const FlatVec3<S> pv = swing(link, qd), pa = swing(link, qdd);
      own.nu = {{S{}, S{}, qd}, {pv.x, pv.y, S{}}};
      own.xi.omega.z = qdd;
      own.xi.v.x += pa.x - qd * pv.y;
      own.xi.v.y += pa.y + qd * pv.x;
    } else {
      own.nu.v.z = qd;
      own.xi.v.z += qdd;
    }
  }

  // (1)-(4) of a link on another: B ν, then p q̇; B ξ + Ḃ ν, then p q̈ + Ω p q̇.
  template <class S, class T, class Link>
  static void carry(const LinkConstants<T>& link, const Turn<S>& turn, const Vec3<S>& r, const S& qd, const S& qdd,
                    const Link& parent, Link& own) {
    const auto in_child = [&](const Vec3<S>& v) { return to_child(link.tilt, turn, v); };
    own.c = in_child(r) + link.com;  // (1)
    const Twist<S> nu{in_child(parent.nu.omega), in_child(parent.nu.v)};
    const Twist<S> xi{in_child(parent.xi.omega), in_child(parent.xi.v)};
    own.nu = {nu.omega, add_cross(nu.v, nu.omega, own.c)};  // (3): B ν
    own.xi = {xi.omega, add_cross(xi.v, xi.omega, own.c)};  // (4): B ξ
    if (link.revolute) {
      const FlatVec3<S> pv = swing(link, qd), pa = swing(link, qdd);  // (2)
      own.nu.omega.z += qd;                                           // (3)
      own.nu.v.x += pv.x;
      own.nu.v.y += pv.y;
      const auto& omega = own.nu.omega;
      own.xi.omega += Vec3<S>{omega.y * qd, -(omega.x * qd), qdd};  // (4): p q̈ + Ω p q̇
      own.xi.v += Vec3<S>{pa.x - omega.z * pv.y, pa.y + omega.z * pv.x, omega.x * pv.y - omega.y * pv.x};
    } else {
      own.nu.v.z += qd;                                               // (3)
      own.xi.v += Vec3<S>{nu.omega.y * qd, -(nu.omega.x * qd), qdd};  // (4)
    }
    own.xi.v = add_cross(own.xi.v, nu.omega, own.nu.v - nu.v);  // (4): Ḃ ν, with ċ = v_i - v_p
  }
};

}  // namespace catena
