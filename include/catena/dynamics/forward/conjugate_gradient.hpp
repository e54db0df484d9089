// Forward dynamics by conjugate gradients (Walker and Orin's method 4): M is only ever multiplied with a vector, by an
// inverse dynamics without velocities and gravity. Equations (1)-(9): docs/equations/conjugate_gradient.md.
#pragma once

#include <cmath>
#include <limits>

#include "catena/dynamics/around/drives.hpp"
#include "catena/dynamics/bias/by_inverse.hpp"
#include "catena/dynamics/inverse/tensor_augmented.hpp"

namespace catena {

namespace detail {
// Whether to stop early. Only machine numbers can say: others take every step.
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
    struct Link {
      Vec3<S> alpha, a;  // (2)
      Vec3<S> f, n;      // (3)
    };
    struct Body {
      Vec3<S> h;  // (4) first moment
      Sym3<S> E;  // (4) pseudo-inertia
    };
    BiasByInverse<TensorAugmented>::Workspace<S> bias_by;
    Array<Body> bodies;
    Array<Link> links;
    Array<S> phi;         // (1), by q, as are all that follow but the pivots
    Array<S> diagonal;    // (4)
    Array<S> r;           // (5) what is left of φ
    Array<S> directions;  // (6) row k: p_k
    Array<S> images;      // (6) row k: M p_k
    Array<S> energies;    // (6) p_k · M p_k
    Array<S> pivots;      // (4) by link; zero at the joint that kept the search from ending

    explicit Workspace(const MechanismFor<S>& robot)
        : bias_by(robot),
          bodies(index(robot.n())),
          links(index(robot.n())),
          phi(index(robot.n())),
          diagonal(index(robot.n())),
          r(index(robot.n())),
          directions(index(robot.n()) * index(robot.n())),
          images(directions.size()),
          energies(index(robot.n())),
          pivots(index(robot.n())) {}
  };

  template <class S>
  static void run(const MechanismFor<S>& robot, std::span<const S> q, std::span<const S> qd, std::span<const S> tau,
                  Workspace<S>& ws, std::span<S> qdd) {
    BiasByInverse<TensorAugmented>::run<S>(robot, q, qd, ws.bias_by, ws.phi);
    for (std::size_t j = 0; j < qdd.size(); ++j) {  // (1)
      ws.phi[j] = tau[j] - ws.phi[j];
      ws.r[j] = ws.phi[j];
      qdd[j] = S{};
    }
    find_diagonal<S>(robot, q, ws);
    const S scale = norm(ws, ws.phi);
    for (int k = 0; k < robot.n() && !is_solved(ws, scale); ++k) step<S>(robot, q, k, ws, qdd);
    if constexpr (std::floating_point<S>) {
      find_residual<S>(robot, q, ws, qdd);
      if (!(norm(ws, ws.r) <= S(1e-6) * scale)) report_unsolved(robot, ws);
    }
  }

 private:
  // (6)-(8): the direction of steepest descent, conjugate to all before it; as far along it as pays.
  template <class S>
  static void step(const MechanismFor<S>& robot, std::span<const S> q, int k, Workspace<S>& ws, std::span<S> qdd) {
    const std::size_t n = qdd.size();
    const std::span<S> p = std::span(ws.directions).subspan(index(k) * n, n);
    const std::span<S> Mp = std::span(ws.images).subspan(index(k) * n, n);
    for (std::size_t j = 0; j < n; ++j) p[j] = ws.r[j] / ws.diagonal[j];
    for (int l = 0; l < k; ++l) {  // (6)
      const std::size_t row = index(l) * n;
      S share{};
      for (std::size_t j = 0; j < n; ++j) share += p[j] * ws.images[row + j];
      share = share / ws.energies[index(l)];
      for (std::size_t j = 0; j < n; ++j) p[j] -= share * ws.directions[row + j];
    }
    multiply<S>(robot, q, p, ws, Mp);
    S energy{}, gain{};
    for (std::size_t j = 0; j < n; ++j) {
      energy += p[j] * Mp[j];
      gain += p[j] * ws.r[j];
    }
    // Never 0 / 0, where the search has ended before its last step.
    ws.energies[index(k)] = energy + std::numeric_limits<ConstantOf<S>>::min();
    const S length = gain / ws.energies[index(k)];  // (7)
    for (std::size_t j = 0; j < n; ++j) {           // (8)
      qdd[j] += length * p[j];
      ws.r[j] -= length * Mp[j];
    }
  }

  // (2), (3): M v, the torques for the accelerations v of a robot that stands still and weighs nothing.
  template <class S>
  static void multiply(const MechanismFor<S>& robot, std::span<const S> q, std::span<const S> v, Workspace<S>& ws,
                       std::span<S> out) {
    const auto& turns = ws.bias_by.turns();
    for (int i = 0; i < robot.n(); ++i) {
      const auto& link = robot.link(i);
      auto& [alpha, a, f, n] = ws.links[index(i)];
      alpha = a = {};
      if (link.parent != base) {
        const auto& parent = ws.links[index(link.parent)];
        alpha = to_child(link.tilt, turns[i], parent.alpha);  // (2)
        a = to_child(link.tilt, turns[i], add_cross(parent.a, parent.alpha, joint_offset(link, q[index(link.q)])));
      }
      (link.revolute ? alpha : a).z += v[index(link.q)];
      f = link.mass * add_cross(a, alpha, link.com);  // (3)
      n = add_cross(link.inertia_com * alpha, link.com, f);
    }
    for (int i = robot.n() - 1; i >= 0; --i) {
      const auto& link = robot.link(i);
      const auto& own = ws.links[index(i)];
      S& torque = out[index(link.q)];
      torque = link.revolute ? own.n.z : own.f.z;  // (3)
      if (robot.has_drives) torque += rotor_inertia(robot, link) * v[index(link.q)];
      if (link.parent == base) continue;
      auto& parent = ws.links[index(link.parent)];
      const Vec3<S> f = to_parent(link.tilt, turns[i], own.f);
      parent.f += f;
      parent.n = add_cross(parent.n + to_parent(link.tilt, turns[i], own.n), joint_offset(link, q[index(link.q)]), f);
    }
  }

  // (4): the diagonal of M, from each link with all that hangs on it taken as one body.
  template <class S>
  static void find_diagonal(const MechanismFor<S>& robot, std::span<const S> q, Workspace<S>& ws) {
    for (auto& body : ws.bodies) body = {};
    for (int i = robot.n() - 1; i >= 0; --i) {
      const auto& link = robot.link(i);
      auto& [h, E] = ws.bodies[index(i)];
      h += link.mass * link.com;
      E += link.pseudo_com + link.mass * outer(link.com);
      const S inertia = link.revolute ? S(E.xx + E.yy) : S(link.augmented_mass);
      ws.pivots[index(i)] = ws.diagonal[index(link.q)] = with_rotor(inertia, rotor_inertia(robot, link));
      if (link.parent == base) continue;
      const Vec3<S> s = joint_offset(link, q[index(link.q)]);
      const Vec3<S> turned = to_parent(link.tilt, ws.bias_by.turns()[i], h);
      ws.bodies[index(link.parent)].h += turned + link.augmented_mass * s;
      ws.bodies[index(link.parent)].E +=
          to_parent(link.tilt, ws.bias_by.turns()[i], E) + outer_symmetric(s, turned) + link.augmented_mass * outer(s);
    }
  }

  // (5)
  template <class S>
  static void find_residual(const MechanismFor<S>& robot, std::span<const S> q, Workspace<S>& ws,
                            std::span<const S> qdd) {
    multiply<S>(robot, q, qdd, ws, ws.r);
    for (std::size_t j = 0; j < qdd.size(); ++j) ws.r[j] = ws.phi[j] - ws.r[j];
  }

  // (9): the square of a norm in which a joint's torque counts by the acceleration that it gives alone.
  template <class S>
  static S norm(const Workspace<S>& ws, const Array<S>& v) {
    S sum{};
    for (std::size_t j = 0; j < v.size(); ++j) sum += v[j] * v[j] / ws.diagonal[j];
    return sum;
  }
  template <class S>
  static bool is_solved(const Workspace<S>& ws, const S& scale) {
    constexpr double epsilon = std::numeric_limits<ConstantOf<S>>::epsilon();
    return std::floating_point<S> && detail::is_below(norm(ws, ws.r), scale, epsilon * epsilon);
  }

  // No acceleration takes away the torque left at some joint: it moves nothing that has inertia.
  template <class S>
  static void report_unsolved(const MechanismFor<S>& robot, Workspace<S>& ws) {
    int worst = 0;
    S most = S(-1);
    for (int i = 0; i < robot.n(); ++i) {
      const std::size_t j = index(robot.link(i).q);
      const S left = ws.r[j] * ws.r[j] / ws.diagonal[j];
      if (!(left <= most)) most = left, worst = i;
    }
    ws.pivots[index(worst)] = S(0);
  }
};

}  // namespace catena
