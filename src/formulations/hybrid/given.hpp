// The inputs and results of hybrid dynamics. The entries of `qdd` for active joints are read, and those of `tau` for
// passive ones; both results are complete.
#pragma once

#include <span>

namespace catena {

template <class S>
struct Given {
  std::span<const S> q, qd, qdd, tau;
};
template <class S>
struct Found {
  std::span<S> qdd, tau;
};

}  // namespace catena
