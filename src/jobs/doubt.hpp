// Whether a result is in doubt: yes or no for a machine number, lane by lane for a pack, never for other scalars, which
// cannot be checked.
#pragma once

#include <concepts>
#include <cstddef>
#include <span>

#include "catena/scalar/pack.hpp"
#include "formulations/shared/lanes.hpp"

namespace catena {

template <class S>
struct DoubtOf {
  using type = bool;
};
template <class T, int W>
struct DoubtOf<Pack<T, W>> {
  using type = typename detail::BitsOfLanes<T, W>::type;  // not 0 in doubtful lanes
};
template <class S>
using Doubt = typename DoubtOf<S>::type;

template <class S>
concept Packed = !std::same_as<Doubt<S>, bool>;

namespace detail {
// Whether Σ 0 v is zero: it is not if some v is infinite or NaN. V is S or a vector of S; four sums, so that none waits
// for another.
template <class V, class S>
[[gnu::always_inline]] inline bool zero_times_all(const S* values, std::size_t size) {
  constexpr std::size_t step = sizeof(V) / sizeof(S);  // NOLINT(bugprone-sizeof-expression)
  V a{}, b{}, c{}, d{};
  const auto add = [](V& sum, const S* from) {
    V read;
    __builtin_memcpy(&read, from, sizeof(V));
    sum += S(0) * read;
  };
  const S* const end = values + size;
  for (; end - values >= std::ptrdiff_t(4 * step); values += 4 * step)
    add(a, values), add(b, values + step), add(c, values + 2 * step), add(d, values + 3 * step);
  const V together = (a + b) + (c + d);
  S entries[step];
  __builtin_memcpy(entries, &together, sizeof(V));
  S sum(0);
  for (const S& entry : entries) sum += entry;
  for (; values != end; ++values) sum += S(0) * *values;
  return sum == S(0);
}
}  // namespace detail

// A few values are read one by one: they have just been stored that way, and a load of several would wait for all of
// these stores. If there are many, most are in the cache by then.
template <std::floating_point S>
bool all_finite(std::span<const S> values) {
  constexpr std::size_t few = 64;
  return values.size() <= few ? detail::zero_times_all<S>(values.data(), values.size())
                              : detail::zero_times_all<detail::Lanes<S>>(values.data(), values.size());
}

template <class S>
Doubt<S> not_finite(std::span<const S> values) {
  if constexpr (std::floating_point<S>) {
    return !all_finite<S>(values);
  } else if constexpr (Packed<S>) {
    using T = ConstantOf<S>;
    S sum{};
    for (const S& value : values) sum += T(0) * value;
    return sum.v != T(0);
  } else {
    return false;
  }
}
// Where a value does not exceed the bound, or is NaN.
template <class S, class Bound>
Doubt<S> not_above(const S& value, const Bound& bound) {
  if constexpr (std::floating_point<S>) {
    return !(value > bound);
  } else if constexpr (Packed<S>) {
    return ~(value.v > S(bound).v);
  } else {
    return false;
  }
}

}  // namespace catena
