// The principal moments and axes of a symmetric matrix, and the screws of inertia they define.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <limits>
#include <stdexcept>

#include "catena/screws.hpp"
#include "catena/validate.hpp"
#include "model/words.hpp"

namespace catena {
namespace {

using Square = std::array<std::array<double, 3>, 3>;

// One rotation of the cyclic Jacobi method in the plane (p, q), with r the third index: makes a[p][q] zero and rotates
// the columns of v too.
void jacobi_turn(Square& a, Square& v, std::size_t p, std::size_t q, std::size_t r) {
  if (a[p][q] == 0.0) return;
  const double half_cot = (a[q][q] - a[p][p]) / (2.0 * a[p][q]);
  const double t = std::copysign(1.0, half_cot) / (std::abs(half_cot) + std::hypot(half_cot, 1.0));
  const double c = 1.0 / std::hypot(t, 1.0), s = t * c;
  const double shift = t * a[p][q], ap = a[p][r], aq = a[q][r];
  a[p][p] -= shift;
  a[q][q] += shift;
  a[p][q] = a[q][p] = 0.0;
  a[p][r] = a[r][p] = c * ap - s * aq;
  a[q][r] = a[r][q] = s * ap + c * aq;
  for (auto& row : v) {
    const double vp = row[p], vq = row[q];
    row[p] = c * vp - s * vq;
    row[q] = s * vp + c * vq;
  }
}

}  // namespace

// Jacobi's method: unlike the closed form it is exact to rounding even if two moments are equal, as for every
// axisymmetric link.
PrincipalAxes principal_axes(const Sym3<double>& m) {
  const double largest = std::max({std::abs(m.xx), std::abs(m.yy), std::abs(m.zz), std::abs(m.xy), std::abs(m.xz),
                                   std::abs(m.yz), std::numeric_limits<double>::min()});
  Square a{{{m.xx / largest, m.xy / largest, m.xz / largest},
            {m.xy / largest, m.yy / largest, m.yz / largest},
            {m.xz / largest, m.yz / largest, m.zz / largest}}};
  Square v{{{1.0, 0.0, 0.0}, {0.0, 1.0, 0.0}, {0.0, 0.0, 1.0}}};
  constexpr int sweeps = 12;  // it converges quadratically: six are enough for any 3x3 matrix
  for (int sweep = 0; sweep < sweeps; ++sweep) {
    jacobi_turn(a, v, 0, 1, 2);
    jacobi_turn(a, v, 0, 2, 1);
    jacobi_turn(a, v, 1, 2, 0);
  }
  std::array<std::size_t, 3> order{0, 1, 2};
  std::sort(order.begin(), order.end(), [&](std::size_t i, std::size_t j) {  // a stable sort would allocate
    return a[i][i] < a[j][j] || (a[i][i] == a[j][j] && i < j);
  });
  const auto moment = [&](std::size_t k) { return a[order[k]][order[k]] * largest; };
  const auto axis = [&](std::size_t k) { return Vec3<double>{v[0][order[k]], v[1][order[k]], v[2][order[k]]}; };
  const Vec3<double> x = axis(0), y = axis(1);
  return {{moment(0), moment(1), moment(2)}, Mat3<double>::from_columns(x, y, cross(x, y))};
}

Vec3<double> eigenvalues(const Sym3<double>& matrix) { return principal_axes(matrix).moments; }

Screw screw_of(const Vec3<double>& angular, const Vec3<double>& velocity) {
  const double turning = std::sqrt(dot(angular, angular)), sliding = std::sqrt(dot(velocity, velocity));
  if (turning == 0.0 && sliding == 0.0) throw std::domain_error("a zero twist has no screw");
  if (turning == 0.0) return {(1.0 / sliding) * velocity, {}, std::numeric_limits<double>::infinity()};
  const double squared = turning * turning;
  return {(1.0 / turning) * angular, (1.0 / squared) * cross(angular, velocity), dot(angular, velocity) / squared};
}

std::array<Screw, 6> principal_screws(const Inertial& body) {
  constexpr double rounding = 1e-6;  // of moments as printed in files
  if (!(body.mass > 0.0)) throw std::domain_error("a body without mass has no screws of inertia");
  const auto [moments, axes] = principal_axes(body.inertia);
  if (moments.x < -rounding * std::max(std::abs(moments.x), std::abs(moments.z)))
    throw std::domain_error("a body with the principal moment " + words::rounded(moments.x) +
                            " has no screws of inertia");
  std::array<Screw, 6> screws;
  const std::array<Vec3<double>, 3> lines{axes.column_x(), axes.column_y(), axes.column_z()};
  const std::array<double, 3> values{moments.x, moments.y, moments.z};
  for (std::size_t k = 0; k < 3; ++k) {
    const double gyration = std::sqrt(std::max(0.0, values[k]) / body.mass);  // (1)
    screws[2 * k] = {lines[k], body.com, gyration};
    screws[2 * k + 1] = {lines[k], body.com, 0.0 - gyration};  // not -0
  }
  return screws;
}

}  // namespace catena
