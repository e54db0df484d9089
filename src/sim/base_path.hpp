// Where a base is that moves by a law, from its place at the start: classic Runge-Kutta steps of a millisecond at most.
#pragma once

#include <array>

#include "catena/simulation.hpp"

namespace catena {

class BasePath {
 public:
  // x, y, z of the origin along the axes at the start, then the orientation as a quaternion (x, y, z, w).
  using Place = std::array<double, 7>;

  explicit BasePath(BaseLaw law) : law_(std::move(law)) {}
  const Place& at(double t);  // not before the time it was asked for last, which is 0 at first

 private:
  Place rate(double t, const Place& place) const;

  BaseLaw law_;
  double t_ = 0.0;
  Place place_{0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0};
};

}  // namespace catena
