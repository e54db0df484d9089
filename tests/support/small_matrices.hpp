// Plain loops over row-major matrices: the tests' own way to products and inverses.
#pragma once

#include <cmath>
#include <cstddef>
#include <utility>
#include <vector>

namespace catena::test {

using Vector = std::vector<double>;

// Row-major a (m x n) times b (n x k).
inline Vector times(const Vector& a, const Vector& b, std::size_t n) {
  const std::size_t m = a.size() / n, k = b.size() / n;
  Vector c(m * k);
  for (std::size_t i = 0; i < m; ++i)
    for (std::size_t j = 0; j < k; ++j)
      for (std::size_t l = 0; l < n; ++l) c[i * k + j] += a[i * n + l] * b[l * k + j];
  return c;
}
inline Vector transposed(const Vector& a, std::size_t columns) {
  const std::size_t rows = a.size() / columns;
  Vector t(a.size());
  for (std::size_t i = 0; i < rows; ++i)
    for (std::size_t j = 0; j < columns; ++j) t[j * rows + i] = a[i * columns + j];
  return t;
}
inline Vector combined(double a, const Vector& x, double b, const Vector& y) {
  Vector z(x.size());
  for (std::size_t k = 0; k < x.size(); ++k) z[k] = a * x[k] + b * y[k];
  return z;
}
// Gauss's elimination with pivots: the tests' own way to J⁻¹ b.
inline Vector solved(Vector A, Vector b) {
  const std::size_t n = b.size();
  for (std::size_t k = 0; k < n; ++k) {
    std::size_t pivot = k;
    for (std::size_t i = k; i < n; ++i)
      if (std::abs(A[i * n + k]) > std::abs(A[pivot * n + k])) pivot = i;
    for (std::size_t j = 0; j < n; ++j) std::swap(A[k * n + j], A[pivot * n + j]);
    std::swap(b[k], b[pivot]);
    for (std::size_t i = 0; i < n; ++i) {
      if (i == k) continue;
      const double factor = A[i * n + k] / A[k * n + k];
      for (std::size_t j = k; j < n; ++j) A[i * n + j] -= factor * A[k * n + j];
      b[i] -= factor * b[k];
    }
  }
  for (std::size_t k = 0; k < n; ++k) b[k] /= A[k * n + k];
  return b;
}

}  // namespace catena::test
