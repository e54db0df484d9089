// Checks of arguments.
#pragma once

#include <cmath>
#include <cstdio>
#include <stdexcept>
#include <string>
#include <vector>

namespace catena::trajectory {

inline std::string text(double value) {
  char digits[32];
  std::snprintf(digits, sizeof digits, "%.9g", value);
  return digits;
}

inline void require(bool holds, const std::string& otherwise) {
  if (!holds) throw std::invalid_argument(otherwise);
}

inline void require_finite(double value, const char* what) {
  if (!std::isfinite(value))
    throw std::invalid_argument(std::string(what) + " is " + text(value) + ", not a finite number");
}

// At least two points with the same number of joints, at least one, all finite.
void require_points(const std::vector<std::vector<double>>& points);

}  // namespace catena::trajectory
