// Dual numbers a + b ε, ε² = 0: the derivative along one direction, exact to rounding. Dual<Dual<double>> gives second
// derivatives.
#pragma once

#include "catena/scalar/scalar.hpp"

namespace catena {

template <class T = double>
struct Dual;
template <class T>
struct constant_of<Dual<T>> : constant_of<T> {};

template <class T>
struct Dual {
  T value{};
  T derivative{};

  constexpr Dual() = default;
  constexpr Dual(const T& v, const T& d) : value(v), derivative(d) {}
  constexpr Dual(double constant) requires(!std::same_as<T, double>) : value(static_cast<T>(constant)) {}
  constexpr Dual(const ConstantOf<T>& constant) requires(!std::same_as<T, ConstantOf<T>> &&
                                                         !std::same_as<ConstantOf<T>, double>)
      : value(constant) {}
  constexpr Dual(const T& v) : value(v) {}

  friend constexpr Dual operator+(const Dual& a, const Dual& b) {
    return {a.value + b.value, a.derivative + b.derivative};
  }
  friend constexpr Dual operator-(const Dual& a, const Dual& b) {
    return {a.value - b.value, a.derivative - b.derivative};
  }
  friend constexpr Dual operator*(const Dual& a, const Dual& b) {
    return {a.value * b.value, a.derivative * b.value + a.value * b.derivative};
  }
  friend constexpr Dual operator/(const Dual& a, const Dual& b) {
    const T quotient = a.value / b.value;
    return {quotient, (a.derivative - quotient * b.derivative) / b.value};
  }
  friend constexpr Dual operator-(const Dual& a) { return {-a.value, -a.derivative}; }
  constexpr Dual& operator+=(const Dual& b) { return *this = *this + b; }
  constexpr Dual& operator-=(const Dual& b) { return *this = *this - b; }
  constexpr Dual& operator*=(const Dual& b) { return *this = *this * b; }

  friend Turn<Dual> sincos(const Dual& x) {
    using catena::sincos;
    const Turn<T> t = sincos(x.value);
    return {Dual(t.c, -t.s * x.derivative), Dual(t.s, t.c * x.derivative)};
  }
  // Constant on either side of zero; at zero itself Coulomb friction has no derivative and 0 is returned.
  friend constexpr Dual sign(const Dual& x) {
    using catena::sign;
    return Dual(sign(x.value));
  }
  friend Dual decay(const Dual& x) {
    using catena::decay;
    const T left = decay(x.value);
    return {left, -(left * x.derivative)};
  }
};

static_assert(Scalar<Dual<double>> && Scalar<Dual<Dual<double>>>);

}  // namespace catena
