// How much of a long test runs: all of it where CATENA_NIGHTLY is in the environment (`make nightly`), else a part.
#pragma once

#include <cstdlib>

namespace catena::test {

inline bool nightly() { return std::getenv("CATENA_NIGHTLY") != nullptr; }

template <class Count>
Count some_of(Count all, Count every) {
  return nightly() ? all : all / every;
}

}  // namespace catena::test
