// What an algorithm may require of a scalar: the contract between every scalar type and every formulation.
//
//   S + S, S - S, S * S, S / S, -S, and the same with a robot constant (ConstantOf<S>) on either side
//   S(constant)              conversion from a robot constant
//   sincos(s)                found by argument-dependent lookup, returns Turn<S>{cos, sin}
//   sign(s)                  -1, 0 or 1, for Coulomb friction
//   decay(s)                 e^-s, for Stribeck friction
//
// An algorithm never branches on a scalar's value and never assumes that S is a machine number.
#pragma once

#include <cmath>
#include <concepts>

#include "catena/scalar/sincos.hpp"

namespace catena {

// The type of the robot constants that S computes with: float for float, double for all others.
template <class S>
struct constant_of {
  using type = double;
};
template <>
struct constant_of<float> {
  using type = float;
};
template <class S>
using ConstantOf = typename constant_of<S>::type;

template <class T>
requires std::floating_point<T>
constexpr T sign(T x) { return T(int(x > T(0)) - int(x < T(0))); }

template <class T>
requires std::floating_point<T> T decay(T x) { return std::exp(-x); }

template <class S>
concept Scalar = requires(S a, S b, ConstantOf<S> k) {
  S(k);
  { a + b } -> std::convertible_to<S>;
  { a - b } -> std::convertible_to<S>;
  { a* b } -> std::convertible_to<S>;
  { a / b } -> std::convertible_to<S>;
  { -a } -> std::convertible_to<S>;
  { k* a } -> std::convertible_to<S>;
  { a* k } -> std::convertible_to<S>;
  { a + k } -> std::convertible_to<S>;
  { k - a } -> std::convertible_to<S>;
  { sincos(a) } -> std::convertible_to<Turn<S>>;
  { sign(a) } -> std::convertible_to<S>;
  { decay(a) } -> std::convertible_to<S>;
};

// The turn of a joint: sincos(q + offset). A scalar may count the sum as part of the sine and cosine (Counted does).
template <Scalar S>
Turn<S> sincos_of_sum(const S& q, ConstantOf<S> offset) {
  return sincos(q + offset);
}

}  // namespace catena
