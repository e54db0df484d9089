// Positions at random in which a robot's loops close.
#pragma once

#include <algorithm>
#include <cmath>
#include <numbers>
#include <stdexcept>
#include <vector>

#include "catena/call.hpp"
#include "catena/math/index.hpp"
#include "catena/mechanism.hpp"

namespace catena::identification {

// The coordinates in which the loops were found closed.
inline std::vector<double> closed_position(const Mechanism& robot) {
  const auto& closure = robot.coordinates.closure;
  std::vector<double> q(index(robot.nv()), 0.0);
  for (std::size_t k = 0; k < closure.coordinate.size(); ++k)
    if (closure.coordinate[k] >= 0) q[index(closure.coordinate[k])] = closure.closed[k];
  return q;
}

class RandomPositions {
 public:
  explicit RandomPositions(const Mechanism& robot)
      : robot_(robot), place_(robot, "place"), home_(closed_position(robot)), tree_(place_.size()) {}

  // `drawn` has numbers from -1 to 1, and becomes positions: within ±π or ±1; of closed loops within their limits, and
  // brought nearer to where they are closed until they close.
  void operator()(std::vector<double>& drawn) {
    const bool closed = robot_.coordinates.is_closed();
    for (const Coordinate c : robot_.coordinates.all()) {
      const JointLimits& limits = robot_.limits(c);
      double& q = drawn[index(c)];
      if (closed && std::isfinite(limits.lower) && std::isfinite(limits.upper))
        q = 0.5 * (limits.lower + limits.upper) + 0.5 * q * (limits.upper - limits.lower);
      else
        q *= robot_.link(robot_.link_of(c)).revolute ? std::numbers::pi : 1.0;
    }
    for (int halving = 0; closed && halving < 20 && !closes(drawn); ++halving)
      for (std::size_t j = 0; j < drawn.size(); ++j) drawn[j] = 0.5 * (drawn[j] + home_[j]);
  }
  bool closes(const std::vector<double>& q) {
    try {
      place_({.q = q}, tree_);
      return true;
    } catch (const std::domain_error&) {
      return false;
    }
  }

 private:
  const Mechanism& robot_;
  Call<double> place_;
  std::vector<double> home_, tree_;
};

}  // namespace catena::identification
