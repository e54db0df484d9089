// A spring at a joint and a constant torque beside it: τ = stiffness (q - rest) + offset. Equations:
// docs/equations/joint_forces.md.
#pragma once

#include "catena/model/joint_force.hpp"

namespace catena {

struct Spring {
  template <class T>
  struct Constants {
    T stiffness = T(0), rest = T(0), offset = T(0);
    bool acts() const { return !(stiffness == T(0)) || !(offset == T(0)); }
    template <class U>
    Constants<U> cast() const {
      return {U(stiffness), U(rest), U(offset)};
    }
  };
  static Constants<double> of(const JointDrive& drive) { return {drive.spring, drive.spring_rest, drive.offset}; }

  // (3)
  template <class S, class C>
  static S torque(const C& c, const JointState<S>& x) {
    return holds(c, x.q);
  }
  template <class S, class C>
  static S holds(const C& c, const S& q) {
    return c.stiffness * (q - c.rest) + c.offset;
  }
  template <class S, class C>
  static auto stiffness(const C& c, const S&) {
    return c.stiffness;
  }
  template <class S, class C>
  static S potential_energy(const C& c, const S& q) {
    return (ConstantOf<S>(0.5) * c.stiffness) * ((q - c.rest) * (q - c.rest)) + c.offset * q;
  }

  static constexpr std::array<ParameterInfo, 2> parameters{
      {{"k{}", "stiffness of the spring", "N m/rad", "N/m", ParameterKind::device},
       {"offset{}", "offset less stiffness times rest position of the spring", "N m", "N",
        ParameterKind::signed_device}}};
  template <class S, class C>
  static std::array<S, 2> columns(const C&, const JointState<S>& x) {
    return {x.q, S(ConstantOf<S>(1))};
  }
  static std::array<double, 2> values(const Constants<double>& c) {
    return {c.stiffness, c.offset - c.stiffness * c.rest};
  }
  template <class N, class C, class Visitor>
  static void vary(const Constants<N>& nominal, C& c, Visitor&& visit) {
    if (!(nominal.stiffness == N(0))) visit(c.stiffness);
    if (nominal.acts()) visit(c.offset);
  }
  static void set(const Constants<double>& nominal, Constants<double>& c, const double* theta) {
    if (nominal.stiffness != 0.0) c.stiffness = theta[0];
    if (nominal.acts()) c.offset = theta[1] + c.stiffness * c.rest;  // where it rests is the model's
  }
};

}  // namespace catena
