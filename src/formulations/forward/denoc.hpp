// Forward dynamics by the decoupled natural orthogonal complement (Saha's RFDSIM): M = U D Uᵀ by Gaussian elimination,
// performed on the bodies instead of on the matrix, in O(n). Equations (1)-(12): docs/equations/denoc_forward.md.
// Quantities of link i are in frame i, at its mass centre.
#pragma once

#include "catena/formulation/kernels.hpp"
#include "catena/formulation/shape.hpp"
#include "forces/joint_forces.hpp"
#include "formulations/bias/by_inverse.hpp"
#include "formulations/forward/articulated_inertia.hpp"
#include "formulations/inverse/denoc.hpp"

namespace catena {

struct DenocForward {
  static constexpr FormulationInfo info{"denoc", "forward", "Saha 1999, RFDSIM (section 5.2, eqs 33-37)",
                                        "docs/equations/denoc_forward.md",
                                        "201n - 335 M, 193n - 361 A, taken as beside the bias"};

  template <class S>
  struct Workspace {
    struct Link {
      Vec3<S> c;      // (1) from the parent's mass centre to this one, parent frame
      Twist<S> w;     // (11) for a link whose parent is on the base: the parent's axis, in this frame
      Wrench<S> psi;  // (5)
      S tau_hat;      // (7)
    };
    BiasByInverse<DenocInverse>::Workspace<S> bias_by;
    Array<Link> links;
    Array<S> bias;    // (2) by q
    Array<S> pivots;  // (4) by link
    // For trees only.
    Array<ArticulatedInertia<S>> children;  // (6) everything beyond the link
    Array<Wrench<S>> eta;                   // (8)
    Array<Twist<S>> twists;                 // (10) with the link's own p q̈

    explicit Workspace(const TreeFor<S>& robot)
        : bias_by(robot),
          links(index(robot.joints())),
          bias(index(robot.joints())),
          pivots(index(robot.joints())),
          children(kept_by_link(robot)),
          eta(children.size()),
          twists(children.size()) {}
  };

  template <class S>
  static void run(const TreeFor<S>& robot, std::span<const S> q, std::span<const S> qd, std::span<const S> tau,
                  Workspace<S>& ws, std::span<S> qdd) {
    factor<S>(robot, q, qd, ws);
    solve<S>(robot, q, tau, ws, qdd);
  }

  // The bias, and U and D of the inertia matrix.
  template <class S>
  static void factor(const TreeFor<S>& robot, std::span<const S> q, std::span<const S> qd, Workspace<S>& ws) {
    find_bias<S>(robot, q, qd, ws);
    factor_inertia<S>(robot, q, ws);
  }
  template <class S>
  static void find_bias(const TreeFor<S>& robot, std::span<const S> q, std::span<const S> qd, Workspace<S>& ws) {
    BiasByInverse<DenocInverse>::run<S>(robot, q, qd, ws.bias_by, ws.bias);  // (2)
  }
  // Call after find_bias(), which computes the joints' sines and cosines.
  template <class S>
  static void factor_inertia(const TreeFor<S>& robot, std::span<const S> q, Workspace<S>& ws) {
    in_shape(robot, [&]<class Shape>(Shape) { eliminate<Shape, S>(robot, q, ws); });
  }

  // q̈ = U⁻ᵀ D⁻¹ U⁻¹ (τ - b), any number of times after one factor() at the same q.
  template <class S>
  static void solve(const TreeFor<S>& robot, std::span<const S>, std::span<const S> tau, Workspace<S>& ws,
                    std::span<S> qdd) {
    in_shape(robot, [&]<class Shape>(Shape) {
      reduce<Shape, S>(robot, tau, ws);
      accelerate<Shape, S>(robot, ws, qdd);
    });
  }

 private:
  template <class Shape, class S>
  using Bodies = Handed<Shape, ArticulatedInertia<S>>;

  // Inward: (1), (3)-(6). For a link on the base only the pivot is needed.
  template <class Shape, class S>
  static void eliminate(const TreeFor<S>& robot, std::span<const S> q, Workspace<S>& ws) {
    for (int i = 0; i < robot.joints(); ++i)
      if (on_base<Shape>(robot, i))
        ws.pivots[index(i)] = S(felt_of_link(robot.link(i)) + added_inertia(robot, robot.link(i)));
    Bodies<Shape, S> children(ws.children);
    children.start();
    for (int i = robot.joints() - 1; i >= 0; --i) {
      const auto& link = robot.link(i);
      if (on_base<Shape>(robot, i)) continue;
      if (i == robot.joints() - 1) {  // nothing is beyond the last link: constants
        auto alone = rigid(link);
        pass_on<Shape, S>(robot, q, i, alone, ws, children);
      } else {
        ArticulatedInertia<S>& body = children[i];
        body.I += link.inertia_com;  // (6)
        add_mass(body, link.mass);
        pass_on<Shape, S>(robot, q, i, body, ws, children);
      }
    }
  }

  // Releases the joint of link i; the rest acts on the parent. V is S, or for the last link the type of the constants.
  template <class Shape, class S, class V>
  [[gnu::always_inline]] static void pass_on(const TreeFor<S>& robot, std::span<const S> q, int i,
                                             ArticulatedInertia<V>& body, Workspace<S>& ws,
                                             Bodies<Shape, S>& children) {
    const auto& link = robot.link(i);
    const int up = Shape::parent(robot, i);
    const auto& turn = ws.bias_by.turns()[i];
    auto& own = ws.links[index(i)];
    const Wrench<V> psi_hat = for_unit_rate(link, body);                                   // (3)
    const V pivot = with_added(felt_from_com(link, psi_hat), added_inertia(robot, link));  // (4)
    const V inverse = ConstantOf<S>(1) / pivot;
    const Wrench<V> psi = inverse * psi_hat;  // (5)
    ws.pivots[index(i)] = S(pivot);
    own.psi = static_cast<Wrench<S>>(psi);
    if (on_base<Shape>(robot, up)) {
      const bool revolute = robot.link(up).revolute;
      own.w = axis_of_first<Shape>(revolute, link, turn, q);                           // (11)
      ws.pivots[index(up)] += felt_by_first(revolute, body, psi_hat, inverse, own.w);  // (12)
      return;
    }
    own.c = com_to_joint(robot, link, q) + to_parent(Shape::tilt(link), turn, link.com);  // (1)
    give_way(body, psi_hat, psi);                                                         // (6)
    auto felt = to_parent(Shape::tilt(link), turn, static_cast<ArticulatedInertia<S>>(body));
    move_origin(felt, own.c);
    children.add(up, felt);
  }

  // (3): M̂ p with p = (z, z x com) or (0, z).
  template <class T, class V>
  static Wrench<V> for_unit_rate(const LinkConstants<T>& link, const ArticulatedInertia<V>& body) {
    const auto& [I, H, M] = body;
    if (!link.revolute) return along_z(false, body);
    return {H.row_z() + link.com.x * M.column_y() - link.com.y * M.column_x(),
            I.column_z() + link.com.x * H.column_y() - link.com.y * H.column_x()};
  }

  // (11)
  template <class Shape, class T, class S>
  static Twist<S> axis_of_first(bool revolute, const LinkConstants<T>& link, const Turn<S>& turn,
                                std::span<const S> q) {
    const Vec3<S> axis = parent_z_in_child(Shape::tilt(link), turn);
    if (!revolute) return {{}, axis};
    const Vec3<S> s = joint_offset(link, q[index(link.q)]);
    const FlatVec3<S> com = to_parent_xy(Shape::tilt(link), turn, link.com);
    return {axis, to_child(Shape::tilt(link), turn, FlatVec3<S>{-(s.y + com.y), s.x + com.x})};
  }
  // (12): w · (M̂ w - ψ̂ (ψ̂ · w) / m̂)
  template <class V, class S>
  static S felt_by_first(bool revolute, const ArticulatedInertia<V>& body, const Wrench<V>& psi_hat, const V& inverse,
                         const Twist<S>& w) {
    S along = dot(psi_hat.force, w.v), sum = quadratic_form(body.M, w.v);
    if (revolute) {
      const S mixed = dot(w.omega, body.H * w.v);
      along += dot(psi_hat.moment, w.omega);
      sum += quadratic_form(body.I, w.omega) + (mixed + mixed);
    }
    return sum - along * (inverse * along);
  }

  // Inward: (7), (8).
  template <class Shape, class S>
  static void reduce(const TreeFor<S>& robot, std::span<const S> tau, Workspace<S>& ws) {
    for (int i = 0; i < robot.joints(); ++i) {
      const int q = robot.link(i).q;
      ws.links[index(i)].tau_hat = tau[index(q)] - ws.bias[index(q)];  // (2)
    }
    Handed<Shape, Wrench<S>> etas(ws.eta);
    etas.start();
    for (int i = robot.joints() - 1; i >= 0; --i) {
      const auto& link = robot.link(i);
      const int up = Shape::parent(robot, i);
      if (up == base_link) continue;
      auto& own = ws.links[index(i)];
      const bool leaf = i == robot.joints() - 1;
      if (!leaf) own.tau_hat -= felt_from_com(link, etas[i]);  // (7)
      Wrench<S> felt = own.tau_hat * own.psi;                  // (8)
      if (!leaf) felt += etas[i];
      if (on_base<Shape>(robot, up)) {
        S& tau_hat = ws.links[index(up)].tau_hat;
        tau_hat -= dot(own.w.v, felt.force);  // (7)
        if (robot.link(up).revolute) tau_hat -= dot(own.w.omega, felt.moment);
        continue;
      }
      etas.add(up, to_parent(Shape::tilt(link), ws.bias_by.turns()[i], own.c, felt));
    }
  }

  // Outward: (9), (10).
  template <class Shape, class S>
  static void accelerate(const TreeFor<S>& robot, Workspace<S>& ws, std::span<S> qdd) {
    Handed<Shape, Twist<S>> twists(ws.twists);
    for (int i = 0; i < robot.joints(); ++i) {
      const auto& link = robot.link(i);
      const int up = Shape::parent(robot, i);
      const auto& own = ws.links[index(i)];
      S& rate = qdd[index(link.q)];
      rate = own.tau_hat / ws.pivots[index(i)];  // (9)
      if (up == base_link) continue;
      Twist<S> mu;  // (10)
      if (on_base<Shape>(robot, up)) {
        const S& first_rate = qdd[index(robot.link(up).q)];
        mu = {first_rate * own.w.omega, first_rate * own.w.v};
      } else {
        const Twist<S>& parent = twists[up];
        mu.omega = to_child(Shape::tilt(link), ws.bias_by.turns()[i], parent.omega);
        mu.v = to_child(Shape::tilt(link), ws.bias_by.turns()[i], add_cross(parent.v, parent.omega, own.c));
      }
      rate -= dot(own.psi.moment, mu.omega) + dot(own.psi.force, mu.v);  // (9)
      if (i == robot.joints() - 1) continue;
      add_own_rate(link, rate, mu);  // (10)
      twists.leave(i, mu);
    }
  }

  // μ + p q̈
  template <class T, class S>
  static void add_own_rate(const LinkConstants<T>& link, const S& rate, Twist<S>& mu) {
    if (link.revolute) {
      mu.omega.z += rate;
      mu.v.x -= link.com.y * rate;
      mu.v.y += link.com.x * rate;
    } else {
      mu.v.z += rate;
    }
  }

  template <class T>
  static ArticulatedInertia<T> rigid(const LinkConstants<T>& link) {
    return {link.inertia_com, {}, Sym3<T>::diagonal(link.mass, link.mass, link.mass)};
  }
};

}  // namespace catena
