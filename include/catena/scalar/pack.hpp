// W states side by side in the lanes of a vector, as one scalar: a formulation then computes W states at once, each
// lane independently of the others.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "catena/scalar/scalar.hpp"

namespace catena {

template <class T, int W>
struct Pack {
  typedef T Lanes __attribute__((vector_size(W * sizeof(T))));  // NOLINT(modernize-use-using): as GCC knows it
  static constexpr int lanes = W;
  Lanes v{};

  Pack() = default;
  [[gnu::always_inline]] Pack(T constant) : v(Lanes{} + constant) {}
  [[gnu::always_inline]] explicit Pack(const Lanes& lanes_) : v(lanes_) {}

  [[gnu::always_inline]] friend Pack operator+(const Pack& a, const Pack& b) { return Pack(a.v + b.v); }
  [[gnu::always_inline]] friend Pack operator-(const Pack& a, const Pack& b) { return Pack(a.v - b.v); }
  [[gnu::always_inline]] friend Pack operator*(const Pack& a, const Pack& b) { return Pack(a.v * b.v); }
  [[gnu::always_inline]] friend Pack operator/(const Pack& a, const Pack& b) { return Pack(a.v / b.v); }
  // A robot constant is broadcast to all lanes when it is read.
  [[gnu::always_inline]] friend Pack operator+(const Pack& a, T b) { return Pack(a.v + b); }
  [[gnu::always_inline]] friend Pack operator+(T a, const Pack& b) { return Pack(a + b.v); }
  [[gnu::always_inline]] friend Pack operator-(const Pack& a, T b) { return Pack(a.v - b); }
  [[gnu::always_inline]] friend Pack operator-(T a, const Pack& b) { return Pack(a - b.v); }
  [[gnu::always_inline]] friend Pack operator*(const Pack& a, T b) { return Pack(a.v * b); }
  [[gnu::always_inline]] friend Pack operator*(T a, const Pack& b) { return Pack(a * b.v); }
  [[gnu::always_inline]] friend Pack operator/(const Pack& a, T b) { return Pack(a.v / b); }
  [[gnu::always_inline]] friend Pack operator/(T a, const Pack& b) { return Pack(a / b.v); }
  [[gnu::always_inline]] friend Pack operator-(const Pack& a) { return Pack(-a.v); }
  [[gnu::always_inline]] Pack& operator+=(const Pack& b) { return v += b.v, *this; }
  [[gnu::always_inline]] Pack& operator-=(const Pack& b) { return v -= b.v, *this; }
  [[gnu::always_inline]] Pack& operator*=(const Pack& b) { return v *= b.v, *this; }
};

template <class T, int W>
struct constant_of<Pack<T, W>> {
  using type = T;
};

namespace detail {

template <class T, int W>
struct BitsOfLanes {
  using Integer = std::conditional_t<sizeof(T) == sizeof(std::int64_t), std::int64_t, std::int32_t>;
  typedef Integer type __attribute__((vector_size(W * sizeof(T))));  // NOLINT(modernize-use-using)
};

inline constexpr float float_sincos_limit = 8192.0F;

// In single precision: the method of scalar/sincos.hpp with a shorter reduction and shorter polynomials. Error below 2
// units in the last place for |x| ≤ float_sincos_limit.
template <class V, class I>
[[gnu::always_inline]] inline void float_sincos_kernel(const V& x, V& sine, V& cosine) {
  constexpr float rounder = 12582912.0F;  // 1.5 · 2²³
  const V shifted = x * 0.63661975F + rounder;
  const V n = shifted - rounder;
  const I quadrant = __builtin_bit_cast(I, shifted);
  const V r = ((x - n * 1.5703125F) - n * 0.0004837512969970703F) - n * 7.54979e-08F;
  const V z = r * r;
  const V s = r + (r * z) * (-0.16666655F + z * (0.00833216F - z * 0.00019515282F));
  const V c = 1.0F - 0.5F * z + (z * z) * (0.041666646F + z * (-0.0013887368F + z * 2.4438452e-05F));
  const I s_bits = __builtin_bit_cast(I, s), c_bits = __builtin_bit_cast(I, c);
  const I swap = (s_bits ^ c_bits) & -(quadrant & 1);
  sine = __builtin_bit_cast(V, I((s_bits ^ swap) ^ ((quadrant & 2) << 30)));
  cosine = __builtin_bit_cast(V, I((c_bits ^ swap) ^ (((quadrant + 1) & 2) << 30)));
}

}  // namespace detail

template <class T, int W>
[[gnu::noinline]] Turn<Pack<T, W>> sincos(const Pack<T, W>& x) {
  using Bits = typename detail::BitsOfLanes<T, W>::type;
  Turn<Pack<T, W>> turn;
  T limit;
  if constexpr (sizeof(T) == sizeof(double)) {
    detail::sincos_kernel<typename Pack<T, W>::Lanes, Bits>(x.v, turn.s.v, turn.c.v);
    limit = sincos_limit;
  } else {
    detail::float_sincos_kernel<typename Pack<T, W>::Lanes, Bits>(x.v, turn.s.v, turn.c.v);
    limit = detail::float_sincos_limit;
  }
  const Bits near = (x.v <= limit) & (x.v >= -limit);
  typename detail::BitsOfLanes<T, W>::Integer all = -1;
  for (int k = 0; k < W; ++k) all &= near[k];
  if (all == 0) [[unlikely]]  // only the far lanes: a lane's result does not depend on its neighbours
    for (int k = 0; k < W; ++k)
      if (near[k] == 0) {
        const Turn<T> far = library_sincos(T(x.v[k]));
        turn.c.v[k] = far.c, turn.s.v[k] = far.s;
      }
  return turn;
}

template <class T, int W>
[[gnu::always_inline]] inline Pack<T, W> sign(const Pack<T, W>& x) {  // a comparison gives -1 where true
  return Pack<T, W>(__builtin_convertvector((x.v < T(0)) - (x.v > T(0)), typename Pack<T, W>::Lanes));
}

template <class T, int W>
[[gnu::noinline]] Pack<T, W> decay(const Pack<T, W>& x) {
  Pack<T, W> out;
  for (int k = 0; k < W; ++k) out.v[k] = decay(T(x.v[k]));
  return out;
}

}  // namespace catena
