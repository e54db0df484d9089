#include <algorithm>
#include <cmath>

#include "catena/signals.hpp"

namespace catena {

// Hermite's cubic between two samples; the slope at a sample is that of the parabola through it and its neighbours.
std::vector<double> resampled(std::span<const double> times, std::span<const double> column,
                              std::span<const double> at) {
  const std::size_t n = times.size();
  std::vector<double> out(at.size(), n == 0 ? 0.0 : column[0]);
  if (n < 2) return out;
  const auto rise = [&](std::size_t i) { return (column[i + 1] - column[i]) / (times[i + 1] - times[i]); };
  const auto slope = [&](std::size_t i) {
    if (i == 0) return rise(0);
    if (i + 1 == n) return rise(n - 2);
    const double before = times[i] - times[i - 1], after = times[i + 1] - times[i];
    return (rise(i - 1) * after + rise(i) * before) / (before + after);
  };
  std::size_t i = 0;
  for (std::size_t k = 0; k < at.size(); ++k) {
    if (at[k] < times[i]) i = 0;
    while (i + 2 < n && times[i + 1] <= at[k]) ++i;
    const double h = times[i + 1] - times[i], u = std::clamp((at[k] - times[i]) / h, 0.0, 1.0), v = 1.0 - u;
    out[k] = v * v * (1.0 + 2.0 * u) * column[i] + u * u * (1.0 + 2.0 * v) * column[i + 1] +
             h * u * v * (v * slope(i) - u * slope(i + 1));
  }
  return out;
}

}  // namespace catena
