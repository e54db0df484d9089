// The rotor of a joint's motor, seen through its gear: τ = gear_ratio² rotor_inertia q̈.
// Equations: docs/equations/joint_forces.md.
#pragma once

#include "catena/model/joint_force.hpp"

namespace catena {

struct Rotor {
  template <class T>
  struct Constants {
    T reflected_inertia = T(0);  // gear_ratio² rotor_inertia
    bool acts() const { return !(reflected_inertia == T(0)); }
    template <class U>
    Constants<U> cast() const {
      return {U(reflected_inertia)};
    }
  };
  static Constants<double> of(const JointDrive& drive) {
    return {drive.gear_ratio * drive.gear_ratio * drive.rotor_inertia};
  }

  // (2)
  template <class S, class C>
  static S torque(const C& c, const JointState<S>& x) {
    return c.reflected_inertia * x.qdd;
  }
  template <class C>
  static auto inertia(const C& c) {
    return c.reflected_inertia;
  }
  template <class S, class C>
  static S kinetic_energy(const C& c, const S& qd) {
    return (ConstantOf<S>(0.5) * c.reflected_inertia) * (qd * qd);
  }

  static constexpr std::array<ParameterInfo, 1> parameters{
      {{"Jr{}", "reflected inertia of the rotor", "kg m^2", "kg"}}};
  template <class S, class C>
  static std::array<S, 1> columns(const C&, const JointState<S>& x) {
    return {x.qdd};
  }
  static std::array<double, 1> values(const Constants<double>& c) { return {c.reflected_inertia}; }
  template <class N, class C, class Visitor>
  static void vary(const Constants<N>& nominal, C& c, Visitor&& visit) {
    if (nominal.acts()) visit(c.reflected_inertia);
  }
  static void set(const Constants<double>& nominal, Constants<double>& c, const double* theta) {
    if (nominal.acts()) c.reflected_inertia = theta[0];
  }
};

}  // namespace catena
