// Coriolis and centrifugal matrix by the decoupled natural orthogonal complement (Saha eq. 29, with its subscript
// corrected), and a variant with one term changed, which gives the matrix of Christoffel symbols. Equations
// (1)-(12): docs/equations/denoc_coriolis.md. Components along the base axes; link i's quantities are about its mass
// centre.
#pragma once

#include "formulations/shared/links_in_base.hpp"

namespace catena {

namespace detail {

template <bool christoffel>
struct DenocCoriolisSweep {
  template <class S>
  struct Workspace {
    // Link i and all links beyond it, about the mass centre of link i.
    struct Composite {
      Vec3<S> X, X_dot;  // (5) first moment and its rate
      Sym3<S> I;         // (6) inertia
      Mat3<S> G;         // (7) the angular block of Saha's S and of the rate of M̃
    };
    Array<LinkInBase<S>> links;
    Array<Composite> composites;
    JointTurns<S> turns;

    explicit Workspace(const TreeFor<S>& robot)
        : links(index(robot.joints())), composites(index(robot.joints())), turns(robot.joints()) {}
  };

  template <class S>
  static void run(const TreeFor<S>& robot, std::span<const S> q, std::span<const S> qd, Workspace<S>& ws,
                  const MatrixView<S>& C) {
    joint_turns<S>(robot, q, ws.turns);
    place_links<S>(robot, q, qd, ws.turns, ws.links);
    C.set_zero();
    for (int i = 0; i < robot.joints(); ++i) {
      const auto& own = ws.links[index(i)];
      ws.composites[index(i)] = {{}, {}, own.inertia, rate_of_inertia(robot.link(i), own)};
    }
    for (int i = robot.joints() - 1; i >= 0; --i) {
      const auto& link = robot.link(i);
      const auto& own = ws.links[index(i)];
      const Wrenches<S> w = wrenches(link, own, ws.composites[index(i)]);
      C(link.q, link.q) = project<S>(link.revolute, own.axis, w.moment, own.arm, w.force);  // (11)
      for (int j = link.parent; j != base_link; j = robot.link(j).parent) {
        const auto& ancestor = robot.link(j);
        const auto& up = ws.links[index(j)];
        const Vec3<S> reach = own.com - up.origin;
        C(ancestor.q, link.q) = project<S>(ancestor.revolute, up.axis, w.moment, reach, w.force);  // (11)
        S below{};                                                                                 // (12)
        if (ancestor.parent != base_link)
          below = project<S>(ancestor.revolute, up.axis_dot, w.momentum_moment, reach, w.momentum);
        if (ancestor.revolute) below += dot(up.axis, add_cross(w.y, own.com_dot - up.origin_dot, w.momentum));
        C(link.q, ancestor.q) = below;
      }
      if (link.parent != base_link) add_to_parent(robot, i, ws);
    }
  }

 private:
  // The effect of joint i's motion on its composite, about the mass centre of link i.
  template <class S>
  struct Wrenches {
    Vec3<S> momentum, momentum_moment;  // (8) M̃ p
    Vec3<S> force, moment;              // (9) (M̃ Ω + S + rate of M̃) p
    Vec3<S> y;                          // (10) (S + rate of M̃)ᵀ p, angular half
  };

  // a . (n + r x f) for a revolute joint with axis a, a . f for a prismatic one
  template <class S>
  static S project(bool revolute, const Vec3<S>& a, const Vec3<S>& n, const Vec3<S>& r, const Vec3<S>& f) {
    return revolute ? dot(a, add_cross(n, r, f)) : dot(a, f);
  }

  // (7) the link's own contribution: ω~ I, or ω~ (I - ½ tr(I) 1) for the Christoffel matrix
  template <class T, class S>
  static Mat3<S> rate_of_inertia([[maybe_unused]] const LinkConstants<T>& link, const LinkInBase<S>& own) {
    if constexpr (christoffel) return cross(own.omega, trace_free_inertia(link, own));
    return cross(own.omega, own.inertia);
  }

  template <class T, class S, class Composite>
  static Wrenches<S> wrenches(const LinkConstants<T>& link, const LinkInBase<S>& own, const Composite& c) {
    const T m = link.augmented_mass;
    const auto& [X, X_dot, I, G] = c;
    const auto &e = own.axis, &e_dot = own.axis_dot;
    if (!link.revolute) return {m * e, cross(X, e), m * e_dot, cross(X, e_dot), cross(X_dot, e)};
    const Vec3<S> v = cross(e, own.arm), v_dot = cross(own.omega, v);
    return {add_cross(m * v, e, X), add_cross(I * e, X, v),                                   // (8)
            add_cross(add_cross(m * v_dot, e_dot, X), e, X_dot),                              // (9)
            add_cross(I * e_dot + G * e, X, v_dot), add_cross(G.transpose() * e, X_dot, v)};  // (10)
  }

  // (5)-(7): from the mass centre of link i to that of its parent
  template <class S>
  static void add_to_parent(const TreeFor<S>& robot, int i, Workspace<S>& ws) {
    const auto& link = robot.link(i);
    const auto m = link.augmented_mass;
    const auto &own = ws.links[index(i)], &up = ws.links[index(link.parent)];
    const auto& [X, X_dot, I, G] = ws.composites[index(i)];
    auto& parent = ws.composites[index(link.parent)];
    const Vec3<S> k = own.com - up.com, k_dot = own.com_dot - up.com_dot;
    const Vec3<S> share_dot = X_dot + m * k_dot, half = (ConstantOf<S>(0.5) * m) * k;
    const Vec3<S> middle = X + half;
    parent.X += middle + half;
    parent.X_dot += share_dot;
    parent.I += I;
    parent.I += minus_cross_cross_symmetric(k, middle);
    parent.G += G;
    parent.G += minus_cross_cross(k, share_dot);
    parent.G += minus_cross_cross(X, k_dot);
  }
};

}  // namespace detail

struct DenocCoriolis : detail::DenocCoriolisSweep<false> {
  static constexpr FormulationInfo info{"denoc", "coriolis", "Saha 1999, eq. 29, second subscript corrected",
                                        "docs/equations/denoc_coriolis.md", "none published"};
};

struct DenocChristoffel : detail::DenocCoriolisSweep<true> {
  static constexpr FormulationInfo info{"denoc-christoffel", "coriolis",
                                        "Saha 1999, eq. 29 with the trace-free rate of inertia",
                                        "docs/equations/denoc_coriolis.md", "none published"};
};

}  // namespace catena
