// Values of a log that cannot be: not finite, absurdly large, jumping there and back; and angles that wrap around.
#pragma once

#include <cstdint>
#include <vector>

#include "catena/log.hpp"
#include "logs/findings.hpp"

namespace catena::logs {

struct BadValues {
  std::vector<std::uint8_t> position, torque;  // by row and joint
};

// Marks them, counts them, and takes the turns out of angles that wrap.
BadValues find_bad_values(Log& log, FindingList& findings);

}  // namespace catena::logs
