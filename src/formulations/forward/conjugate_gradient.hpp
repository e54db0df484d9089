// Forward dynamics by conjugate gradients (Walker and Orin's method 4): M is only ever multiplied by a vector, through
// an inverse dynamics without velocities and gravity. Equations (1)-(10): docs/equations/conjugate_gradient.md.
#pragma once

#include <algorithm>
#include <limits>

#include "catena/formulation/conditioning.hpp"
#include "forces/joint_forces.hpp"
#include "formulations/bias/by_inverse.hpp"
#include "formulations/forward/articulated_body.hpp"
#include "formulations/inverse/tensor_augmented.hpp"
#include "formulations/shared/still_robot.hpp"

namespace catena {

namespace detail {
// Whether to stop early. Only machine numbers can be tested: other scalars take every step.
template <class S>
constexpr bool is_below(const S&, const S&, double) {
  return false;
}
template <std::floating_point S>
constexpr bool is_below(const S& value, const S& scale, double ratio) {
  return value <= static_cast<S>(ratio) * scale;
}
}  // namespace detail

struct ConjugateGradient {
  static constexpr FormulationInfo info{"conjugate-gradient", "forward", "Walker and Orin 1982, method 4",
                                        "docs/equations/conjugate_gradient.md", "not published"};

  template <class S>
  struct Workspace {
    struct Body {
      Vec3<S> h;  // (4) first moment
      Sym3<S> E;  // (4) pseudo-inertia
    };
    BiasByInverse<TensorAugmented>::Workspace<S> bias_by;
    Array<Body> bodies;
    StillRobot<S> still;  // (2), (3)
    Array<S> phi;         // (1), by q, like all that follow except the pivots
    Array<S> diagonal;    // (4)
    Array<S> r;           // (5) the residual of φ
    Array<S> directions;  // (6) row k: p_k
    Array<S> images;      // (6) row k: M p_k
    Array<S> energies;    // (6) p_k · M p_k
    Array<S> pivots;      // (4) by link, or (11); zero at the joint that kept the search from converging
    int short_steps = 0;  // of the latest call: by the short recurrence (10) …
    int full_steps = 0;   // … and by (6), conjugate to all directions before
    ArticulatedBody::Workspace<S> articulated;  // (11)
    bool may_be_singular;                       // M; else (11) need not be looked at

    int iterations() const { return short_steps + full_steps; }

    explicit Workspace(const TreeFor<S>& robot)
        : bias_by(robot),
          bodies(index(robot.joints())),
          still(robot),
          phi(index(robot.joints())),
          diagonal(index(robot.joints())),
          r(index(robot.joints())),
          directions(index(robot.joints()) * std::max(index(robot.joints()), std::size_t(2))),
          images(directions.size()),
          energies(std::max(index(robot.joints()), std::size_t(2))),
          pivots(index(robot.joints())),
          articulated(robot),
          may_be_singular(forming_loses_digits(robot)) {}
  };

  template <class S>
  static void run(const TreeFor<S>& robot, std::span<const S> q, std::span<const S> qd, std::span<const S> tau,
                  Workspace<S>& ws, std::span<S> qdd) {
    start<S>(robot, q, qd, tau, ws, qdd);
    const S scale = norm(ws, ws.phi);
    if constexpr (std::floating_point<S>) {
      search_short<S>(robot, q, scale, 2 * robot.joints(), ws, qdd);
      find_residual<S>(robot, q, ws, qdd);
      if (!is_solved(ws, scale, residual_of_rounding)) search_fully<S>(robot, q, scale, ws, qdd);
      find_residual<S>(robot, q, ws, qdd);
      if (ws.may_be_singular) find_pivots<S>(robot, q, ws);
      if (!(norm(ws, ws.r) <= S(1e-6) * scale)) report_unsolved(robot, ws);
    } else {
      search_fully<S>(robot, q, scale, ws, qdd);  // the scalar cannot be tested: takes as many steps as can be needed
    }
  }

  // The textbook search, exactly n steps of the short recurrence: this is what is counted.
  template <class S>
  static void run_short(const TreeFor<S>& robot, std::span<const S> q, std::span<const S> qd, std::span<const S> tau,
                        Workspace<S>& ws, std::span<S> qdd) {
    start<S>(robot, q, qd, tau, ws, qdd);
    search_short<S>(robot, q, norm(ws, ws.phi), robot.joints(), ws, qdd);
  }

 private:
  // (1), (4)
  template <class S>
  static void start(const TreeFor<S>& robot, std::span<const S> q, std::span<const S> qd, std::span<const S> tau,
                    Workspace<S>& ws, std::span<S> qdd) {
    BiasByInverse<TensorAugmented>::run<S>(robot, q, qd, ws.bias_by, ws.phi);
    for (std::size_t j = 0; j < qdd.size(); ++j) {  // (1)
      ws.phi[j] = tau[j] - ws.phi[j];
      ws.r[j] = ws.phi[j];
      qdd[j] = S{};
    }
    find_diagonal<S>(robot, q, ws);
    ws.short_steps = ws.full_steps = 0;
  }

  // (6)-(8) from the present q̈: at most n steps, each direction conjugate to all before it.
  template <class S>
  static void search_fully(const TreeFor<S>& robot, std::span<const S> q, const S& scale, Workspace<S>& ws,
                           std::span<S> qdd) {
    for (int k = 0; k < robot.joints() && !is_solved(ws, scale); ++k, ++ws.full_steps) {
      propose<S>(k, ws);
      for (int l = 0; l < k; ++l) remove_share<S>(k, l, ws);  // (6)
      step<S>(robot, q, k, ws, qdd);
    }
  }
  // (10), (7), (8): the same by the short recurrence, which stores two directions and may take a few steps more.
  template <class S>
  static void search_short(const TreeFor<S>& robot, std::span<const S> q, const S& scale, int most, Workspace<S>& ws,
                           std::span<S> qdd) {
    for (int k = 0; k < most && !is_solved(ws, scale); ++k, ++ws.short_steps) {
      const int row = k % 2;
      propose<S>(row, ws);
      if (k > 0) remove_share<S>(row, 1 - row, ws);  // (10)
      step<S>(robot, q, row, ws, qdd);
    }
  }

  // A newly computed residual has rounding error: this many epsilons are not a reason to continue.
  static constexpr double residual_of_rounding = 16.0;

  template <class S>
  static std::span<S> row_of(Array<S>& rows, int k, const Workspace<S>& ws) {
    const std::size_t n = ws.phi.size();
    return std::span(rows).subspan(index(k) * n, n);
  }

  // Row k of the directions: steepest descent.
  template <class S>
  static void propose(int k, Workspace<S>& ws) {
    const std::span<S> p = row_of(ws.directions, k, ws);
    for (std::size_t j = 0; j < p.size(); ++j) p[j] = ws.r[j] / ws.diagonal[j];
  }
  // Makes row k conjugate to row l.
  template <class S>
  static void remove_share(int k, int l, Workspace<S>& ws) {
    const std::span<S> p = row_of(ws.directions, k, ws), before = row_of(ws.directions, l, ws);
    const std::span<S> image = row_of(ws.images, l, ws);
    S share{};
    for (std::size_t j = 0; j < p.size(); ++j) share += p[j] * image[j];
    share = share / ws.energies[index(l)];
    for (std::size_t j = 0; j < p.size(); ++j) p[j] -= share * before[j];
  }
  // (7), (8): steps along row k to the minimum.
  template <class S>
  static void step(const TreeFor<S>& robot, std::span<const S> q, int k, Workspace<S>& ws, std::span<S> qdd) {
    const std::span<S> p = row_of(ws.directions, k, ws), Mp = row_of(ws.images, k, ws);
    multiply<S>(robot, q, p, ws, Mp);
    S energy{}, gain{};
    for (std::size_t j = 0; j < p.size(); ++j) {
      energy += p[j] * Mp[j];
      gain += p[j] * ws.r[j];
    }
    // Never 0 / 0 if the search has converged before its last step.
    ws.energies[index(k)] = energy + std::numeric_limits<ConstantOf<S>>::min();
    const S length = gain / ws.energies[index(k)];  // (7)
    for (std::size_t j = 0; j < p.size(); ++j) {    // (8)
      qdd[j] += length * p[j];
      ws.r[j] -= length * Mp[j];
    }
  }

  // (2), (3): M v, rotors included.
  template <class S>
  static void multiply(const TreeFor<S>& robot, std::span<const S> q, std::span<const S> v, Workspace<S>& ws,
                       std::span<S> out) {
    ws.still.torques(robot, q, ws.bias_by.turns(), v, out);
    if (!robot.has_drives) return;
    for (const auto& link : robot.links) out[index(link.q)] += added_inertia(robot, link) * v[index(link.q)];
  }

  // (4): the diagonal of M, from each link with everything beyond it as one rigid body.
  template <class S>
  static void find_diagonal(const TreeFor<S>& robot, std::span<const S> q, Workspace<S>& ws) {
    for (auto& body : ws.bodies) body = {};
    for (int i = robot.joints() - 1; i >= 0; --i) {
      const auto& link = robot.link(i);
      auto& [h, E] = ws.bodies[index(i)];
      h += link.mass * link.com;
      E += link.pseudo_com + link.mass * outer(link.com);
      const S inertia = link.revolute ? S(E.xx + E.yy) : S(link.augmented_mass);
      ws.pivots[index(i)] = ws.diagonal[index(link.q)] = with_added(inertia, added_inertia(robot, link));
      if (link.parent == base_link) continue;
      const Vec3<S> s = joint_offset(link, q[index(link.q)]);
      const Vec3<S> turned = to_parent(link.tilt, ws.bias_by.turns()[i], h);
      ws.bodies[index(link.parent)].h += turned + link.augmented_mass * s;
      ws.bodies[index(link.parent)].E +=
          to_parent(link.tilt, ws.bias_by.turns()[i], E) + outer_symmetric(s, turned) + link.augmented_mass * outer(s);
    }
  }

  // (5)
  template <class S>
  static void find_residual(const TreeFor<S>& robot, std::span<const S> q, Workspace<S>& ws, std::span<const S> qdd) {
    multiply<S>(robot, q, qdd, ws, ws.r);
    for (std::size_t j = 0; j < qdd.size(); ++j) ws.r[j] = ws.phi[j] - ws.r[j];
  }

  // (9): the square of a norm in which a joint's torque is weighted by the acceleration it causes alone.
  template <class S>
  static S norm(const Workspace<S>& ws, const Array<S>& v) {
    S sum{};
    for (std::size_t j = 0; j < v.size(); ++j) sum += v[j] * v[j] / ws.diagonal[j];
    return sum;
  }
  template <class S>
  static bool is_solved(const Workspace<S>& ws, const S& scale, double times = 1.0) {
    constexpr double epsilon = std::numeric_limits<ConstantOf<S>>::epsilon();
    return std::floating_point<S> && detail::is_below(norm(ws, ws.r), scale, times * epsilon * times * epsilon);
  }

  // (11): the pivots of M. A search never leaves the range of M: where φ lies in it, it ends even if M is singular,
  // with one of many accelerations.
  template <class S>
  static void find_pivots(const TreeFor<S>& robot, std::span<const S> q, Workspace<S>& ws) {
    ArticulatedBody::factor_at_rest<S>(robot, q, ws.articulated);
    std::copy(ws.articulated.pivots.begin(), ws.articulated.pivots.end(), ws.pivots.begin());
  }

  // No acceleration removes the torque left at some joint: that joint moves nothing that has inertia.
  template <class S>
  static void report_unsolved(const TreeFor<S>& robot, Workspace<S>& ws) {
    int worst = 0;
    S most = S(-1);
    for (int i = 0; i < robot.joints(); ++i) {
      const std::size_t j = index(robot.link(i).q);
      const S left = ws.r[j] * ws.r[j] / ws.diagonal[j];
      if (!(left <= most)) most = left, worst = i;
    }
    ws.pivots[index(worst)] = S(0);
  }
};

}  // namespace catena
