// Forward dynamics by articulated bodies (Featherstone), in link frames about the links' origins. Equations
// (1)-(12), and (16)-(18) for a free base: docs/equations/articulated_body.md; (13)-(15), for joints with a given
// acceleration (hybrid dynamics): docs/equations/hybrid.md. The links are the augmented ones of Algorithm 5.5, each
// without the mass that its parent includes for it, so that the regrouped constants of model/regroup.hpp can be used
// too.
#pragma once

#include <algorithm>
#include <tuple>

#include "catena/formulation/shape.hpp"
#include "forces/joint_forces.hpp"
#include "formulations/forward/articulated_inertia.hpp"
#include "formulations/shared/carrier.hpp"
#include "formulations/shared/ldlt.hpp"

namespace catena {

// The inputs for each joint, and where the results go. Forward dynamics: torques; every joint accelerates freely.
template <class S>
struct GivenTorques {
  std::span<const S> tau;
  std::span<S> qdd;

  template <class T>
  static constexpr bool gives_way(const BasicTree<T>&, const LinkConstants<T>&) {
    return true;
  }
  // The torque, or the acceleration of a joint whose acceleration is given.
  template <class T>
  const S& given(const BasicTree<T>&, const LinkConstants<T>& link) const {
    return tau[index(link.q)];
  }
  // Stores the result and returns the acceleration.
  template <class T>
  const S& take(const BasicTree<T>&, const LinkConstants<T>& link, const S& found) const {
    return qdd[index(link.q)] = found;
  }
};

struct ArticulatedBody {
  static constexpr FormulationInfo info{"articulated-body", "forward", "Featherstone 1983, 1987",
                                        "docs/equations/articulated_body.md",
                                        "199n - 198 M, 174n - 173 A; regrouped 219n - 188 M, 193n - 154 A (counted)"};

  template <class S>
  struct Workspace {
    struct Link {
      Vec3<S> zeta;    // (2) its acceleration due to velocities, relative to the parent's: angular (revolute) or linear
      Vec3<S> gamma;   // (3) the same of its origin, parent frame
      Wrench<S> load;  // (4), (8) the wrench needed if no joint accelerates and no torque acts
      Wrench<S> k;     // (6) wrench per unit acceleration of the joint, over the pivot; -U if the acceleration is given
      S inverse_pivot;
      S w;  // (9) acceleration of the joint if its parent does not accelerate; torque if the acceleration is given
    };
    struct Spin {
      Vec3<S> omega;  // (1)
      Sym3<S> Omega;  // ω~ω~
    };
    struct Acceleration {
      Vec3<S> alpha, a;  // (11), (12)
    };
    Array<Link> links;
    Array<S> pivots;  // (6) by link
    JointTurns<S> turns;
    // For trees only.
    Array<Spin> spins;
    Array<ArticulatedInertia<S>> children;  // (7) everything beyond the link, in its frame
    Array<Wrench<S>> loads;                 // (10) the wrench that needs
    Array<Acceleration> accelerations;

    explicit Workspace(const TreeFor<S>& robot)
        : links(index(robot.joints())),
          pivots(index(robot.joints())),
          turns(robot.joints()),
          spins(kept_by_link(robot)),
          children(spins.size()),
          loads(spins.size()),
          accelerations(spins.size()) {}
  };

  template <class S>
  static void run(const TreeFor<S>& robot, std::span<const S> q, std::span<const S> qd, std::span<const S> tau,
                  Workspace<S>& ws, std::span<S> qdd) {
    sweep<S>(robot, q, qd, GivenTorques<S>{tau, qdd}, ws);
  }

  // The whole computation, for any given inputs: see GivenTorques.
  template <class S, class Joints>
  static void sweep(const TreeFor<S>& robot, std::span<const S> q, std::span<const S> qd, const Joints& joints,
                    Workspace<S>& ws) {
    in_shape(robot, [&]<class Shape>(Shape) {
      find_velocities<Shape, S>(robot, q, qd, ws);
      Handed<Shape, ArticulatedInertia<S>> children(ws.children);
      Handed<Shape, Wrench<S>> loads(ws.loads);
      children.start(), loads.start();
      for (int i = robot.joints() - 1; i >= 0; --i) {  // inward, two sweeps in parallel: neither waits for the other
        eliminate<Shape, Joints, S>(robot, i, q, children, ws);
        apply_torque<Shape, S>(robot, i, q, joints, loads, ws);
      }
      accelerate<Shape, S>(robot, q, joints, ws);
    });
  }

  // Everything that does not depend on the torques.
  template <class S>
  static void factor(const TreeFor<S>& robot, std::span<const S> q, std::span<const S> qd, Workspace<S>& ws) {
    in_shape(robot, [&]<class Shape>(Shape) {
      find_velocities<Shape, S>(robot, q, qd, ws);
      Handed<Shape, ArticulatedInertia<S>> children(ws.children);
      children.start();
      for (int i = robot.joints() - 1; i >= 0; --i) eliminate<Shape, GivenTorques<S>, S>(robot, i, q, children, ws);
    });
  }

  // Only what M consists of: pivots and k.
  template <class S>
  static void factor_at_rest(const TreeFor<S>& robot, std::span<const S> q, Workspace<S>& ws) {
    joint_turns<S>(robot, q, ws.turns);
    in_shape(robot, [&]<class Shape>(Shape) {
      Handed<Shape, ArticulatedInertia<S>> children(ws.children);
      children.start();
      for (int i = robot.joints() - 1; i >= 0; --i)
        eliminate<Shape, GivenTorques<S>, S, false>(robot, i, q, children, ws);
    });
  }

  // q̈ for torques τ, any number of times after one factor() at the same q.
  template <class S>
  static void solve(const TreeFor<S>& robot, std::span<const S> q, std::span<const S> tau, Workspace<S>& ws,
                    std::span<S> qdd) {
    const GivenTorques<S> joints{tau, qdd};
    in_shape(robot, [&]<class Shape>(Shape) {
      Handed<Shape, Wrench<S>> loads(ws.loads);
      loads.start();
      for (int i = robot.joints() - 1; i >= 0; --i) apply_torque<Shape, S>(robot, i, q, joints, loads, ws);
      accelerate<Shape, S>(robot, q, joints, ws);
    });
  }

  // The same if six joints at zero carry a free base (Tree::carried): one step for all of them.
  struct OnCarriedBase;

 protected:
  template <class S>
  using Spin = typename Workspace<S>::Spin;
  template <class S>
  using Acceleration = typename Workspace<S>::Acceleration;

  // Outward: angular velocities, and the accelerations, forces and moments they cause.
  template <class Shape, class S>
  static void find_velocities(const TreeFor<S>& robot, std::span<const S> q, std::span<const S> rates,
                              Workspace<S>& ws) {
    joint_turns<S>(robot, q, ws.turns);
    Handed<Shape, Spin<S>> spins(ws.spins);
    carry_spins<Shape, S>(robot, 0, q, rates, spins, ws);
  }
  // From link `first` on.
  template <class Shape, class S>
  [[gnu::always_inline]] static void carry_spins(const TreeFor<S>& robot, int first, std::span<const S> q,
                                                 std::span<const S> rates, Handed<Shape, Spin<S>>& spins,
                                                 Workspace<S>& ws) {
    for (int i = first; i < robot.joints(); ++i) {
      const auto& link = robot.link(i);
      const int up = Shape::parent(robot, i);
      const S& qd = rates[index(link.q)];
      auto& own = ws.links[index(i)];
      if (up == base_link) {
        own.zeta = own.gamma = {};
        own.load = {};  // the wrench it needs is across its axis and moves nothing: no (4)
        spins.leave(i, Shape::revolute(link) ? about_fixed_axis(qd) : Spin<S>{});
        continue;
      }
      Spin<S>& parent = spins[up];
      own.gamma = parent.Omega * Shape::offset(link, q);  // (3)
      Vec3<S> omega = to_child(Shape::tilt(link), ws.turns[i], parent.omega);
      const S rate = Shape::revolute(link) ? qd : qd + qd;
      own.zeta = {omega.y * rate, -(omega.x * rate), S{}};  // (2)
      if (Shape::revolute(link)) omega.z += qd;             // (1)
      const Sym3<S> Omega = centrifugal_tensor(omega);
      own.load = {Omega * Shape::moment(link), centrifugal_moment(Omega, Shape::pseudo(link))};  // (4)
      spins.leave(i, {omega, Omega});
    }
  }

  // (1) for a link on the base.
  template <class S>
  static Spin<S> about_fixed_axis(const S& qd) {
    const S square = qd * qd, zero{};
    return {{zero, zero, qd}, {-square, -square, zero, zero, zero, zero}};
  }

  // Inward: the pivot of link i, then what it adds to its parent.
  template <class Shape, class Joints, class S, bool moving = true>
  [[gnu::always_inline]] static void eliminate(const TreeFor<S>& robot, int i, std::span<const S> q,
                                               Handed<Shape, ArticulatedInertia<S>>& children, Workspace<S>& ws) {
    const auto& link = robot.link(i);
    const int up = Shape::parent(robot, i);
    const bool revolute = Shape::revolute(link);
    const auto rotor = added_inertia(robot, link);
    auto& own = ws.links[index(i)];
    ArticulatedInertia<S>& A = children[i];
    const bool gives_way = Joints::gives_way(robot, link);
    add_link<Shape>(A, link);                                                         // (7)
    const Wrench<S> U = along_z(revolute, A);                                         // (5)
    if constexpr (moving) own.load += across_z(revolute, A, own.zeta.x, own.zeta.y);  // (8)
    if (gives_way) {
      ws.pivots[index(i)] = with_added(felt_by_joint(revolute, U), rotor);  // (6)
      own.inverse_pivot = ConstantOf<S>(1) / ws.pivots[index(i)];
      own.k = own.inverse_pivot * U;
    } else {
      own.k = {-U.force, -U.moment};  // (13)
    }
    if (up == base_link) return;
    ArticulatedInertia<S> felt =
        gives_way ? felt_by_parent<Shape>(link, rotor, ws.turns[i], Shape::offset(link, q), U, own.k, A)
                  : borne_by_parent<Shape>(link, ws.turns[i], Shape::offset(link, q), A);                 // (7)
    if constexpr (moving) ws.links[index(up)].load += Wrench<S>{felt.M * own.gamma, felt.H * own.gamma};  // (8)
    if (!revolute) add_mass(felt, -link.augmented_mass);                                                  // (7)
    children.add(up, felt);
  }

  // Inward: the torque that remains at joint i, then what it adds to the parent.
  template <class Shape, class S, class Joints>
  [[gnu::always_inline]] static void apply_torque(const TreeFor<S>& robot, int i, std::span<const S> q,
                                                  const Joints& joints, Handed<Shape, Wrench<S>>& loads,
                                                  Workspace<S>& ws) {
    const auto& link = robot.link(i);
    const int up = Shape::parent(robot, i);
    auto& own = ws.links[index(i)];
    Wrench<S> load = loads[i] + own.load;  // (10)
    if (Joints::gives_way(robot, link)) {
      const S u = joints.given(robot, link) - felt_by_joint(Shape::revolute(link), load);  // (9)
      own.w = u * own.inverse_pivot;
      if (up == base_link) return;
      load += u * own.k;  // (10)
    } else {
      load += -joints.given(robot, link) * own.k;  // (14)
      own.w = felt_by_joint(Shape::revolute(link), load);
      if (up == base_link) return;
    }
    loads.add(up, to_parent(Shape::tilt(link), ws.turns[i], Shape::offset(link, q), load));
  }

  // Outward.
  template <class Shape, class S, class Joints>
  static void accelerate(const TreeFor<S>& robot, std::span<const S> q, const Joints& joints, Workspace<S>& ws) {
    Handed<Shape, Acceleration<S>> accelerations(ws.accelerations);
    carry_accelerations<Shape, S>(robot, 0, q, joints, accelerations, ws);
  }
  template <class Shape, class S, class Joints>
  [[gnu::always_inline]] static void carry_accelerations(const TreeFor<S>& robot, int first, std::span<const S> q,
                                                         const Joints& joints,
                                                         Handed<Shape, Acceleration<S>>& accelerations,
                                                         Workspace<S>& ws) {
    for (int i = first; i < robot.joints(); ++i) {
      const auto& link = robot.link(i);
      const int up = Shape::parent(robot, i);
      const auto& own = ws.links[index(i)];
      Acceleration<S> x{};
      S found;
      if (up == base_link) {
        x.a = to_child(Shape::tilt(link), ws.turns[i], -robot.gravity);
        found = own.w - dot(own.k.force, x.a);  // (12), (15)
      } else {
        const Acceleration<S>& parent = accelerations[up];
        x.alpha = to_child(Shape::tilt(link), ws.turns[i], parent.alpha);  // (11)
        x.a = to_child(Shape::tilt(link), ws.turns[i],
                       add_cross(parent.a + own.gamma, parent.alpha, Shape::offset(link, q)));
        found = (own.w - dot(own.k.moment, x.alpha)) - dot(own.k.force, x.a);  // (12), (15)
      }
      const S& rate = joints.take(robot, link, found);
      (Shape::revolute(link) ? x.alpha : x.a) += Vec3<S>{own.zeta.x, own.zeta.y, rate};  // (11)
      accelerations.leave(i, x);
    }
  }
};

struct ArticulatedBody::OnCarriedBase : ArticulatedBody {
  template <class S>
  struct Workspace : ArticulatedBody::Workspace<S> {
    Carrier<ConstantOf<S>> carrier;
    Ldlt<S, base_joints> base;  // (16) factors of its articulated inertia, in its frame: rotation before translation
    Vec3<S> drift;              // (18) what the rates add to the angular acceleration, along the joints' axes

    explicit Workspace(const TreeFor<S>& robot) : ArticulatedBody::Workspace<S>(robot), carrier(robot) {}
  };

  template <class S>
  static void run(const TreeFor<S>& robot, std::span<const S> q, std::span<const S> qd, std::span<const S> tau,
                  Workspace<S>& ws, std::span<S> qdd) {
    const GivenTorques<S> joints{tau, qdd};
    in_shape(robot, [&]<class Shape>(Shape) {
      find_velocities_on_base<Shape, S>(robot, q, qd, ws);
      Handed<Shape, ArticulatedInertia<S>> children(ws.children);
      Handed<Shape, Wrench<S>> loads(ws.loads);
      children.start(), loads.start();
      for (int i = robot.joints() - 1; i >= base_joints; --i) {
        eliminate<Shape, GivenTorques<S>, S>(robot, i, q, children, ws);
        apply_torque<Shape, S>(robot, i, q, joints, loads, ws);
      }
      factor_base<Shape, S>(robot, children[last], ws);
      move<Shape, S>(robot, q, joints, loads[last], ws);
    });
  }
  template <class S>
  static void factor(const TreeFor<S>& robot, std::span<const S> q, std::span<const S> qd, Workspace<S>& ws) {
    in_shape(robot, [&]<class Shape>(Shape) {
      find_velocities_on_base<Shape, S>(robot, q, qd, ws);
      Handed<Shape, ArticulatedInertia<S>> children(ws.children);
      children.start();
      for (int i = robot.joints() - 1; i >= base_joints; --i)
        eliminate<Shape, GivenTorques<S>, S>(robot, i, q, children, ws);
      factor_base<Shape, S>(robot, children[last], ws);
    });
  }
  template <class S>
  static void solve(const TreeFor<S>& robot, std::span<const S> q, std::span<const S> tau, Workspace<S>& ws,
                    std::span<S> qdd) {
    const GivenTorques<S> joints{tau, qdd};
    in_shape(robot, [&]<class Shape>(Shape) {
      Handed<Shape, Wrench<S>> loads(ws.loads);
      loads.start();
      for (int i = robot.joints() - 1; i >= base_joints; --i) apply_torque<Shape, S>(robot, i, q, joints, loads, ws);
      move<Shape, S>(robot, q, joints, loads[last], ws);
    });
  }

 private:
  static constexpr int last = base_joints - 1;  // the base's own link

  template <class Shape, class S>
  static void find_velocities_on_base(const TreeFor<S>& robot, std::span<const S> q, std::span<const S> rates,
                                      Workspace<S>& ws) {
    joint_turns<S>(robot, q, ws.turns);
    const S &wx = rates[3], &wy = rates[4], &wz = rates[5];
    const auto& link = robot.link(last);
    auto& own = ws.links[last];
    const Vec3<S> omega = ws.carrier.link_from_axes * Vec3<S>{wx, wy, wz};
    const Sym3<S> Omega = centrifugal_tensor(omega);
    own.load = {Omega * Shape::moment(link), centrifugal_moment(Omega, Shape::pseudo(link))};  // (4)
    ws.drift = {wy * wz, -(wx * wz), wx * wy};
    Handed<Shape, Spin<S>> spins(ws.spins);
    spins.leave(last, {omega, Omega});
    carry_spins<Shape, S>(robot, base_joints, q, rates, spins, ws);
  }
  // (16): here the mass of everything counts too.
  template <class Shape, class S>
  static void factor_base(const TreeFor<S>& robot, ArticulatedInertia<S> A, Workspace<S>& ws) {
    add_link<Shape>(A, robot.link(last));
    add_mass(A, robot.link(last).augmented_mass);
    const auto& [I, H, M] = A;
    const S lower[] = {I.zz, I.yz, I.yy, I.xz, I.xy, I.xx, H.zz, H.yz, H.xz, M.zz, H.zy,
                       H.yy, H.xy, M.yz, M.yy, H.zx, H.yx, H.xx, M.xz, M.xy, M.xx};
    std::copy(std::begin(lower), std::end(lower), ws.base.entries);
    ws.base.factor();
    for (int k = 0; k < base_joints; ++k) ws.pivots[index(last - k)] = ws.base.entries[ws.base.at(k, k)];
  }
  // (17), (18), then outward from the base.
  template <class Shape, class S, class Joints>
  static void move(const TreeFor<S>& robot, std::span<const S> q, const Joints& joints, const Wrench<S>& beyond,
                   Workspace<S>& ws) {
    const auto& [to_link, base_to_link] = std::tie(ws.carrier.link_from_axes, ws.carrier.link_from_base);
    const auto& tau = joints.tau;
    const Wrench<S> load = beyond + ws.links[last].load;
    const Vec3<S> moment = to_link * Vec3<S>{tau[3], tau[4], tau[5]} - load.moment,
                  force = to_link * Vec3<S>{tau[0], tau[1], tau[2]} - load.force;
    S x[] = {moment.z, moment.y, moment.x, force.z, force.y, force.x};
    ws.base.solve(x);
    const Acceleration<S> found{{x[2], x[1], x[0]}, {x[5], x[4], x[3]}};
    const Vec3<S> linear = to_link.transpose() * (found.a + base_to_link * robot.gravity),
                  angular = to_link.transpose() * found.alpha - ws.drift;
    joints.qdd[0] = linear.x, joints.qdd[1] = linear.y, joints.qdd[2] = linear.z;
    joints.qdd[3] = angular.x, joints.qdd[4] = angular.y, joints.qdd[5] = angular.z;
    Handed<Shape, Acceleration<S>> accelerations(ws.accelerations);
    accelerations.leave(last, found);
    carry_accelerations<Shape, S>(robot, base_joints, q, joints, accelerations, ws);
  }
};

}  // namespace catena
