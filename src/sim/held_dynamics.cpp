#include "sim/held_dynamics.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "formulations/shared/ldlt.hpp"

namespace catena {

HeldDynamics::HeldDynamics(const Mechanism& robot) : robot_(robot), inertia_(robot, "inertia"), bias_(robot, "bias") {
  const std::size_t n = index(robot.nv());
  for (auto* v : {&b_, &inverse_pivots_, &moving_qdd_}) v->resize(n);
  for (auto* v : {&M_, &reduced_}) v->resize(n * n);
  moving_.reserve(n);
  is_held_.resize(n);
}

// M_mm q̈_m = φ_m over the moving joints m, then λ_h = M_hm q̈_m - φ_h over the held ones.                    (1), (2)
void HeldDynamics::accelerate(std::span<const double> q, std::span<const double> qd, std::span<const double> tau,
                              std::span<const std::size_t> held, std::span<double> qdd, std::span<double> hold) {
  const std::size_t n = qd.size();
  std::fill(is_held_.begin(), is_held_.end(), false);
  for (const std::size_t j : held) is_held_[j] = true;
  moving_.clear();
  for (std::size_t j = 0; j < n; ++j)
    if (!is_held_[j]) moving_.push_back(j);
  const std::size_t m = moving_.size();

  bias_({.q = q, .qd = qd}, b_);
  if (m > 0) inertia_({.q = q}, M_);
  for (std::size_t r = 0; r < m; ++r) {
    moving_qdd_[r] = tau[moving_[r]] - b_[moving_[r]];
    for (std::size_t c = r; c < m; ++c) reduced_[r * m + c] = M_[moving_[r] * n + moving_[c]];
  }
  const MatrixView<double> factors{std::span(reduced_).first(m * m), static_cast<int>(m)};
  factor_ldlt<double>(factors, inverse_pivots_);
  for (std::size_t r = 0; r < m; ++r)
    if (!(inverse_pivots_[r] > 0.0 && std::isfinite(inverse_pivots_[r])))
      throw std::domain_error("joint '" + robot_.name_of(Coordinate(moving_[r])) +
                              "' cannot be accelerated: the inertia matrix of the joints that move is singular");
  solve_ldlt<double>(factors, inverse_pivots_, std::span(moving_qdd_).first(m));

  std::fill(qdd.begin(), qdd.end(), 0.0);
  for (std::size_t r = 0; r < m; ++r) qdd[moving_[r]] = moving_qdd_[r];
  for (std::size_t k = 0; k < held.size(); ++k) {
    double load = b_[held[k]] - tau[held[k]];
    for (std::size_t r = 0; r < m; ++r) load += M_[held[k] * n + moving_[r]] * moving_qdd_[r];
    hold[k] = load;
  }
}

}  // namespace catena
