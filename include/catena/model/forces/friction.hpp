// Friction of a joint: τ = viscous q̇ + (coulomb + stribeck exp(-(q̇/stribeck_speed)²)) sign(q̇). Equations:
// docs/equations/joint_forces.md.
#pragma once

#include "catena/model/joint_force.hpp"

namespace catena {

struct Friction {
  template <class T>
  struct Constants {
    T viscous = T(0), coulomb = T(0);
    T stribeck = T(0), stribeck_speed = T(0);  // what a joint takes more that hardly moves; where a 1/e of it is left
    bool acts() const { return !(viscous == T(0)) || !(coulomb == T(0)) || !(stribeck == T(0)); }
    template <class U>
    Constants<U> cast() const {
      return {U(viscous), U(coulomb), U(stribeck), U(stribeck_speed)};
    }
  };
  static Constants<double> of(const JointDrive& drive) {
    return {drive.viscous, drive.coulomb, drive.stribeck, drive.stribeck_speed};
  }

  // (1) Dry friction jumps at rest. Most robots have no Stribeck friction, and pay nothing for it.
  template <class S, class C>
  static S torque(const C& c, const JointState<S>& x) {
    const S usual = c.viscous * x.qd + c.coulomb * sign(x.qd);
    return c.stribeck == ConstantOf<S>(0) ? usual : S(usual + c.stribeck * rise<S>(c, x.qd));
  }
  // (5)
  template <class S, class C>
  static S damping(const C& c, const S& qd) {
    if (c.stribeck == ConstantOf<S>(0)) return S(c.viscous);
    const auto per_speed = ConstantOf<S>(1) / c.stribeck_speed;
    return S(c.viscous) - (ConstantOf<S>(2) * c.stribeck * per_speed) * ((per_speed * qd) * rise<S>(c, qd));
  }

  static constexpr std::array<ParameterInfo, 3> parameters{
      {{"fv{}", "viscous friction", "N m s/rad", "N s/m"},
       {"fc{}", "dry friction", "N m", "N"},
       {"fs{}", "Stribeck friction", "N m", "N", ParameterKind::device}}};
  template <class S, class C>
  static std::array<S, 3> columns(const C& c, const JointState<S>& x) {
    return {x.qd, sign(x.qd), c.stribeck_speed == ConstantOf<S>(0) ? S{} : rise<S>(c, x.qd)};
  }
  static std::array<double, 3> values(const Constants<double>& c) { return {c.viscous, c.coulomb, c.stribeck}; }
  template <class N, class C, class Visitor>
  static void vary(const Constants<N>& nominal, C& c, Visitor&& visit) {
    if (nominal.acts()) visit(c.viscous), visit(c.coulomb);
    if (!(nominal.stribeck == N(0))) visit(c.stribeck);
  }
  static void set(const Constants<double>& nominal, Constants<double>& c, const double* theta) {
    if (nominal.acts()) c.viscous = theta[0], c.coulomb = theta[1];
    if (nominal.stribeck != 0.0) c.stribeck = theta[2];
  }

 private:
  // exp(-(q̇/stribeck_speed)²) sign(q̇)
  template <class S, class C>
  static S rise(const C& c, const S& qd) {
    const S u = (ConstantOf<S>(1) / c.stribeck_speed) * qd;
    return decay(S(u * u)) * sign(qd);
  }
};

}  // namespace catena
