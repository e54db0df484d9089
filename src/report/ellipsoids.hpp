// Ellipsoids of a frame as JSON: what `catena kinematics --ellipsoids --json` prints, and what the page draws.
#pragma once

#include <nlohmann/json.hpp>

#include "catena/control.hpp"

namespace catena::report {

// Lengths that are infinite become null.
nlohmann::ordered_json ellipsoids_json(const Ellipsoids& all);

}  // namespace catena::report
