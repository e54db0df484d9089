#include "catena/control.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "dense/dense.hpp"

namespace catena {

using dense::Matrix;

Linearization::Linearization(const Mechanism& robot)
    : robot_(robot),
      response_(robot, "response"),
      motion_(robot, robot.has_passive ? "hybrid" : "inverse"),
      out_(response_.size()),
      motion_out_(motion_.size()),
      zeros_(index(robot.nv())),
      qdd_(index(robot.nv())),
      tau_(index(robot.nv())) {
  require_fixed_base(robot, "state-space models do");
  for (const Coordinate c : robot.coordinates.all())
    if (!robot.is_passive(c)) driven_.push_back(index(c));
}

StateSpace Linearization::under(std::span<const double> q, std::span<const double> qd, std::span<const double> tau,
                                std::span<const ExternalWrench<double>> wrenches) {
  response_({.q = q, .qd = qd, .tau = tau, .wrenches = wrenches}, out_);
  const std::size_t n = q.size(), m = 2 * n, inputs = driven_.size();
  StateSpace model{static_cast<int>(n), std::vector<double>(m * m), std::vector<double>(m * inputs)};
  for (std::size_t i = 0; i < n; ++i) {
    model.A[i * m + n + i] = 1.0;
    for (std::size_t j = 0; j < n; ++j) {
      model.A[(n + i) * m + j] = out_[i * n + j];
      model.A[(n + i) * m + n + j] = out_[n * n + i * n + j];
    }
    for (std::size_t k = 0; k < inputs; ++k) model.B[(n + i) * inputs + k] = out_[2 * n * n + i * n + driven_[k]];
  }
  return model;
}

StateSpace Linearization::along(std::span<const double> q, std::span<const double> qd, std::span<const double> qdd,
                                std::span<const ExternalWrench<double>> wrenches) {
  motion_({.q = q, .qd = qd, .qdd = qdd, .tau = zeros_, .wrenches = wrenches}, motion_out_);
  const std::size_t n = q.size();
  const std::span<const double> found(motion_out_), accelerations = robot_.has_passive ? found.first(n) : qdd;
  std::copy(accelerations.begin(), accelerations.end(), qdd_.begin());
  std::copy(found.last(n).begin(), found.last(n).end(), tau_.begin());
  return under(q, qd, tau_, wrenches);
}

StateSpace state_space(const CartesianLinearization& model, const Mechanism& robot) {
  const std::size_t n = index(robot.nv()), m = 2 * n;
  if (model.D.size() != n * n)
    throw std::invalid_argument("a state space needs as many rows of the frame's motion as joints: " +
                                std::to_string(model.D.size() / n) + " for " + std::to_string(n));
  const Matrix D(n, n, model.D), V(n, n, model.V), P(n, n, model.P);
  const Matrix answers = solve(D, dense::blocks({{P, V, dense::identity(n)}}));
  if (!all_finite(answers)) throw std::domain_error("D_hat is singular: torques do not determine how the frame moves");
  std::vector<std::size_t> driven;
  for (const Coordinate c : robot.coordinates.all())
    if (!robot.is_passive(c)) driven.push_back(index(c));
  StateSpace out{static_cast<int>(n), std::vector<double>(m * m), std::vector<double>(m * driven.size())};
  for (std::size_t i = 0; i < n; ++i) {  // (23)
    out.A[i * m + n + i] = 1.0;
    for (std::size_t j = 0; j < m; ++j) out.A[(n + i) * m + j] = -answers(i, j);
    for (std::size_t k = 0; k < driven.size(); ++k) out.B[(n + i) * driven.size() + k] = answers(i, m + driven[k]);
  }
  return out;
}

// (1): both blocks at once, as exp([A B; 0 0] dt).
StateSpace discretize(const StateSpace& model, double dt) {
  if (!(dt > 0.0) || !std::isfinite(dt)) throw std::invalid_argument("the sample time must be positive");
  if (model.states() == 0) return model;
  const std::size_t m = model.states(), n = model.inputs();
  const Matrix A(m, m, model.A), B(m, n, model.B);
  const Matrix power = exponential(dt * dense::blocks({{A, B}, {Matrix(n, m), Matrix(n, n)}}));
  if (!all_finite(power)) throw std::domain_error("the sampled model is not finite: the sample time is too long");
  return {model.joints, power.block(0, 0, m, m).entries(), power.block(0, m, m, n).entries()};
}

std::vector<std::complex<double>> eigenvalues(std::span<const double> matrix) {
  const auto m = static_cast<std::size_t>(std::lround(std::sqrt(static_cast<double>(matrix.size()))));
  if (m * m != matrix.size()) throw std::invalid_argument("eigenvalues are those of a square matrix");
  if (m == 0) return {};  // which Eigen's solver does not support
  std::vector<std::complex<double>> sorted = spectrum(Matrix(m, m, matrix));
  std::sort(sorted.begin(), sorted.end(), [](const auto& a, const auto& b) {
    return a.real() != b.real() ? a.real() > b.real() : a.imag() > b.imag();
  });
  return sorted;
}

}  // namespace catena
