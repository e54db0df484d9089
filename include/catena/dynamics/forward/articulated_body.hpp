// Forward dynamics by articulated bodies (Featherstone), in link frames about the links' origins.
// Equations (1)-(12): docs/equations/articulated_body.md. The links are the augmented ones of Algorithm 5.5, each
// without the mass that its parent carries for it, so that the regrouped constants of model/regroup.hpp serve as well.
#pragma once

#include <vector>

#include "catena/dynamics/forward/articulated_inertia.hpp"
#include "catena/dynamics/around/drives.hpp"
#include "catena/dynamics/shape.hpp"

namespace catena {

struct ArticulatedBody {
  static constexpr FormulationInfo info{"articulated-body", "forward", "Featherstone 1983, 1987",
                                        "docs/equations/articulated_body.md",
                                        "219n - 188 M, 193n - 154 A, regrouped (counted)"};

  template <class S>
  struct Workspace {
    struct Link {
      Vec3<S> zeta;    // (2) its acceleration by velocities, beyond the parent's: turning (revolute) or sliding
      Vec3<S> gamma;   // (3) the same of its origin, parent frame
      Vec3<S> n, f;    // (4), (8) wrench it needs when no joint accelerates and no torque acts
      Vec3<S> kn, kf;  // (6) wrench for a unit acceleration of the joint, over the pivot
      S inverse_pivot;
      S w;  // (9) acceleration of the joint while its parent does not accelerate
    };
    struct Spin {
      Vec3<S> omega;  // (1)
      Sym3<S> Omega;  // ω~ω~
    };
    struct Acceleration {
      Vec3<S> alpha, a;  // (11), (12)
    };
    std::vector<Link> links;
    std::vector<S> pivots;    // (6) by link
    JointTurns<S> turns;
    // Of trees only; in a chain they are handed from link to link.
    std::vector<Spin> spins;
    std::vector<ArticulatedInertia<S>> children;  // (7) what hangs on the link, in its frame
    std::vector<Wrench<S>> loads;                 // (10) what that needs
    std::vector<Acceleration> accelerations;

    explicit Workspace(const MechanismFor<S>& robot)
        : links(index(robot.n())),
          pivots(index(robot.n())),
          turns(robot.n()),
          spins(index(is_chain(robot) ? 0 : robot.n())),
          children(spins.size()),
          loads(spins.size()),
          accelerations(spins.size()) {}
  };

  template <class S>
  static void run(const MechanismFor<S>& robot, std::span<const S> q, std::span<const S> qd,
                  std::span<const S> tau, Workspace<S>& ws, std::span<S> qdd) {
    in_shape(robot, [&]<class Shape>(Shape) {
      velocities<Shape, S>(robot, q, qd, ws);
      ArticulatedInertia<S> A{};
      Wrench<S> load{};
      for (int i = robot.n() - 1; i >= 0; --i) {  // inward, side by side: neither waits for the other
        eliminate<Shape, S>(robot, i, q, A, ws);
        apply_torque<Shape, S>(robot, i, q, tau, load, ws);
      }
      accelerate<Shape, S>(robot, q, ws, qdd);
    });
  }

  // All that does not depend on the torques.
  template <class S>
  static void factor(const MechanismFor<S>& robot, std::span<const S> q, std::span<const S> qd,
                     Workspace<S>& ws) {
    in_shape(robot, [&]<class Shape>(Shape) {
      velocities<Shape, S>(robot, q, qd, ws);
      ArticulatedInertia<S> A{};
      for (int i = robot.n() - 1; i >= 0; --i) eliminate<Shape, S>(robot, i, q, A, ws);
    });
  }

  // q̈ for torques τ, any number of times after one factor() at the same q.
  template <class S>
  static void solve(const MechanismFor<S>& robot, std::span<const S> q, std::span<const S> tau,
                    Workspace<S>& ws, std::span<S> qdd) {
    in_shape(robot, [&]<class Shape>(Shape) {
      for (Wrench<S>& load : ws.loads) load = {};
      Wrench<S> load{};
      for (int i = robot.n() - 1; i >= 0; --i) apply_torque<Shape, S>(robot, i, q, tau, load, ws);
      accelerate<Shape, S>(robot, q, ws, qdd);
    });
  }

 private:
  template <class T, class Sweep>
  static void in_shape(const BasicMechanism<T>& robot, Sweep sweep) {
    if (robot.flat) {
      sweep(FlatChain{});
    } else if (is_chain(robot)) {
      sweep(AnyChain{});
    } else {
      sweep(AnyTree{});
    }
  }

  // Outward: angular velocities and what they need of acceleration, force and moment.
  template <class Shape, class S>
  static void velocities(const MechanismFor<S>& robot, std::span<const S> q, std::span<const S> qd_,
                         Workspace<S>& ws) {
    joint_turns<S>(robot, q, ws.turns);
    typename Workspace<S>::Spin latest;
    for (int i = 0; i < robot.n(); ++i) {
      const auto& link = robot.link(i);
      const S& qd = qd_[index(link.q)];
      auto& own = ws.links[index(i)];
      typename Workspace<S>::Spin spin{};
      own.n = own.f = own.zeta = own.gamma = {};
      if (link.parent == base) {
        if (Shape::revolute(link)) spin = about_fixed_axis(qd);
      } else {
        const auto& parent = Shape::chain ? latest : ws.spins[index(link.parent)];
        own.gamma = parent.Omega * Shape::offset(link, q);  // (3)
        spin.omega = to_child(Shape::tilt(link), ws.turns[i], parent.omega);
        const S rate = Shape::revolute(link) ? qd : qd + qd;
        own.zeta = {spin.omega.y * rate, -(spin.omega.x * rate), S{}};  // (2)
        if (Shape::revolute(link)) spin.omega.z += qd;                  // (1)
        spin.Omega = centrifugal_tensor(spin.omega);
        own.f = spin.Omega * Shape::moment(link);  // (4)
        own.n = centrifugal_moment(spin.Omega, Shape::pseudo(link));
      }
      if (Shape::chain) {
        latest = spin;
      } else {
        ws.spins[index(i)] = spin;
        ws.children[index(i)] = {};
        ws.loads[index(i)] = {};
      }
    }
  }

  // (1) for a link on the base. What it needs is across its axis and moves nothing: (4) is left out.
  template <class S>
  static typename Workspace<S>::Spin about_fixed_axis(const S& qd) {
    const S square = qd * qd, zero{};
    return {{zero, zero, qd}, {-square, -square, zero, zero, zero, zero}};
  }

  // Inward: pivot of link i, then what its parent feels of it. In a chain `carried` is what hangs on link i, and
  // becomes what hangs on link i - 1.
  template <class Shape, class S>
  [[gnu::always_inline]] static void eliminate(const MechanismFor<S>& robot, int i, std::span<const S> q,
                                               ArticulatedInertia<S>& carried, Workspace<S>& ws) {
    const auto& link = robot.link(i);
    auto& own = ws.links[index(i)];
    const auto rotor = rotor_inertia(robot, link);
    ArticulatedInertia<S>& A = Shape::chain ? carried : ws.children[index(i)];
    add_moments(A, Shape::moment(link), Shape::pseudo(link));  // (7)
    Vec3<S> Un, Uf;                                            // (5)
    if (Shape::revolute(link)) {
      Un = A.I.column_z();
      Uf = row_z(A.H);
      ws.pivots[index(i)] = with_rotor(Un.z, rotor);                     // (6)
      own.n += own.zeta.x * column_x(A.I) + own.zeta.y * column_y(A.I);  // (8)
      own.f += own.zeta.x * row_x(A.H) + own.zeta.y * row_y(A.H);
    } else {
      add_mass(A, link.augmented_mass);
      Un = A.H.column_z();
      Uf = A.M.column_z();
      ws.pivots[index(i)] = with_rotor(Uf.z, rotor);
      own.n += own.zeta.x * A.H.column_x() + own.zeta.y * A.H.column_y();
      own.f += own.zeta.x * column_x(A.M) + own.zeta.y * column_y(A.M);
    }
    own.inverse_pivot = ConstantOf<S>(1) / ws.pivots[index(i)];
    own.kn = own.inverse_pivot * Un;  // (6)
    own.kf = own.inverse_pivot * Uf;
    if (link.parent == base) return;
    ArticulatedInertia<S> felt;
    if (Shape::revolute(link) && rotor == 0) {
      felt = to_parent(Shape::tilt(link), ws.turns[i], give_way_about_axis(A, own.kn, own.kf));  // (7)
    } else {
      give_way(A, Un, Uf, own.kn, own.kf);
      felt = to_parent(Shape::tilt(link), ws.turns[i], A);
    }
    move_origin(felt, Shape::offset(link, q));
    auto& parent = ws.links[index(link.parent)];
    parent.n += felt.H * own.gamma;  // (8)
    parent.f += felt.M * own.gamma;
    if (!Shape::revolute(link)) add_mass(felt, -link.augmented_mass);  // (7)
    if (Shape::chain) {
      carried = felt;
    } else {
      ws.children[index(link.parent)] += felt;
    }
  }

  // Inward: what the torque of joint i has left, then what its parent feels. `carried` as above.
  template <class Shape, class S>
  [[gnu::always_inline]] static void apply_torque(const MechanismFor<S>& robot, int i,
                                                  std::span<const S> q, std::span<const S> tau, Wrench<S>& carried,
                                                  Workspace<S>& ws) {
    const auto& link = robot.link(i);
    auto& own = ws.links[index(i)];
    const Wrench<S>& children = Shape::chain ? carried : ws.loads[index(i)];
    const Vec3<S> n = children.moment + own.n, f = children.force + own.f;  // (10)
    S u = tau[index(link.q)] - (Shape::revolute(link) ? n.z : f.z);         // (9)
    own.w = u * own.inverse_pivot;
    if (link.parent == base) return;
    const Vec3<S> f_felt = to_parent(Shape::tilt(link), ws.turns[i], f + u * own.kf);  // (10)
    const Vec3<S> n_felt =
        add_cross(to_parent(Shape::tilt(link), ws.turns[i], n + u * own.kn), Shape::offset(link, q), f_felt);
    if (Shape::chain) {
      carried = {f_felt, n_felt};
    } else {
      ws.loads[index(link.parent)].moment += n_felt;
      ws.loads[index(link.parent)].force += f_felt;
    }
  }

  // Outward.
  template <class Shape, class S>
  static void accelerate(const MechanismFor<S>& robot, std::span<const S> q, Workspace<S>& ws,
                         std::span<S> qdd) {
    typename Workspace<S>::Acceleration latest;
    for (int i = 0; i < robot.n(); ++i) {
      const auto& link = robot.link(i);
      const auto& own = ws.links[index(i)];
      typename Workspace<S>::Acceleration x{};
      S& rate = qdd[index(link.q)];
      if (link.parent == base) {
        x.a = to_child(Shape::tilt(link), ws.turns[i], -robot.gravity);
        rate = own.w - dot(own.kf, x.a);  // (12)
      } else {
        const auto& parent = Shape::chain ? latest : ws.accelerations[index(link.parent)];
        x.alpha = to_child(Shape::tilt(link), ws.turns[i], parent.alpha);  // (11)
        x.a = to_child(Shape::tilt(link), ws.turns[i],
                       add_cross(parent.a + own.gamma, parent.alpha, Shape::offset(link, q)));
        rate = (own.w - dot(own.kn, x.alpha)) - dot(own.kf, x.a);  // (12)
      }
      const Vec3<S> moved{own.zeta.x, own.zeta.y, rate};  // (11)
      if (Shape::revolute(link)) {
        x.alpha += moved;
      } else {
        x.a += moved;
      }
      if (Shape::chain) {
        latest = x;
      } else {
        ws.accelerations[index(i)] = x;
      }
    }
  }
};

}  // namespace catena
