// What hybrid dynamics is handed and what it gives. Of `qdd` the entries of active joints are read, of `tau` those of
// passive ones; both results are whole.
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
