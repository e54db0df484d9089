// Second derivatives of λᵀτ by positions, speeds and accelerations, in two sweeps and one loop over the ancestors of
// every joint: O(n²). λ is read as virtual speeds of the joints. Screws of all links are about one point, the origin of
// the base frame, along the base's axes. Equations (1)-(16): docs/equations/curvature.md.
#pragma once

#include "formulations/linearize/common_frame.hpp"

namespace catena {

// Where the blocks go: entry (j, k) of q_qd is by position j and speed k. The blocks that are missing are zero.
template <class S>
struct SecondDerivatives {
  MatrixView<S> q_q, q_qd, q_qdd, qd_qd;
};
// Four square matrices in sequence, as results are stored.
template <class S>
SecondDerivatives<S> second_derivatives(std::span<S> out, int n) {
  const std::size_t square = index(n) * index(n);
  const auto matrix = [&](std::size_t k) { return MatrixView<S>{out.subspan(k * square, square), n}; };
  return {matrix(0), matrix(1), matrix(2), matrix(3)};
}

struct CompositeCurvature : private CommonFrameLinearized {
  static constexpr FormulationInfo info{"composite", "curvature", "derived by us", "docs/equations/curvature.md",
                                        "none published"};

  // What λ adds to a link and all links beyond it.
  template <class S>
  struct Virtual {
    Screw<S> Y{};  // (5) Σ 𝓘 u: moment, force
    Vec3<S> Z{};   // (6) 2 Σ m ṙ x r'
    Sym3<S> K{};   // (7) Σ m (r' rᵀ + r r'ᵀ)

    Virtual& operator+=(const Virtual& b) {
      Y += b.Y, Z += b.Z, K += b.K;
      return *this;
    }
    // (11)
    Screw<S> inertia_rate_times(const Screw<S>& x) const {
      const Vec3<S>& w = x.angular;
      return {add_cross(K.trace() * w - K * w, Y.linear, x.linear), cross(w, Y.linear)};
    }
  };
  template <class S>
  struct Link {
    Mat3<S> R;                        // R_base_from_link
    Vec3<S> origin;                   // from the base origin to o_i
    Screw<S> e;                       // (1) the joint's screw
    Screw<S> u, v, a;                 // (2) virtual velocity, velocity, acceleration
    Screw<S> e_prime, e_dot, e_ddot;  // (3) what u, v and a of all beyond change by, as the joint turns
    Body<S> body;                     // (4) of this link, then with all links beyond it: 𝓘, 𝓑 and F
    Virtual<S> virtual_body;
  };
  template <class S>
  struct Workspace {
    Array<Link<S>> links;
    JointTurns<S> turns;

    explicit Workspace(const TreeFor<S>& robot) : links(index(robot.joints())), turns(robot.joints()) {}
  };

  template <class S>
  static void run(const TreeFor<S>& robot, const Motion<S>& x, std::span<const S> lambda, Workspace<S>& ws,
                  const SecondDerivatives<S>& out) {
    joint_turns<S>(robot, x.q, ws.turns);
    for (int i = 0; i < robot.joints(); ++i) {  // outward: motions, and each link's own terms
      const int parent = robot.link(i).parent;
      move(robot, x, lambda, i, ws.turns[i], parent == base_link ? ground<S>(robot) : ws.links[index(parent)],
           ws.links[index(i)]);
      load(robot.link(i), ws.links[index(i)]);
    }
    for (const MatrixView<S>* matrix : {&out.q_q, &out.q_qd, &out.q_qdd, &out.qd_qd}) matrix->set_zero();
    for (int i = robot.joints() - 1; i >= 0; --i) {  // inward: sums over all beyond a joint, and its entries
      const Link<S>& own = ws.links[index(i)];
      put_entries(robot, ws, i, out);
      if (const int parent = robot.link(i).parent; parent != base_link) {  // (4)-(7)
        ws.links[index(parent)].body += own.body;
        ws.links[index(parent)].virtual_body += own.virtual_body;
      }
    }
  }

 private:
  template <class S>
  static Link<S> ground(const TreeFor<S>& robot) {
    Link<S> ground{};
    ground.R = static_cast<Mat3<S>>(Mat3<ConstantOf<S>>::identity());
    ground.a.linear = static_cast<Vec3<S>>(-robot.gravity);
    return ground;
  }
  template <class S>
  static void move(const TreeFor<S>& robot, const Motion<S>& x, std::span<const S> lambda, int i, const Turn<S>& turn,
                   const Link<S>& up, Link<S>& own) {
    const auto& link = robot.link(i);
    const std::size_t j = index(link.q);
    own.R = compose(up.R, link.tilt, turn);
    own.origin = up.origin + up.R * joint_offset(link, x.q[j]);
    const Vec3<S> z = own.R.column_z();
    own.e = link.revolute ? Screw<S>{z, cross(own.origin, z)} : Screw<S>{{}, z};  // (1)
    own.e_prime = cross_motion(up.u, own.e);                                      // (3)
    own.e_dot = cross_motion(up.v, own.e);
    own.e_ddot = cross_motion(up.a, own.e) + cross_motion(up.v, own.e_dot);
    own.u = up.u + lambda[j] * own.e;  // (2)
    own.v = up.v + x.qd[j] * own.e;
    own.a = up.a + x.qdd[j] * own.e + x.qd[j] * own.e_dot;
  }
  // (4)-(7) of the link alone.
  template <class T, class S>
  static void load(const LinkConstants<T>& link, Link<S>& own) {
    own.body = moving_body(link.mass, link.pseudo_com, own.R, own.origin + own.R * link.com, own.v, own.a);
    const Mat3<S> G = moments_of_rates(own.u, own.body.E, own.body.c);
    own.virtual_body = {own.body.inertia_times(own.u),
                        own.body.bias_of(own.u),
                        {G.xx + G.xx, G.yy + G.yy, G.zz + G.zz, G.xy + G.yx, G.xz + G.zx, G.yz + G.zy}};
  }

  // Joint k with itself and with every joint l that carries it.
  template <class S>
  static void put_entries(const TreeFor<S>& robot, const Workspace<S>& ws, int i, const SecondDerivatives<S>& out) {
    const Link<S>& own = ws.links[index(i)];
    const Body<S>& body = own.body;
    const auto& [Y, Z, K] = own.virtual_body;
    const Screw<S> turned = cross_force(own.e, Y), twice = body.inertia_times(own.e_dot + own.e_dot);
    const Screw<S> h = body.inertia_times(own.e);                                       // (8)
    const Screw<S> speed = turned + minus(own.virtual_body.inertia_rate_times(own.e));  // (9)
    const Screw<S> x = body.bias_times(own.e.angular) + twice;                          // (10)
    const Screw<S> A = cross_force(own.e, body.F) + body.inertia_times(own.e_ddot) + body.bias_times(own.e_dot.angular);
    Screw<S> B = cross_force(own.e_dot, Y) + minus(own.virtual_body.inertia_rate_times(own.e_dot));  // (13)
    B.angular += cross(own.e.angular, Z) + body.bias_of(own.e_prime);
    const Screw<S> C = turned + body.inertia_times(own.e_prime);  // (14)
    const int k = robot.link(i).q;
    for (int at = i; at != base_link; at = robot.link(at).parent) {
      const Link<S>& up = ws.links[index(at)];
      const int l = robot.link(at).q;
      out.qd_qd.set_symmetric(k, l, power(up.e, speed));                                             // (9)
      out.q_qdd(l, k) = power(up.e_prime, h);                                                        // (8)
      out.q_qd(l, k) = power(up.e_prime, x) + power(up.e_dot, speed);                                // (10)
      out.q_qdd(k, l) = power(up.e, C);                                                              // (16)
      out.q_qd(k, l) = power(up.e, B) + power(up.e_dot + up.e_dot, C);                               // (15)
      out.q_q.set_symmetric(k, l, power(up.e_prime, A) + power(up.e_dot, B) + power(up.e_ddot, C));  // (12)
    }
  }
  template <class S>
  static Screw<S> minus(const Screw<S>& x) {
    return {-x.angular, -x.linear};
  }
  // A twist and a wrench.
  template <class S>
  static S power(const Screw<S>& t, const Screw<S>& w) {
    return dot(t.angular, w.angular) + dot(t.linear, w.linear);
  }
};

}  // namespace catena
