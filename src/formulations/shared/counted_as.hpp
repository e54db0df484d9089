// Which equation operations belong to, so that a published table can be compared line by line. For every scalar but
// Counted it is the value and nothing else.
#pragma once

namespace catena {

class Counted;

namespace detail {
template <class V>
constexpr bool counts = false;
template <>
inline constexpr bool counts<Counted> = true;
template <template <class> class V, class S>
inline constexpr bool counts<V<S>> = counts<S>;

template <class V, class C = Counted>
constexpr void charge(const char* equation) {
  if constexpr (counts<V>) C::charge(equation);
}
}  // namespace detail

// The value. On Counted, all operations since the last such call are charged to that equation.
template <class V>
constexpr V counted_as(const char* equation, V value) {
  detail::charge<V>(equation);
  return value;
}

}  // namespace catena
