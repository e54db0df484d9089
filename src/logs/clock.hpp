// Which rows of a log make stretches without gaps, and when each was taken.
#pragma once

#include <cstddef>
#include <vector>

#include "logs/bad_values.hpp"

namespace catena::logs {

struct Stretch {
  std::vector<std::size_t> rows;  // of the log
  std::vector<double> times;      // s, increasing
  bool even = true;               // one period apart: nothing needs interpolation
};

struct Clock {
  double period = 0.0;
  std::vector<Stretch> stretches;
};

// Throws std::invalid_argument where no clock can be made of the stamps.
Clock read_clock(const Log& log, const BadValues& bad, const PrepareOptions& options, FindingList& findings);

}  // namespace catena::logs
