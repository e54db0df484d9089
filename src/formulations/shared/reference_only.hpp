// Formulations that are here to be read, counted and compared with. They serve like all others; a search for cheap code
// need not try them.
#pragma once

namespace catena {

template <class F>
constexpr bool is_only_to_compare() {
  if constexpr (requires { F::only_to_compare; }) return F::only_to_compare;
  return false;
}

}  // namespace catena
