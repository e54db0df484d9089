// The principal moments of a symmetric matrix.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <limits>

#include "catena/model/validate.hpp"

namespace catena {
namespace {

// One turn of the cyclic Jacobi method in the plane (p, q), r the third index: makes a[p][q] zero.
void jacobi_turn(std::array<std::array<double, 3>, 3>& a, std::size_t p, std::size_t q, std::size_t r) {
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
}

}  // namespace

// Jacobi's method: unlike the closed form it is exact to rounding also where two moments are equal, as for every
// axisymmetric link.
Vec3<double> eigenvalues(const Sym3<double>& m) {
  const double largest = std::max({std::abs(m.xx), std::abs(m.yy), std::abs(m.zz), std::abs(m.xy), std::abs(m.xz),
                                   std::abs(m.yz), std::numeric_limits<double>::min()});
  std::array<std::array<double, 3>, 3> a{{{m.xx / largest, m.xy / largest, m.xz / largest},
                                          {m.xy / largest, m.yy / largest, m.yz / largest},
                                          {m.xz / largest, m.yz / largest, m.zz / largest}}};
  constexpr int sweeps = 12;  // it converges quadratically: six are enough for any 3x3 matrix
  for (int sweep = 0; sweep < sweeps; ++sweep) {
    jacobi_turn(a, 0, 1, 2);
    jacobi_turn(a, 0, 2, 1);
    jacobi_turn(a, 1, 2, 0);
  }
  std::array<double, 3> values{a[0][0] * largest, a[1][1] * largest, a[2][2] * largest};
  std::sort(values.begin(), values.end());
  return {values[0], values[1], values[2]};
}

}  // namespace catena
