// How much of a long test runs: all of it where CATENA_NIGHTLY is in the environment (`make nightly`), else a part.
// Where CATENA_EVERY=N is in it, random robots are a sample besides: for emulators and sanitizers, which take many
// times as long.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <stdexcept>
#include <string>
#include <vector>

namespace catena::test {

inline bool nightly() { return std::getenv("CATENA_NIGHTLY") != nullptr; }

template <class Count>
Count some_of(Count all, Count every) {
  return nightly() ? all : all / every;
}

inline std::uint64_t every() {
  const char* asked = std::getenv("CATENA_EVERY");
  const int number = asked == nullptr ? 1 : std::stoi(asked);
  if (number < 1) throw std::invalid_argument("CATENA_EVERY is a number from 1 on");
  return static_cast<std::uint64_t>(number);
}

// The seeds of a test's random robots, from `first` until before `end`; in a sample every N-th, at least three. Tests
// tell kinds of robots by small divisors of their seeds, so a step that is odd meets most of them, and a prime all.
inline std::vector<std::uint64_t> seeds(std::uint64_t first, std::uint64_t end) {
  const std::uint64_t step = std::min(every(), std::max<std::uint64_t>(1, (end - first) / 4)) | 1;
  std::vector<std::uint64_t> chosen;
  for (std::uint64_t seed = first; seed < end; seed += step) chosen.push_back(seed);
  return chosen;
}
// How many of something there are more of among all seeds; a sample has some.
inline int sampled(int more_than) { return every() == 1 ? more_than : 0; }

}  // namespace catena::test
