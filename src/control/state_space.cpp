#include "catena/control/state_space.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <unsupported/Eigen/MatrixFunctions>

#include "matrices.hpp"

namespace catena {

using control::as_matrix;
using control::as_vector;
using control::Matrix;

Linearization::Linearization(const Mechanism& robot)
    : response_(robot, "response"), inverse_(robot, "inverse"), out_(response_.size()), tau_(index(robot.n())) {}

StateSpace Linearization::under(std::span<const double> q, std::span<const double> qd, std::span<const double> tau,
                                std::span<const ExternalWrench<double>> wrenches) {
  response_({.q = q, .qd = qd, .tau = tau, .wrenches = wrenches}, out_);
  const std::size_t n = q.size(), m = 2 * n;
  StateSpace model{static_cast<int>(n), std::vector<double>(m * m), std::vector<double>(m * n)};
  for (std::size_t i = 0; i < n; ++i) {
    model.A[i * m + n + i] = 1.0;
    for (std::size_t j = 0; j < n; ++j) {
      model.A[(n + i) * m + j] = out_[i * n + j];
      model.A[(n + i) * m + n + j] = out_[n * n + i * n + j];
      model.B[(n + i) * n + j] = out_[2 * n * n + i * n + j];
    }
  }
  return model;
}

StateSpace Linearization::along(std::span<const double> q, std::span<const double> qd, std::span<const double> qdd,
                                std::span<const ExternalWrench<double>> wrenches) {
  inverse_({.q = q, .qd = qd, .qdd = qdd, .wrenches = wrenches}, tau_);
  return under(q, qd, tau_, wrenches);
}

// (1): both blocks at once, as exp([A B; 0 0] dt).
StateSpace discretize(const StateSpace& model, double dt) {
  if (!(dt > 0.0) || !std::isfinite(dt)) throw std::invalid_argument("the sample time must be positive");
  const auto m = static_cast<Eigen::Index>(model.states()), n = static_cast<Eigen::Index>(model.inputs());
  Eigen::MatrixXd both = Eigen::MatrixXd::Zero(m + n, m + n);
  both.topLeftCorner(m, m) = dt * as_matrix(model.A, model.states(), model.states());
  both.topRightCorner(m, n) = dt * as_matrix(model.B, model.states(), model.inputs());
  const Eigen::MatrixXd power = both.exp();
  if (!power.allFinite()) throw std::domain_error("the sampled model is not finite: the sample time is too long");
  return {model.joints, as_vector(power.topLeftCorner(m, m)), as_vector(power.topRightCorner(m, n))};
}

std::vector<std::complex<double>> eigenvalues(std::span<const double> matrix) {
  const auto m = static_cast<std::size_t>(std::lround(std::sqrt(static_cast<double>(matrix.size()))));
  if (m * m != matrix.size()) throw std::invalid_argument("eigenvalues are those of a square matrix");
  const Eigen::VectorXcd values = Matrix(as_matrix(matrix, m, m)).eigenvalues();
  std::vector<std::complex<double>> sorted(values.begin(), values.end());
  std::sort(sorted.begin(), sorted.end(), [](const auto& a, const auto& b) {
    return a.real() != b.real() ? a.real() > b.real() : a.imag() > b.imag();
  });
  return sorted;
}

}  // namespace catena
