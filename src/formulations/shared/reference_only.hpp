// Formulations that are here to be read, counted and compared with. They serve like all others; a search for cheap code
// need not try them.
#pragma once

namespace catena {

template <class F>
constexpr bool is_reference_only() {
  if constexpr (requires { F::reference_only; }) return F::reference_only;
  return false;
}

}  // namespace catena
