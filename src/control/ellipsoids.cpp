#include <algorithm>
#include <cmath>
#include <limits>

#include "catena/call.hpp"
#include "catena/control.hpp"
#include "dense/dense.hpp"

namespace catena {
namespace {

using dense::Matrix;

// Half axes of the image of a unit ball under A, 3 x n.
Ellipsoid image(const Matrix& A) {
  const dense::LeftSingular found = left_singular(A);
  Ellipsoid out;
  for (std::size_t k = 0; k < 3; ++k) {
    out.lengths.push_back(k < found.values.size() ? found.values[k] : 0.0);
    out.axes.push_back({found.U(0, k), found.U(1, k), found.U(2, k)});
  }
  return out;
}

// (26) The inverse of what a unit force moves.
Ellipsoid resistance(const Matrix& mobility) {
  const dense::SymmetricEigen found = symmetric_eigen(mobility);
  Ellipsoid out;
  const double rounding = 1e-14 * std::abs(found.values.back());
  for (std::size_t k = 0; k < 3; ++k) {
    const double value = found.values[k];
    out.lengths.push_back(value > rounding ? 1.0 / value : std::numeric_limits<double>::infinity());
    out.axes.push_back({found.vectors(0, k), found.vectors(1, k), found.vectors(2, k)});
  }
  return out;
}

}  // namespace

Ellipsoids ellipsoids(const Mechanism& robot, int frame, std::span<const double> q) {
  const std::size_t n = index(robot.nv());
  std::vector<double> J(6 * n), M(n * n);
  Call<double>(robot, "jacobian")({.q = q, .frame = frame}, J);
  Call<double>(robot, "inertia")({.q = q}, M);
  dense::Vector efforts(n, 1);
  Ellipsoids out;
  out.by_efforts = n > 0;
  for (const Coordinate c : robot.coordinates.all()) {
    efforts[index(c)] = robot.limits(c).effort;
    out.by_efforts = out.by_efforts && std::isfinite(efforts[index(c)]) && efforts[index(c)] > 0.0;
  }
  for (std::size_t k = 0; k < n && !out.by_efforts; ++k) efforts[k] = 1.0;
  for (const Coordinate c : robot.coordinates.all())
    if (robot.is_passive(c)) efforts[index(c)] = 0.0;
  for (std::size_t part = 0; part < 2; ++part) {
    const Matrix own(3, n, std::vector<double>{J.begin() + long(3 * n * part), J.begin() + long(3 * n * (part + 1))});
    const Matrix answers = solve_symmetric(Matrix(n, n, M), transposed(own));  // M⁻¹ Jᵀ
    FrameEllipsoids& to = part == 0 ? out.translation : out.rotation;
    to.velocity = image(own);                                               // (24)
    to.acceleration = image(scaled_columns(transposed(answers), efforts));  // (25)
    to.inertia = resistance(own * answers);
  }
  return out;
}

}  // namespace catena
