// Friction of a joint: τ = viscous q̇ + coulomb sign(q̇). Equations: docs/equations/joint_forces.md.
#pragma once

#include "catena/model/joint_force.hpp"

namespace catena {

struct Friction {
  template <class T>
  struct Constants {
    T viscous = T(0), coulomb = T(0);
    bool acts() const { return !(viscous == T(0)) || !(coulomb == T(0)); }
    template <class U>
    Constants<U> cast() const {
      return {U(viscous), U(coulomb)};
    }
  };
  static Constants<double> of(const JointDrive& drive) { return {drive.viscous, drive.coulomb}; }

  // (1) Dry friction is constant except for its jump.
  template <class S, class C>
  static S torque(const C& c, const JointState<S>& x) {
    return c.viscous * x.qd + c.coulomb * sign(x.qd);
  }
  template <class C>
  static auto damping(const C& c) {
    return c.viscous;
  }

  static constexpr std::array<ParameterInfo, 2> parameters{
      {{"fv{}", "viscous friction", "N m s/rad", "N s/m"}, {"fc{}", "dry friction", "N m", "N"}}};
  template <class S>
  static std::array<S, 2> columns(const JointState<S>& x) {
    return {x.qd, sign(x.qd)};
  }
  static std::array<double, 2> values(const Constants<double>& c) { return {c.viscous, c.coulomb}; }
};

}  // namespace catena
