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

// λ from R M⁻¹ Rᵀ λ = -drift - R M⁻¹ φ, then q̈ = M⁻¹ (φ + Rᵀ λ).
void HeldDynamics::accelerate_by_rows(std::span<const double> q, std::span<const double> qd,
                                      std::span<const double> tau, const Rows& held, std::span<double> qdd,
                                      std::span<double> hold) {
  const std::size_t n = qd.size(), m = held.drift.size();
  bias_({.q = q, .qd = qd}, b_);
  inertia_({.q = q}, M_);
  const MatrixView<double> factors{M_, static_cast<int>(n)};
  factor_ldlt<double>(factors, inverse_pivots_);
  for (std::size_t j = 0; j < n; ++j) qdd[j] = tau[j] - b_[j];
  solve_ldlt<double>(factors, inverse_pivots_, qdd);
  columns_.assign(held.R.begin(), held.R.end());
  right_.resize(m);
  reduced_.resize(m * m);
  for (std::size_t r = 0; r < m; ++r)
    solve_ldlt<double>(factors, inverse_pivots_, std::span(columns_).subspan(r * n, n));
  const auto product = [&](std::size_t r, std::span<const double> x) {
    double sum = 0.0;
    for (std::size_t j = 0; j < n; ++j) sum += held.R[r * n + j] * x[j];
    return sum;
  };
  for (std::size_t r = 0; r < m; ++r) {
    right_[r] = -held.drift[r] - product(r, qdd);
    for (std::size_t c = r; c < m; ++c)
      reduced_[r * m + c] = product(r, std::span<const double>(columns_).subspan(c * n, n));
    reduced_[r * m + r] *= 1.0 + held.compliance[r];
  }
  const MatrixView<double> shares{std::span(reduced_).first(m * m), static_cast<int>(m)};
  pivots_.resize(m);
  factor_ldlt<double>(shares, pivots_);
  solve_ldlt<double>(shares, pivots_, std::span(right_).first(m));
  for (std::size_t r = 0; r < m; ++r) {
    hold[r] = right_[r];
    for (std::size_t j = 0; j < n; ++j) qdd[j] += right_[r] * columns_[r * n + j];
  }
}

}  // namespace catena
