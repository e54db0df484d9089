// Formulations for reading, counting and comparison. They can be used like all others, but a search for cheap code need
// not try them.
#pragma once

namespace catena {

template <class F>
constexpr bool is_reference_only() {
  if constexpr (requires { F::reference_only; }) return F::reference_only;
  return false;
}

}  // namespace catena
