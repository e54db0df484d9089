// Forward dynamics by the decoupled natural orthogonal complement (Saha's RFDSIM): M = U D Uᵀ by Gaussian elimination,
// done on the bodies instead of on the matrix, in O(n). Equations (1)-(12): docs/equations/denoc_forward.md. Quantities
// of link i are in frame i, at its mass centre.
#pragma once

#include <vector>

#include "catena/dynamics/forward/articulated_inertia.hpp"
#include "catena/dynamics/around/drives.hpp"
#include "catena/dynamics/inertia/kernels.hpp"
#include "catena/dynamics/inverse/denoc.hpp"
#include "catena/dynamics/shape.hpp"

namespace catena {

struct DenocForward {
  static constexpr FormulationInfo info{"denoc", "forward", "Saha 1999, RFDSIM (Appendix B, eqs 33-37)",
                                        "docs/equations/denoc_forward.md",
                                        "201n - 335 M, 193n - 361 A beside the bias"};

  template <class S>
  struct Workspace {
    struct Link {
      Vec3<S> c;             // (1) from the parent's mass centre to this one, parent frame
      Vec3<S> w_n, w_f;      // (11) of a link whose parent is on the base: that one's axis, seen from here
      Vec3<S> psi_n, psi_f;  // (5)
      S tau_hat;             // (7)
      Vec3<S> mu_n, mu_f;    // (10) with the link's own p q̈
    };
    DenocInverse::Workspace<S> inverse;
    std::vector<Link> links;
    std::vector<ArticulatedInertia<S>> children;  // (6) what hangs on the link, of trees
    std::vector<Wrench<S>> eta;                   // (8) of trees; in a chain it is handed from link to link
    std::vector<S> zeros;
    std::vector<S> bias;    // (2) by q
    std::vector<S> pivots;  // (4) by link

    explicit Workspace(const MechanismFor<S>& robot)
        : inverse(robot),
          links(index(robot.n())),
          children(index(robot.n())),
          eta(index(robot.n())),
          zeros(index(robot.n())),
          bias(index(robot.n())),
          pivots(index(robot.n())) {}
  };

  template <class S>
  static void run(const MechanismFor<S>& robot, std::span<const S> q, std::span<const S> qd,
                  std::span<const S> tau, Workspace<S>& ws, std::span<S> qdd) {
    factor<S>(robot, q, qd, ws);
    solve<S>(robot, q, tau, ws, qdd);
  }

  // The bias, and U and D of the inertia matrix.
  template <class S>
  static void factor(const MechanismFor<S>& robot, std::span<const S> q, std::span<const S> qd,
                     Workspace<S>& ws) {
    find_bias<S>(robot, q, qd, ws);
    factor_inertia<S>(robot, q, ws);
  }
  template <class S>
  static void find_bias(const MechanismFor<S>& robot, std::span<const S> q, std::span<const S> qd,
                        Workspace<S>& ws) {
    for (S& zero : ws.zeros) zero = S{};
    DenocInverse::run<S>(robot, {q, qd, ws.zeros}, ws.inverse, ws.bias);  // (2)
  }
  // After find_bias(), which leaves the joints' sines and cosines.
  template <class S>
  static void factor_inertia(const MechanismFor<S>& robot, std::span<const S> q, Workspace<S>& ws) {
    if (is_chain(robot)) {
      eliminate<AnyChain, S>(robot, q, ws);
    } else {
      for (auto& body : ws.children) body = {};
      eliminate<AnyTree, S>(robot, q, ws);
    }
  }

  // q̈ = U⁻ᵀ D⁻¹ U⁻¹ (τ - b), any number of times after one factor() at the same q.
  template <class S>
  static void solve(const MechanismFor<S>& robot, std::span<const S>, std::span<const S> tau,
                    Workspace<S>& ws, std::span<S> qdd) {
    if (is_chain(robot)) {
      reduce<AnyChain, S>(robot, tau, ws);
      accelerate<AnyChain, S>(robot, ws, qdd);
    } else {
      for (auto& eta : ws.eta) eta = {};
      reduce<AnyTree, S>(robot, tau, ws);
      accelerate<AnyTree, S>(robot, ws, qdd);
    }
  }

 private:
  // Inward: (1), (3)-(6). In a chain `carried` is what hangs on link i. Of a link on the base only the pivot is wanted.
  template <class Shape, class S>
  static void eliminate(const MechanismFor<S>& robot, std::span<const S> q, Workspace<S>& ws) {
    for (int i = 0; i < robot.n(); ++i)
      if (robot.link(i).parent == base)
        ws.pivots[index(i)] = S(own_pivot(robot.link(i)) + rotor_inertia(robot, robot.link(i)));
    ArticulatedInertia<S> carried;
    for (int i = robot.n() - 1; i >= 0; --i) {
      const auto& link = robot.link(i);
      if (link.parent == base) continue;
      if (i == robot.n() - 1) {  // nothing hangs on the last link: constants
        auto alone = rigid(link);
        pass_on<Shape, S>(robot, q, i, alone, ws, carried);
      } else {
        ArticulatedInertia<S>& body = Shape::chain ? carried : ws.children[index(i)];
        body.I += link.inertia_com;  // (6)
        add_mass(body, link.mass);
        pass_on<Shape, S>(robot, q, i, body, ws, carried);
      }
    }
  }

  // (1), (3)-(6), (11): the joint of link i gives way, the parent feels the rest. V is S, or the type of the constants
  // for the last link.
  template <class Shape, class S, class V>
  static void pass_on(const MechanismFor<S>& robot, std::span<const S> q, int i,
                      ArticulatedInertia<V>& body, Workspace<S>& ws, ArticulatedInertia<S>& carried) {
    const auto& link = robot.link(i);
    const auto& parent = robot.link(link.parent);
    const auto tilt = Shape::tilt(link);
    const auto& turn = ws.inverse.turns[i];
    auto& own = ws.links[index(i)];
    const auto& [I, H, M] = body;
    Vec3<V> h_n = H.column_z(), h_f = M.column_z();  // (3)
    if (link.revolute) {
      h_n = I.column_z() + link.com.x * H.column_y() - link.com.y * H.column_x();
      h_f = row_z(H) + link.com.x * column_y(M) - link.com.y * column_x(M);
    }
    const V m = with_rotor(along_joint(link, h_n, h_f), rotor_inertia(robot, link));  // (4)
    const V inverse = ConstantOf<S>(1) / m;
    const Vec3<V> psi_n = inverse * h_n, psi_f = inverse * h_f;  // (5)
    ws.pivots[index(i)] = S(m);
    own.psi_n = static_cast<Vec3<S>>(psi_n);
    own.psi_f = static_cast<Vec3<S>>(psi_f);
    if (parent.parent == base) {
      own.w_n = {}, own.w_f = parent_z_in_child(tilt, turn);  // (11)
      if (parent.revolute) {
        const auto s = joint_offset(link, q[index(link.q)]);
        const FlatVec3<S> com = to_parent_xy(tilt, turn, link.com);
        own.w_n = own.w_f;
        own.w_f = to_child(tilt, turn, FlatVec3<S>{-(s.y + com.y), s.x + com.x});
      }
      ws.pivots[index(link.parent)] += felt_by_first(parent.revolute, body, h_n, h_f, inverse, own);  // (4)
      return;
    }
    own.c = com_to_joint(robot, link, q) + to_parent(tilt, turn, link.com);  // (1)
    catena::give_way(body, h_n, h_f, psi_n, psi_f);                           // (6)
    ArticulatedInertia<S> felt = to_parent(tilt, turn, static_cast<ArticulatedInertia<S>>(body));
    move_origin(felt, own.c);
    if (Shape::chain) {
      carried = felt;
    } else {
      ws.children[index(link.parent)] += felt;
    }
  }

  // (12): w · (M̂ w - ψ̂ (ψ̂ · w) / m̂)
  template <class V, class Link>
  static auto felt_by_first(bool revolute, const ArticulatedInertia<V>& body, const Vec3<V>& h_n, const Vec3<V>& h_f,
                            const V& inverse, const Link& own) {
    auto along = dot(h_f, own.w_f), sum = quadratic_form(body.M, own.w_f);
    if (revolute) {
      const auto mixed = dot(own.w_n, body.H * own.w_f);
      along += dot(h_n, own.w_n);
      sum += quadratic_form(body.I, own.w_n) + (mixed + mixed);
    }
    return sum - along * (inverse * along);
  }

  // Inward: (7), (8). In a chain `carried` is η of link i.
  template <class Shape, class S>
  static void reduce(const MechanismFor<S>& robot, std::span<const S> tau, Workspace<S>& ws) {
    for (int i = 0; i < robot.n(); ++i) {
      const int q = robot.link(i).q;
      ws.links[index(i)].tau_hat = tau[index(q)] - ws.bias[index(q)];  // (2)
    }
    Wrench<S> carried;
    for (int i = robot.n() - 1; i >= 0; --i) {
      const auto& link = robot.link(i);
      if (link.parent == base) continue;
      auto& own = ws.links[index(i)];
      const Wrench<S>& eta = Shape::chain ? carried : ws.eta[index(i)];
      const bool leaf = i == robot.n() - 1;
      if (!leaf) own.tau_hat -= along_joint(link, eta.moment, eta.force);  // (7)
      Wrench<S> felt{own.tau_hat * own.psi_f, own.tau_hat * own.psi_n};    // (8)
      if (!leaf) felt.moment += eta.moment, felt.force += eta.force;
      if (const auto& parent = robot.link(link.parent); parent.parent == base) {
        S& tau_hat = ws.links[index(link.parent)].tau_hat;
        tau_hat -= dot(own.w_f, felt.force);  // (7)
        if (parent.revolute) tau_hat -= dot(own.w_n, felt.moment);
        continue;
      }
      felt.force = to_parent(Shape::tilt(link), ws.inverse.turns[i], felt.force);
      felt.moment = add_cross(to_parent(Shape::tilt(link), ws.inverse.turns[i], felt.moment), own.c, felt.force);
      if (Shape::chain) {
        carried = felt;
      } else {
        ws.eta[index(link.parent)].moment += felt.moment;
        ws.eta[index(link.parent)].force += felt.force;
      }
    }
  }

  // Outward: (9), (10).
  template <class Shape, class S>
  static void accelerate(const MechanismFor<S>& robot, Workspace<S>& ws, std::span<S> qdd) {
    for (int i = 0; i < robot.n(); ++i) {
      const auto& link = robot.link(i);
      auto& own = ws.links[index(i)];
      S& rate = qdd[index(link.q)];
      rate = own.tau_hat / ws.pivots[index(i)];  // (9)
      if (link.parent == base) continue;
      const auto& above = robot.link(link.parent);
      if (above.parent == base) {
        own.mu_n = qdd[index(above.q)] * own.w_n;  // (10)
        own.mu_f = qdd[index(above.q)] * own.w_f;
      } else {
        const auto& parent = ws.links[index(link.parent)];
        own.mu_n = to_child(Shape::tilt(link), ws.inverse.turns[i], parent.mu_n);
        own.mu_f = to_child(Shape::tilt(link), ws.inverse.turns[i], add_cross(parent.mu_f, parent.mu_n, own.c));
      }
      rate -= dot(own.psi_n, own.mu_n) + dot(own.psi_f, own.mu_f);  // (9)
      if (i == robot.n() - 1) continue;
      if (link.revolute) {
        own.mu_n.z += rate;
        own.mu_f.x -= link.com.y * rate;
        own.mu_f.y += link.com.x * rate;
      } else {
        own.mu_f.z += rate;
      }
    }
  }

  template <class T>
  static ArticulatedInertia<T> rigid(const LinkConstants<T>& link) {
    return {link.inertia_com, {}, Sym3<T>::diagonal(link.mass, link.mass, link.mass)};
  }

  // pᵀ M p of a link alone: constant.
  template <class T>
  static T own_pivot(const LinkConstants<T>& link) {
    if (!link.revolute) return link.mass;
    return link.inertia_com.zz + link.mass * (link.com.x * link.com.x + link.com.y * link.com.y);
  }

  // r: from the parent's mass centre to this joint, parent frame.
  template <class S, class T>
  static Vec3<S> com_to_joint(const BasicMechanism<T>& robot, const LinkConstants<T>& link, std::span<const S> q) {
    const Vec3<T> r = link.p_parent_to_link - robot.link(link.parent).com;  // constants: off line
    if (link.revolute) return static_cast<Vec3<S>>(r);
    return r + q[index(link.q)] * link.z_in_parent;
  }

  // pᵀ w for a wrench w = (n, f) at the mass centre: p = (z, z x com) or (0, z).
  template <class T, class V>
  static V along_joint(const LinkConstants<T>& link, const Vec3<V>& n, const Vec3<V>& f) {
    return link.revolute ? V((n.z + link.com.x * f.y) - link.com.y * f.x) : f.z;
  }
};

}  // namespace catena
