// Inverse dynamics with Cartesian tensors and augmented links (Algorithm 5.5 of Balafoutis).
// Equations (1)-(11): docs/equations/tensor_augmented.md. Quantities of link i are in frame i, about its origin.
#pragma once

#include "catena/formulation/formulation.hpp"
#include "catena/formulation/shape.hpp"
#include "formulations/shared/carrier.hpp"
#include "formulations/shared/counted_as.hpp"

namespace catena {

struct TensorAugmented {
  static constexpr FormulationInfo info{
      "tensor-augmented", "inverse", "Balafoutis 1989, Algorithm 5.5", "docs/equations/tensor_augmented.md",
      "93n - 69 M, 81n - 66 A; with savings at link 2 and in η₁: 93n - 108 M, 81n - 100 A"};
  static constexpr bool all_in_line = true;  // GCC would not inline a few steps, and lose a seventh: run/runner_of.hpp

  // Motion of a link.
  template <class S>
  struct LinkMotion {
    Vec3<S> omega;      // (2) angular velocity
    Vec3<S> omega_dot;  // (3) angular acceleration
    Mat3<S> Omega;      // (4) angular acceleration tensor
    Vec3<S> a_origin;   // (5) acceleration of the origin, gravity included
  };
  // Motion of a link on the base: ω and ω̇ lie along its axis, Ω = [-ω², -ω̇, 0; ω̇, -ω², 0; 0, 0, 0].
  template <class S>
  struct AxialMotion {
    S omega_z{}, omega_dot_z{};  // (2), (3)
    S square{};                  // (4) ω²
    Vec3<S> a_origin;            // (5)
  };
  // The load that a link passes to its parent.
  template <class S>
  struct LinkLoad {
    Vec3<S> U_ddot;  // (6), (8) inertia force of this link and all beyond it, less m̄ a_origin
    Vec3<S> eta;     // (7), (8) moment about the origin
  };
  // Used only for robots with prismatic joints.
  template <class S>
  struct Sliding {
    Vec3<S> zeta;  // (5) acceleration along and across this prismatic joint
    S a_z;         // (9) a_origin along this prismatic joint
    Vec3<S> u;     // (1) first moment and pseudo-inertia of this augmented link, if a child slides
    Sym3<S> K;
  };

  template <class S>
  struct Workspace {
    Array<LinkLoad<S>> loads;  // of links not on the base
    Array<Sliding<S>> slidings;
    JointTurns<S> turns;
    Carrier<ConstantOf<S>> carrier;
    Vec3<S> base_acceleration{};  // (10) if six joints carry it
    // For trees only.
    Array<LinkMotion<S>> motions;
    Array<AxialMotion<S>> first_motions;  // of links on the base

    explicit Workspace(const TreeFor<S>& robot)
        : loads(index(robot.joints())),
          slidings(index(robot.has_prismatic ? robot.joints() : 0)),
          turns(robot.joints()),
          carrier(robot),
          motions(kept_by_link(robot)),
          first_motions(motions.size()) {}
  };

  template <class S>
  static void run(const TreeFor<S>& robot, const Motion<S>& x, Workspace<S>& ws, std::span<S> tau) {
    if (robot.joints() == 0) return;  // nothing moves
    joint_turns<S>(robot, x.q, ws.turns);
    if (robot.has_prismatic) augment_on_line(robot, x.q, ws);
    in_shape(robot, [&]<class Shape>(Shape) { sweep<Shape, false>(robot, x, ws, tau); });
  }

  // The same if six joints at zero carry a moving base (Tree::carried): one step for all of them.
  struct OnCarriedBase;

 protected:  // its linearization uses the same steps
  template <class Shape, bool carried, class S>
  static void sweep(const TreeFor<S>& robot, const Motion<S>& x, Workspace<S>& ws, std::span<S> tau) {
    Handed<Shape, AxialMotion<S>> first_motions(ws.first_motions);
    Handed<Shape, LinkMotion<S>> motions(ws.motions);
    constexpr int last_base = base_joints - 1;
    if constexpr (carried) motions.leave(last_base, told<Shape, S>(robot, x, ws));  // the base link's motion is given
    for (int i = carried ? base_joints : 0; i < robot.joints(); ++i) {  // outward: motion, then force and moment
      const auto& link = robot.link(i);
      const int up = Shape::parent(robot, i);
      const S &qd = x.qd[index(link.q)], &qdd = x.qdd[index(link.q)];
      if (up == base_link) {
        const auto own = start<Shape>(link, qd, qdd, counted_as("5.3.45e", base_acceleration(robot, i, ws.turns[i])));
        tau[index(link.q)] = Shape::revolute(link) ? needed<Shape>(i, link, own, ws)        // (7), (9)
                                                   : link.augmented_mass * own.a_origin.z;  // (9)
        first_motions.leave(i, own);
        continue;
      }
      const Step to{Shape::tilt(link), ws.turns[i], Shape::offset(link, x.q)};
      LinkMotion<S> own = !carried && on_base<Shape>(robot, up) ? carry(first_motions[up], to) : carry(motions[up], to);
      if (Shape::revolute(link)) {
        turn(own, qd, qdd, !std::floating_point<S> && link.early_omega);
      } else {
        slide(own, qd, qdd, ws.slidings[index(i)]);
      }
      ws.loads[index(i)] = needed<Shape>(i, link, own, ws);  // (6), (7)
      motions.leave(i, own);
    }
    Handed<Shape, LinkLoad<S>> loads(ws.loads);
    loads.leave(robot.joints() - 1, ws.loads.back());
    for (int i = robot.joints() - 1; i >= (carried ? base_joints : 0); --i) {  // inward: project, pass to the parent
      const auto& link = robot.link(i);
      const int up = Shape::parent(robot, i);
      if (up == base_link) continue;  // its torque is complete
      LinkLoad<S> load = loads[i];    // including everything beyond
      tau[index(link.q)] = Shape::revolute(link) ? load.eta.z : slid(link, ws.slidings[index(i)], load);  // (9)
      const Step to{Shape::tilt(link), ws.turns[i], Shape::offset(link, x.q)};
      if (!carried && on_base<Shape>(robot, up)) {
        const auto& first = robot.link(up);
        hand_to_first(Shape::revolute(first), load, to, tau[index(first.q)]);  // (8), (9)
      } else {
        loads.leave(up, with_child(ws.loads[index(up)], load, to));  // (8)
      }
    }
    if constexpr (carried) bear<S>(robot, loads[last_base], ws, tau);
  }

  // The motion of a base link that six joints at zero carry, in its frame, and the wrench that needs: (10), (6), (7).
  template <class Shape, class S>
  static LinkMotion<S> told(const TreeFor<S>& robot, const Motion<S>& x, Workspace<S>& ws) {
    const auto& q_ddot = x.qdd;
    const S &wx = x.qd[3], &wy = x.qd[4], &wz = x.qd[5];
    const auto& R = ws.carrier.link_from_axes;
    LinkMotion<S> own;
    own.omega = R * Vec3<S>{wx, wy, wz};
    own.omega_dot = R * Vec3<S>{q_ddot[3] + wy * wz, q_ddot[4] - wx * wz, q_ddot[5] + wx * wy};
    own.Omega = angular_acceleration_tensor(own.omega, own.omega_dot);
    own.a_origin = R * Vec3<S>{q_ddot[0], q_ddot[1], q_ddot[2]} - ws.carrier.link_from_base * robot.gravity;
    ws.base_acceleration = own.a_origin;
    ws.loads[base_joints - 1] = needed<Shape>(base_joints - 1, robot.link(base_joints - 1), own, ws);
    return own;
  }
  // The torques at these joints for it and for everything it carries: (11).
  template <class S>
  static void bear(const TreeFor<S>& robot, const LinkLoad<S>& load, const Workspace<S>& ws, std::span<S> tau) {
    const auto to_axes = ws.carrier.link_from_axes.transpose();
    const auto mass = robot.link(base_joints - 1).augmented_mass;
    const Vec3<S> force = to_axes * (load.U_ddot + mass * ws.base_acceleration), moment = to_axes * load.eta;
    tau[0] = force.x, tau[1] = force.y, tau[2] = force.z;
    tau[3] = moment.x, tau[4] = moment.y, tau[5] = moment.z;
  }

  // The transform between a parent and its child.
  template <class Tilt, class S, class Offset>
  struct Step {
    const Tilt& tilt;  // of the link, or a temporary that lives as long as the step
    const Turn<S>& turn;
    Offset s;
  };
  template <class Tilt, class S, class Offset>
  Step(const Tilt&, const Turn<S>&, Offset) -> Step<Tilt, S, Offset>;

  // (2)-(5) for a link on the base.  1M
  template <class Shape, class T, class S>
  static AxialMotion<S> start(const LinkConstants<T>& link, const S& qd, const S& qdd, const Vec3<S>& a_base) {
    if (Shape::revolute(link)) return {qd, qdd, counted_as("5.3.45c", qd * qd), a_base};
    return {S{}, S{}, S{}, {a_base.x, a_base.y, a_base.z + qdd}};
  }

  // (2), (3), (5) for a child, before its own joint moves.  33M 24A
  template <class S, class Step>
  static LinkMotion<S> carry(const LinkMotion<S>& parent, const Step& to) {
    return {counted_as("5.3.45a", to_child(to.tilt, to.turn, parent.omega)),
            counted_as("5.3.45b", to_child(to.tilt, to.turn, parent.omega_dot)),
            {},
            counted_as("5.3.45e", to_child(to.tilt, to.turn, parent.a_origin + parent.Omega * to.s))};
  }
  template <class S, class Step>
  static LinkMotion<S> carry(const AxialMotion<S>& parent, const Step& to) {  // 20M 8A
    const auto& [omega_z, omega_dot_z, square, a] = parent;
    return {counted_as("5.3.45a", z_to_child(to.tilt, to.turn, omega_z)),
            counted_as("5.3.45b", z_to_child(to.tilt, to.turn, omega_dot_z)),
            {},
            counted_as("5.3.45e", to_child(to.tilt, to.turn,
                                           Vec3<S>{a.x - (square * to.s.x + omega_dot_z * to.s.y),
                                                   a.y + (omega_dot_z * to.s.x - square * to.s.y), a.z}))};
  }

  // (2)-(4): the joint turns the link.
  template <class S>
  static void turn(LinkMotion<S>& own, const S& qd, const S& qdd, bool early_omega) {
    if (early_omega) own.Omega = angular_acceleration_tensor(own.omega, own.omega_dot, qd, qdd);
    own.omega_dot = counted_as("5.3.45b", own.omega_dot + Vec3<S>{own.omega.y * qd, -(own.omega.x * qd), qdd});
    own.omega.z = counted_as("5.3.45a", own.omega.z + qd);
    if (!early_omega) own.Omega = counted_as("5.3.45c", angular_acceleration_tensor(own.omega, own.omega_dot));
  }
  // (4), (5): the joint slides it.
  template <class S>
  static void slide(LinkMotion<S>& own, const S& qd, const S& qdd, Sliding<S>& sliding) {
    const S twice = qd + qd;
    sliding.zeta = counted_as("5.3.45d", Vec3<S>{own.omega.y * twice, -(own.omega.x * twice), qdd});
    own.a_origin = counted_as("5.3.45e", own.a_origin + sliding.zeta);
    sliding.a_z = own.a_origin.z;
    own.Omega = counted_as("5.3.45c", angular_acceleration_tensor(own.omega, own.omega_dot));
  }
  // (9) for such a joint; (8) passes on the load with ζ.
  template <class T, class S>
  static S slid(const LinkConstants<T>& link, const Sliding<S>& sliding, LinkLoad<S>& load) {
    const S force = link.augmented_mass * sliding.a_z + load.U_ddot.z;
    load.U_ddot += link.augmented_mass * sliding.zeta;
    return force;
  }

  // (6), (7) with u and K̂, which are constants or, if a child slides, variables.
  template <class Shape, class T, class Own, class S>
  static auto needed(int i, const LinkConstants<T>& link, const Own& own, const Workspace<S>& ws) {
    if (Shape::variable(link)) return needed(own, ws.slidings[index(i)].u, ws.slidings[index(i)].K);
    return needed(own, Shape::moment(link), Shape::pseudo(link));
  }
  // (6), (7): U̇̇ = Ω u and η = dual(Ω K̂ - (Ω K̂)ᵀ) + u x a_origin.
  template <class S, class Moment, class Pseudo>
  static LinkLoad<S> needed(const LinkMotion<S>& own, const Moment& u, const Pseudo& K) {
    return {counted_as("5.3.46a", own.Omega * u),
            counted_as("5.3.46b", add_cross(counted_as("5.3.45f", euler_moment(own.Omega, K)), u, own.a_origin))};
  }
  // For a revolute link on the base, only η_z.  3M 3A
  template <class S, class Moment, class Pseudo>
  static S needed(const AxialMotion<S>& own, const Moment& u, const Pseudo& K) {
    const S mu = counted_as("5.3.45f", (K.xx + K.yy) * own.omega_dot_z);
    return counted_as("5.3.46b", (mu + u.x * own.a_origin.y) - u.y * own.a_origin.x);
  }

  // (8)
  template <class S, class Step>
  static LinkLoad<S> with_child(const LinkLoad<S>& parent, const LinkLoad<S>& child, const Step& to) {
    const Vec3<S> U_in_parent = to_parent(to.tilt, to.turn, child.U_ddot);
    return {counted_as("5.3.46a", parent.U_ddot + U_in_parent),
            counted_as("5.3.46b", add_cross(parent.eta, to.s, U_in_parent) + to_parent(to.tilt, to.turn, child.eta))};
  }
  // (8), (9) for a parent on the base: only the component along its joint.
  template <class S, class Step>
  static void hand_to_first(bool revolute, const LinkLoad<S>& child, const Step& to, S& torque) {
    if (!revolute) {
      torque += to_parent_z(to.tilt, to.turn, child.U_ddot);
      return;
    }
    const FlatVec3<S> U = counted_as("5.3.46a", to_parent_xy(to.tilt, to.turn, child.U_ddot));
    torque = counted_as("5.3.46b", ((torque + to.s.x * U.y) - to.s.y * U.x) + to_parent_z(to.tilt, to.turn, child.eta));
  }

  // (1) on line, only for the parents of prismatic joints: the sliding masses at their present positions.
  template <class S>
  static void augment_on_line(const TreeFor<S>& robot, std::span<const S> q, Workspace<S>& ws) {
    for (int i = robot.carried ? base_joints - 1 : 0; i < robot.joints(); ++i) {
      const auto& link = robot.link(i);
      if (link.prismatic_child) {
        ws.slidings[index(i)].u = static_cast<Vec3<S>>(link.augmented_moment);
        ws.slidings[index(i)].K = static_cast<Sym3<S>>(link.augmented_pseudo);
      }
      if (link.revolute || link.parent == base_link) continue;
      const Vec3<S> s = joint_offset(link, q[index(link.q)]);
      ws.slidings[index(link.parent)].u += link.augmented_mass * s;
      ws.slidings[index(link.parent)].K += link.augmented_mass * outer(s);
    }
  }
};

struct TensorAugmented::OnCarriedBase : TensorAugmented {
  template <class S>
  static void run(const TreeFor<S>& robot, const Motion<S>& x, Workspace<S>& ws, std::span<S> tau) {
    joint_turns<S>(robot, x.q, ws.turns);
    if (ws.carrier.others_slide) augment_on_line(robot, x.q, ws);
    in_shape(robot, [&]<class Shape>(Shape) { sweep<Shape, true>(robot, x, ws, tau); });
  }
};

}  // namespace catena
