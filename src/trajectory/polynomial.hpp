// Real roots of polynomials up to the third degree, bracketed by their stationary points.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>

namespace catena::trajectory {

using Cubic = std::array<double, 4>;  // coefficients of 1, x, x², x³

// A few numbers in ascending order, without heap allocation.
struct Roots {
  std::array<double, 3> x{};
  std::size_t count = 0;
  void add(double root) { x[count++] = root; }
  const double* begin() const { return x.data(); }
  const double* end() const { return x.data() + count; }
};

inline double value(const Cubic& c, double x) { return c[0] + x * (c[1] + x * (c[2] + x * c[3])); }

// The roots of a + b x + c x² in (low, high), without cancellation: one from the larger of -b ± √D, the other from the
// product.
inline Roots quadratic_roots(double a, double b, double c, double low, double high) {
  Roots roots;
  const auto keep = [&](double x) {
    if (x > low && x < high) roots.add(x);
  };
  if (c == 0.0) {
    if (b != 0.0) keep(-a / b);
    return roots;
  }
  const double discriminant = b * b - 4.0 * a * c;
  if (discriminant < 0.0) return roots;
  const double half = -0.5 * (b + std::copysign(std::sqrt(discriminant), b));
  double first = half / c, second = half == 0.0 ? first : a / half;
  if (first > second) std::swap(first, second);
  keep(first);
  if (second != first) keep(second);
  return roots;
}

// Bisection to the last bit: the values at the ends have different signs.
inline double bracketed_root(const Cubic& c, double low, double high) {
  const bool rises = value(c, high) > 0.0;
  for (int step = 0; step < 200; ++step) {
    const double middle = 0.5 * (low + high);
    if (!(middle > low && middle < high)) break;
    ((value(c, middle) > 0.0) == rises ? high : low) = middle;
  }
  return 0.5 * (low + high);
}

// The roots in (low, high), both finite, where the polynomial changes sign.
inline Roots sign_changes(const Cubic& c, double low, double high) {
  if (c[3] == 0.0) return quadratic_roots(c[0], c[1], c[2], low, high);
  Roots roots;
  const Roots turns = quadratic_roots(c[1], 2.0 * c[2], 3.0 * c[3], low, high);
  double left = low;
  for (std::size_t k = 0; k <= turns.count; ++k) {
    const double right = k < turns.count ? turns.x[k] : high;
    const double at_left = value(c, left), at_right = value(c, right);
    if ((at_left < 0.0 && at_right > 0.0) || (at_left > 0.0 && at_right < 0.0))
      roots.add(bracketed_root(c, left, right));
    else if (at_right == 0.0 && right < high)
      roots.add(right);
    left = right;
  }
  return roots;
}

// No root is larger than this (Cauchy).
inline double root_bound(const Cubic& c) {
  std::size_t degree = 3;
  while (degree > 0 && c[degree] == 0.0) --degree;
  double bound = 0.0;
  for (std::size_t k = 0; k < degree; ++k) bound = std::max(bound, std::abs(c[k] / c[degree]));
  return 1.0 + bound;
}

}  // namespace catena::trajectory
