#include "io/reading.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace catena::io {

std::optional<Vec3<double>> normalized(const Vec3<double>& v) {
  const double largest = std::max({std::abs(v.x), std::abs(v.y), std::abs(v.z)});
  if (largest == 0.0) return std::nullopt;
  constexpr double rounding = 4.0 * std::numeric_limits<double>::epsilon();
  if (std::abs(dot(v, v) - 1.0) <= rounding) return v;
  // Scaled first, so that neither tiny nor huge components underflow or overflow.
  const Vec3<double> scaled{v.x / largest, v.y / largest, v.z / largest};
  const double length = std::sqrt(dot(scaled, scaled));
  return Vec3<double>{scaled.x / length, scaled.y / length, scaled.z / length};
}

}  // namespace catena::io
