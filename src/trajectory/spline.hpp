// The clamped cubic spline through values at increasing times: its velocities and accelerations there.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "catena/trajectory.hpp"

namespace catena::trajectory {

// Zero velocity at both ends; in between, velocities v that make the acceleration continuous (docs/trajectories.md):
//   v₋/h₋ + 2 (1/h₋ + 1/h₊) v + v₊/h₊ = 3 (Δ₋/h₋² + Δ₊/h₊²)
// solved by elimination; the diagonal dominates, so no pivot can vanish.
inline std::vector<EndMotion> clamped_spline(std::span<const double> times, std::span<const double> values) {
  const std::size_t last = times.size() - 1;
  std::vector<EndMotion> motion(times.size());
  std::vector<double> upper(times.size(), 0.0);  // v_k + upper_k v_{k+1} = velocity_k after elimination
  const auto step = [&](std::size_t k) { return times[k + 1] - times[k]; };
  const auto slope = [&](std::size_t k) { return (values[k + 1] - values[k]) / step(k); };
  for (std::size_t k = 1; k < last; ++k) {
    const double before = 1.0 / step(k - 1), after = 1.0 / step(k);
    const double pivot = 2.0 * (before + after) - before * upper[k - 1];
    upper[k] = after / pivot;
    motion[k].velocity = (3.0 * (slope(k - 1) * before + slope(k) * after) - before * motion[k - 1].velocity) / pivot;
  }
  for (std::size_t k = last; k-- > 1;) motion[k].velocity -= upper[k] * motion[k + 1].velocity;
  for (std::size_t k = 1; k < last; ++k)
    motion[k].acceleration = (6.0 * slope(k) - 4.0 * motion[k].velocity - 2.0 * motion[k + 1].velocity) / step(k);
  return motion;
}

}  // namespace catena::trajectory
