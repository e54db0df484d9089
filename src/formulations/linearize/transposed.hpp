// The transposed products Dᵀλ, Vᵀλ, Pᵀλ of the linearized model in two sweeps without the matrices: the gradient of λᵀτ
// with respect to accelerations, speeds and positions. Screws of all links are about one point, the origin of the base
// frame, along the base's axes. Equations (1)-(11): docs/equations/transposed_perturbation.md.
#pragma once

#include "catena/formulation/kernels.hpp"
#include "catena/wrenches.hpp"

namespace catena {

struct TransposedProducts {
  template <class S>
  struct Link {
    Mat3<S> R;                  // R_base_from_link
    Vec3<S> origin;             // from the base origin to o_i
    Twist<S> axis;              // (1) e, the joint's screw
    Twist<S> u, v, a;           // (2) virtual velocity, velocity, acceleration
    Wrench<S> force, momentum;  // (4), (5) F, Y: of this link, then with all links beyond it
    Wrench<S> turning;          // (6) Z
    Vec3<S> kept;               // (10) E
  };
  template <class S>
  struct Workspace {
    Array<Link<S>> links;
    JointTurns<S> turns;

    explicit Workspace(const TreeFor<S>& robot) : links(index(robot.joints())), turns(robot.joints()) {}
  };
  // Where the three products go.
  template <class S>
  struct Gradient {
    std::span<S> q, qd, qdd;
  };

  template <class S>
  static void run(const TreeFor<S>& robot, const Motion<S>& x, std::span<const S> lambda,
                  std::span<const ExternalWrench<S>> wrenches, Workspace<S>& ws, const Gradient<S>& out) {
    joint_turns<S>(robot, x.q, ws.turns);
    Link<S> ground{};
    ground.R = static_cast<Mat3<S>>(Mat3<ConstantOf<S>>::identity());
    ground.a.v = static_cast<Vec3<S>>(-robot.gravity);
    const auto parent_of = [&](int i) -> Link<S>& {
      return robot.link(i).parent == base_link ? ground : ws.links[index(robot.link(i).parent)];
    };
    for (int i = 0; i < robot.joints(); ++i) {  // outward: motions, and each link's own terms
      const auto& link = robot.link(i);
      const std::size_t j = index(link.q);
      Link<S>& own = ws.links[index(i)];
      place(link, ws.turns[i], x.q[j], parent_of(i), own);
      move(parent_of(i), lambda[j], x.qd[j], x.qdd[j], own);
      load(link, own);
    }
    for (const ExternalWrench<S>& wrench : wrenches) push(robot, wrench, ws);
    for (int i = robot.joints() - 1; i >= 0; --i) {  // inward: sums over all beyond a joint, and its entries
      const std::size_t j = index(robot.link(i).q);
      const Link<S>& own = ws.links[index(i)];
      Link<S>& up = parent_of(i);
      const auto& [R, o, e, u, v, a, F, Y, Z, E] = own;
      out.qdd[j] = power(e, Y);                       // (7)
      out.qd[j] = power(e, Z + twice(turned(Y, v)));  // (8)
      const Wrench<S> at_rest = Z + turned(Y, up.v);
      out.q[j] = dot(e.omega, E) + power(e, turned(F, up.u) + turned(Y, up.a) + turned(at_rest, up.v));  // (9)
      up.force += F, up.momentum += Y, up.turning += Z, up.kept += E;                                    // (4)-(6)
    }
  }

 private:
  // (1)
  template <class T, class S>
  static void place(const LinkConstants<T>& link, const Turn<S>& turn, const S& q, const Link<S>& parent,
                    Link<S>& own) {
    own.R = compose(parent.R, link.tilt, turn);
    own.origin = parent.origin + parent.R * joint_offset(link, q);
    const Vec3<S> z = own.R.column_z();
    own.axis = link.revolute ? Twist<S>{z, cross(own.origin, z)} : Twist<S>{Vec3<S>{}, z};
  }
  // (2)
  template <class S>
  static void move(const Link<S>& parent, const S& lambda, const S& qd, const S& qdd, Link<S>& own) {
    const Twist<S> spin = times(qd, own.axis);
    own.u = sum(parent.u, times(lambda, own.axis));
    own.v = sum(parent.v, spin);
    own.a = sum(sum(parent.a, times(qdd, own.axis)), cross_of(own.v, spin));
  }
  // (3)-(6) of the link alone.
  template <class T, class S>
  static void load(const LinkConstants<T>& link, Link<S>& own) {
    const Vec3<S> com = own.origin + own.R * link.com;
    const auto inertia = [&](const Twist<S>& t) {  // (3)
      const Vec3<S> force = link.mass * add_cross(t.v, t.omega, com);
      const Vec3<S> moment = own.R * (link.inertia_com * (own.R.transpose() * t.omega));
      return Wrench<S>{force, add_cross(moment, com, force)};
    };
    const Wrench<S> h = inertia(own.v);
    own.momentum = inertia(own.u);
    own.force = inertia(own.a) + minus(turned(h, own.v));
    own.turning = turned(h, own.u) + minus(turned(own.momentum, own.v)) + inertia(cross_of(own.u, own.v));
    own.kept = {};
  }
  // (10), (11): the external wrench, as it acts on the link.
  template <class S>
  static void push(const TreeFor<S>& robot, const ExternalWrench<S>& wrench, Workspace<S>& ws) {
    require_frame(robot, wrench.frame, "external wrench: ");
    const auto& frame = robot.frames[index(wrench.frame)];
    if (frame.link == base_link) return;
    Link<S>& own = ws.links[index(frame.link)];
    const bool world = wrench.axes == Axes::world;
    const Mat3<S> turn = world ? static_cast<Mat3<S>>(robot.world_from_base.R.transpose()) : own.R * frame.in_link.R;
    const Vec3<S> force = turn * wrench.force, moment = turn * wrench.moment;
    const Vec3<S> point = own.origin + own.R * frame.in_link.p;
    own.force += minus(Wrench<S>{force, add_cross(moment, point, force)});
    if (world) own.kept += cross(moment, own.u.omega) + cross(force, add_cross(own.u.v, own.u.omega, point));
  }

  template <class S>
  static Twist<S> times(const S& k, const Twist<S>& t) {
    return {k * t.omega, k * t.v};
  }
  template <class S>
  static Twist<S> sum(const Twist<S>& a, const Twist<S>& b) {
    return {a.omega + b.omega, a.v + b.v};
  }
  template <class S>
  static Twist<S> cross_of(const Twist<S>& a, const Twist<S>& b) {
    return {cross(a.omega, b.omega), add_cross(cross(a.omega, b.v), a.v, b.omega)};
  }
  // -a x* w: the change of the wrench w as its frame moves by the twist a.
  template <class S>
  static Wrench<S> turned(const Wrench<S>& w, const Twist<S>& a) {
    return {cross(w.force, a.omega), add_cross(cross(w.moment, a.omega), w.force, a.v)};
  }
  template <class S>
  static Wrench<S> minus(const Wrench<S>& w) {
    return {-w.force, -w.moment};
  }
  template <class S>
  static Wrench<S> twice(const Wrench<S>& w) {
    return w + w;
  }
  template <class S>
  static S power(const Twist<S>& t, const Wrench<S>& w) {
    return dot(t.omega, w.moment) + dot(t.v, w.force);
  }
};

}  // namespace catena
