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

// L of (25): 0 for what has no motor, as passive joints and a free base; for the others their efforts, or 1 each where
// one of them has none.
dense::Vector efforts_of(const Mechanism& robot, bool& by_efforts) {
  dense::Vector out(index(robot.nv()), 1);
  const auto has_motor = [&](Coordinate c) {
    return !robot.is_passive(c) && !(robot.coordinates.is_free() && c < base_joints);
  };
  by_efforts = robot.nv() > 0;
  for (const Coordinate c : robot.coordinates.all()) {
    const double effort = robot.limits(c).effort;
    if (has_motor(c)) by_efforts = by_efforts && std::isfinite(effort) && effort > 0.0;
  }
  for (const Coordinate c : robot.coordinates.all())
    if (has_motor(c)) out[index(c)] = by_efforts ? robot.limits(c).effort : 1.0;
  return out;
}

}  // namespace

Ellipsoids ellipsoids(const Mechanism& robot, int frame, std::span<const double> q) {
  const std::size_t n = index(robot.nv());
  std::vector<double> J(6 * n), M(n * n);
  Call<double>(robot, "jacobian")({.q = q, .frame = frame}, J);
  Call<double>(robot, "inertia")({.q = q}, M);
  Ellipsoids out;
  const dense::Vector efforts = efforts_of(robot, out.by_efforts);
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
