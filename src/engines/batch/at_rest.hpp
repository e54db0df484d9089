// The motion of a moving base may be left out of a batch: then the base is at rest in all states.
#pragma once

#include "catena/state_array.hpp"

namespace catena::batch {

template <class S>
BatchInputs<S> or_at_rest(BatchInputs<S> in) {
  static constexpr S zeros[base_motion_size]{};
  if (in.base.data == nullptr) in.base = {zeros, 0, 1};
  return in;
}

}  // namespace catena::batch
