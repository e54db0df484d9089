// The groups of a log on the even clock of its stretches.
#pragma once

#include "logs/clock.hpp"

namespace catena::logs {

struct EvenRows {
  std::vector<double> t, q, qd, tau;
  std::vector<std::uint8_t> invented;  // by row and joint: no torque was measured within 0.9 periods
  std::vector<std::size_t> stretches;  // first rows
};

// Takes the groups of the log: what needs no interpolation is moved.
EvenRows even_rows(Log& log, const BadValues& bad, const Clock& clock);
// Leaves out stretches of fewer rows. Returns how many rows that were.
std::size_t drop_short(EvenRows& rows, std::size_t joints, std::size_t fewest);

}  // namespace catena::logs
