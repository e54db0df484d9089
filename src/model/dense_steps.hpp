// Small dense linear algebra for closing loops while a robot is prepared: a damped step, and the rank of a matrix.
#pragma once

#include <algorithm>
#include <cmath>
#include <span>
#include <vector>

#include "catena/math/index.hpp"

namespace catena {

// (JᵀJ + μ) x = b, J by rows; x replaces b.
inline void solve_damped(std::span<const double> J, std::size_t columns, double mu, std::span<double> b) {
  const std::size_t rows = columns == 0 ? 0 : J.size() / columns;
  std::vector<double> A(columns * columns);
  for (std::size_t i = 0; i < columns; ++i)
    for (std::size_t k = 0; k <= i; ++k) {
      double sum = i == k ? mu : 0.0;
      for (std::size_t r = 0; r < rows; ++r) sum += J[r * columns + i] * J[r * columns + k];
      A[i * columns + k] = sum;
    }
  for (std::size_t i = 0; i < columns; ++i) {  // Cholesky; μ keeps the pivots positive
    for (std::size_t k = 0; k <= i; ++k) {
      double sum = A[i * columns + k];
      for (std::size_t m = 0; m < k; ++m) sum -= A[i * columns + m] * A[k * columns + m];
      A[i * columns + k] = i == k ? std::sqrt(std::max(sum, 1e-300)) : sum / A[k * columns + k];
    }
    for (std::size_t m = 0; m < i; ++m) b[i] -= A[i * columns + m] * b[m];
    b[i] /= A[i * columns + i];
  }
  for (std::size_t i = columns; i-- > 0;) {
    for (std::size_t m = i + 1; m < columns; ++m) b[i] -= A[m * columns + i] * b[m];
    b[i] /= A[i * columns + i];
  }
}

// Columns in an order in which each is the one with the most left of it beside those before, by weight; as many as
// are independent: of which more is left than `rounding` of the longest, and than `least`.
inline std::vector<int> independent_columns(std::vector<double> J, std::size_t columns, std::span<const double> weights,
                                            double rounding = 1e-7, double least = 0.0) {
  const std::size_t rows = columns == 0 ? 0 : J.size() / columns;
  std::vector<int> order;
  std::vector<char> taken(columns, 0);
  const auto square = [&](std::size_t c) {
    double sum = 0.0;
    for (std::size_t r = 0; r < rows; ++r) sum += J[r * columns + c] * J[r * columns + c];
    return sum;
  };
  double most = 0.0;
  for (std::size_t c = 0; c < columns; ++c) most = std::max(most, square(c));
  while (order.size() < columns) {
    std::size_t best = columns;
    double left = 0.0;
    for (std::size_t c = 0; c < columns; ++c) {
      const double own = taken[c] != 0 ? 0.0 : square(c);
      if (own <= std::max(rounding * rounding * most, least * least) || own * weights[c] * weights[c] <= left) continue;
      best = c, left = own * weights[c] * weights[c];
    }
    if (best == columns) return order;
    taken[best] = 1;
    order.push_back(static_cast<int>(best));
    const double length = square(best);
    for (std::size_t c = 0; c < columns; ++c) {
      if (taken[c] != 0) continue;
      for (int again = 0; again < 2; ++again) {
        double along = 0.0;
        for (std::size_t r = 0; r < rows; ++r) along += J[r * columns + best] * J[r * columns + c];
        for (std::size_t r = 0; r < rows; ++r) J[r * columns + c] -= along / length * J[r * columns + best];
      }
    }
  }
  return order;
}

// How far these columns are from depending on each other: the least that is left of one beside those before it, by the
// longest.
inline double fitness_of(std::span<const double> J, std::size_t columns, const std::vector<int>& chosen) {
  const std::size_t rows = columns == 0 ? 0 : J.size() / columns;
  std::vector<std::vector<double>> kept;
  double least = 1e300, most = 0.0;
  for (const int c : chosen) {
    std::vector<double> own(rows);
    for (std::size_t r = 0; r < rows; ++r) own[r] = J[r * columns + index(c)];
    double length = 0.0;
    for (const double part : own) length += part * part;
    most = std::max(most, std::sqrt(length));
    for (const std::vector<double>& other : kept) {
      double along = 0.0;
      for (std::size_t r = 0; r < rows; ++r) along += other[r] * own[r];
      for (std::size_t r = 0; r < rows; ++r) own[r] -= along * other[r];
    }
    length = 0.0;
    for (const double part : own) length += part * part;
    length = std::sqrt(length);
    least = std::min(least, length);
    for (double& part : own) part /= std::max(length, 1e-300);
    kept.push_back(std::move(own));
  }
  return most > 0.0 ? least / most : 0.0;
}

}  // namespace catena
