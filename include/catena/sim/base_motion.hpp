// Motions of a base over time, for SimulationOptions::base_motion. In each v̇ and ω̇ are the derivatives of v and ω.
// Equations (9), (10): docs/equations/moving_base.md.
#pragma once

#include <array>
#include <vector>

#include "catena/sim/simulation.hpp"

namespace catena {

// vx, vy, vz, wx, wy, wz along the axes of the base link, or their derivatives.
using BaseTwist = std::array<double, 6>;
BaseMotion<double> base_motion(const BaseTwist& twist, const BaseTwist& acceleration = {});

// Starts with this twist at t = 0; its components then change at these rates.
BaseLaw constant_base_acceleration(const BaseTwist& twist, const BaseTwist& acceleration = {});

// Twists at times that increase: straight lines between rows, or, where rows say how fast they change, the cubics that
// do so. Outside, the nearest row's twist, unchanging. Throws std::invalid_argument where times do not increase.
struct BaseRow {
  double t = 0.0;
  BaseTwist twist{}, acceleration{};
};
BaseLaw base_motion_table(std::vector<BaseRow> rows, bool with_accelerations);

}  // namespace catena
