// sincos(x) -> {cos x, sin x}, for machine numbers. Other scalars supply their own, found by argument-dependent lookup.
//
// Ours reduces x by n π/2 in three parts (Cody and Waite) and evaluates two polynomials of degree 5 in x², fitted by
// the exchange method on |x| ≤ π/4: no branches, no tables, so that several angles are computed at once in vector
// lanes. Error below 1.25 units in the last place for |x| ≤ 1e5 (tests/scalar/sincos_test.cpp); beyond that, and for
// values that are not finite, it calls the standard library.
#pragma once

#include <cmath>
#include <concepts>
#include <cstdint>

#include "catena/math/rotation.hpp"

namespace catena {

inline constexpr double sincos_limit = 1e5;

template <class T>
requires std::floating_point<T>
inline Turn<T> library_sincos(T x) { return {std::cos(x), std::sin(x)}; }

namespace detail {

inline constexpr int sincos_lanes = 4;
using DoubleLanes = double __attribute__((vector_size(32)));
using IntegerLanes = std::int64_t __attribute__((vector_size(32)));

// The same source for one angle (V = double, I = int64) and for four in lanes. Correct for |x| ≤ sincos_limit.
template <class V, class I>
[[gnu::always_inline]] inline void sincos_kernel(const V& x, V& sine, V& cosine) {
  // Adding 1.5 · 2⁵² rounds to the nearest integer and leaves it in the low bits.
  constexpr double rounder = 6755399441055744.0, two_over_pi = 0.6366197723675814;
  const V shifted = x * two_over_pi + rounder;
  const V n = shifted - rounder;
  const I quadrant = __builtin_bit_cast(I, shifted);
  // π/2 = p1 + p2 + p3; p1 and p2 have 33 bits, so n p1 and n p2 are exact.
  constexpr double p1 = 0x1.921fb54400000p+0, p2 = 0x1.0b4611a600000p-34, p3 = 0x1.3198a2e037073p-69;
  const V r1 = x - n * p1;
  const V r = r1 - n * p2;
  const V tail = ((r1 - r) - n * p2) - n * p3;  // what rounding removed from r
  const V z = r * r;
  // sin r = r + r z P(z), relative error 3.5e-18; cos r = 1 - z/2 + z² Q(z), 5.6e-20
  V p = z * 1.5896666502723286e-10 - 2.5050755961364143e-08;
  V q = z * -1.1358423507734694e-11 + 2.0875698708362148e-09;
  p = z * p + 2.755731367866565e-06;
  q = z * q - 2.755731416397538e-07;
  p = z * p - 0.00019841269829771167;
  q = z * q + 2.480158728880002e-05;
  p = z * p + 0.00833333333332237;
  q = z * q - 0.0013888888888872975;
  p = z * p - 0.16666666666666632;
  q = z * q + 0.041666666666666595;
  const V half = 0.5 * z;
  const V w = 1.0 - half;
  const V s = r + ((r * z) * p + tail);
  const V c = w + (((1.0 - w) - half) + ((z * z) * q - r * tail));
  // Odd quadrants swap sine and cosine; bit 1 of the quadrant (of the quadrant plus one) is the sign.
  const I s_bits = __builtin_bit_cast(I, s), c_bits = __builtin_bit_cast(I, c);
  const I swap = (s_bits ^ c_bits) & -(quadrant & 1);
  sine = __builtin_bit_cast(V, I((s_bits ^ swap) ^ ((quadrant & 2) << 62)));
  cosine = __builtin_bit_cast(V, I((c_bits ^ swap) ^ (((quadrant + 1) & 2) << 62)));
}

}  // namespace detail

inline Turn<double> sincos(double x) {
  if (!(std::abs(x) <= sincos_limit)) return library_sincos(x);
  Turn<double> turn;
  detail::sincos_kernel<double, std::int64_t>(x, turn.s, turn.c);
  return turn;
}
inline Turn<float> sincos(float x) {
  const Turn<double> turn = sincos(double(x));
  return {float(turn.c), float(turn.s)};
}
inline Turn<long double> sincos(long double x) { return library_sincos(x); }

// The same for four angles at once; `turns` must have four entries.
template <class T>
[[gnu::always_inline]] inline void sincos(double x0, double x1, double x2, double x3, Turn<T>* turns) {
  using namespace detail;
  const DoubleLanes x{x0, x1, x2, x3};
  if (!(std::abs(x0) <= sincos_limit && std::abs(x1) <= sincos_limit && std::abs(x2) <= sincos_limit &&
        std::abs(x3) <= sincos_limit)) [[unlikely]] {
    turns[0] = sincos(T(x0)), turns[1] = sincos(T(x1)), turns[2] = sincos(T(x2)), turns[3] = sincos(T(x3));
    return;
  }
  DoubleLanes s, c;
  sincos_kernel<DoubleLanes, IntegerLanes>(x, s, c);
  for (int k = 0; k < sincos_lanes; ++k) turns[k] = {T(c[k]), T(s[k])};
}

}  // namespace catena
