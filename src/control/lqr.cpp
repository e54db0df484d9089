#include "catena/control.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>

#include "control/matrices.hpp"

namespace catena {
namespace {

using control::as_matrix;
using control::as_vector;
using control::Matrix;

// Each of Eigen's products and solvers is compiled once here, not once for every expression that has one: this file
// took a minute otherwise.
[[gnu::noinline]] Matrix times(const Matrix& A, const Matrix& B) { return A * B; }
[[gnu::noinline]] Matrix times(const Matrix& A, const Matrix& B, const Matrix& C) { return times(A, times(B, C)); }
[[gnu::noinline]] Matrix transposed(const Matrix& A) { return A.transpose(); }
[[gnu::noinline]] Matrix solved(const Matrix& A, const Matrix& right) { return A.partialPivLu().solve(right); }
[[gnu::noinline]] Eigen::VectorXd symmetric_eigenvalues(const Matrix& A) {
  return Eigen::SelfAdjointEigenSolver<Matrix>(A, Eigen::EigenvaluesOnly).eigenvalues();
}
bool is_symmetric(const Matrix& A) { return A.isApprox(transposed(A)); }
Matrix symmetric_part(const Matrix& A) { return 0.5 * (A + transposed(A)); }

struct RegulatorProblem {
  Matrix A, B, Q, R;
};

RegulatorProblem checked(const StateSpace& model, const QuadraticCost& cost) {
  const std::size_t m = model.states(), n = model.inputs();
  if (model.A.size() != m * m || model.B.size() != m * n || n > index(model.joints))
    throw std::invalid_argument("a model of n = " + std::to_string(model.joints) +
                                " joints has A 2n x 2n and B 2n x m, m <= n inputs");
  if (n == 0) throw std::domain_error("no feedback makes the loop stable: no joint of the model has a motor");
  if (cost.Q.size() != m * m || cost.R.size() != n * n)
    throw std::invalid_argument("a cost for n = " + std::to_string(model.joints) +
                                " joints and m = " + std::to_string(n) + " inputs has Q 2n x 2n and R m x m");
  RegulatorProblem p{as_matrix(model.A, m, m), as_matrix(model.B, m, n), as_matrix(cost.Q, m, m),
                     as_matrix(cost.R, n, n)};
  const Eigen::VectorXd q = symmetric_eigenvalues(p.Q), r = symmetric_eigenvalues(p.R);
  if (!is_symmetric(p.Q) || q.minCoeff() < -1e-12 * q.cwiseAbs().maxCoeff())
    throw std::invalid_argument("Q must be symmetric and positive semidefinite");
  if (!is_symmetric(p.R) || !(r.minCoeff() > 0.0))
    throw std::invalid_argument("R must be symmetric and positive definite");
  return p;
}

std::string words(const std::complex<double>& pole) {
  std::string text = std::to_string(pole.real());
  if (pole.imag() != 0.0) text += (pole.imag() > 0.0 ? " + " : " - ") + std::to_string(std::abs(pole.imag())) + " i";
  return text;
}

// Throws std::domain_error for a mode that grows and that no input reaches: rank [A - λ1, B] is not full (Hautus).
void require_stabilizable(const RegulatorProblem& p, bool sampled) {
  const Eigen::Index m = p.A.rows(), n = p.B.cols();
  const double size = 1.0 + p.A.norm() + p.B.norm();
  for (const std::complex<double>& pole : eigenvalues(as_vector(p.A))) {
    if (sampled ? std::abs(pole) < 1.0 - 1e-12 : pole.real() < -1e-12 * size) continue;
    // Real and imaginary part beside each other: the complex matrix' singular values, each twice.
    Matrix test = Matrix::Zero(2 * m, 2 * (m + n));
    for (const Eigen::Index part : {0, 1}) {
      test.block(part * m, part * m, m, m) = p.A - pole.real() * Matrix::Identity(m, m);
      test.block(part * m, 2 * m + part * n, m, n) = p.B;
      test.block(part * m, (1 - part) * m, m, m).diagonal().array() = part == 0 ? pole.imag() : -pole.imag();
    }
    const Eigen::JacobiSVD<Matrix> svd(test);
    if (svd.singularValues().minCoeff() > 1e-10 * size) continue;
    throw std::domain_error("no feedback makes the loop stable: no torque moves the pole " + words(pole));
  }
}

Regulator finished(const RegulatorProblem& p, const Matrix& S, const Matrix& K, const Matrix& defect, double largest) {
  Regulator out{as_vector(K), as_vector(S), defect.norm() / largest, eigenvalues(as_vector(p.A - times(p.B, K)))};
  return out;
}
void require_stable(const Regulator& regulator, bool sampled) {
  for (const std::complex<double>& pole : regulator.poles)
    if (!(sampled ? std::abs(pole) < 1.0 : pole.real() < 0.0))
      throw std::domain_error("no feedback with this cost makes the loop stable: the pole " + words(pole) +
                              " stays; Q does not see it");
}

// The sign of a matrix without eigenvalues on the imaginary axis, by Newton's method with determinant scaling.
Matrix sign_of(Matrix Z) {
  constexpr int most = 100;
  for (int k = 0; k < most; ++k) {
    const Eigen::PartialPivLU<Matrix> lu(Z);
    const Matrix inverse = lu.inverse();
    if (!inverse.allFinite()) break;
    double log_determinant = 0.0;
    for (Eigen::Index i = 0; i < Z.rows(); ++i) log_determinant += std::log(std::abs(lu.matrixLU()(i, i)));
    const double scale = k < 20 ? std::exp(-log_determinant / static_cast<double>(Z.rows())) : 1.0;
    const Matrix next = 0.5 * (scale * Z + inverse / scale);
    const double change = (next - Z).norm();
    Z = next;
    if (change <= 1e-14 * static_cast<double>(Z.rows()) * Z.norm()) return Z;
  }
  if (Z.allFinite() && (times(Z, Z) - Matrix::Identity(Z.rows(), Z.cols())).norm() < 1e-6) return Z;
  throw std::domain_error("no feedback with this cost makes the loop stable: a pole stays on the imaginary axis");
}

// (5): what to do before a cost S of what comes after, and the cost of both.
Matrix sampled_gain(const RegulatorProblem& p, const Matrix& S) {
  const Matrix BtS = times(transposed(p.B), S);
  return solved(p.R + times(BtS, p.B), times(BtS, p.A));
}
Matrix cost_before(const RegulatorProblem& p, const Matrix& S, const Matrix& K) {
  return p.Q + times(transposed(p.A), S, p.A - times(p.B, K));
}

QuadraticCost weighted_cost(std::size_t n, std::size_t inputs, std::span<const double> position,
                            std::span<const double> speed, std::span<const double> torque) {
  const auto weight = [](std::span<const double> weights, std::size_t j, std::size_t count, const char* name) {
    if (weights.size() != 1 && weights.size() != count)
      throw std::invalid_argument(std::string("weights of ") + name + ": give one, or one a joint");
    return weights[weights.size() == 1 ? 0 : j];
  };
  QuadraticCost cost{std::vector<double>(4 * n * n), std::vector<double>(inputs * inputs)};
  for (std::size_t j = 0; j < n; ++j) {
    cost.Q[j * 2 * n + j] = weight(position, j, n, "positions");
    cost.Q[(n + j) * 2 * n + n + j] = weight(speed, j, n, "speeds");
  }
  for (std::size_t k = 0; k < inputs; ++k) cost.R[k * inputs + k] = weight(torque, k, inputs, "torques");
  return cost;
}

}  // namespace

QuadraticCost diagonal_cost(int joints, std::span<const double> position, std::span<const double> speed,
                            std::span<const double> torque) {
  return weighted_cost(index(joints), index(joints), position, speed, torque);
}
QuadraticCost diagonal_cost(const StateSpace& model, std::span<const double> position, std::span<const double> speed,
                            std::span<const double> torque) {
  return weighted_cost(index(model.joints), model.inputs(), position, speed, torque);
}

// (2) by the sign of the Hamiltonian matrix (Roberts), (3).
Regulator lqr(const StateSpace& model, const QuadraticCost& cost) {
  const RegulatorProblem p = checked(model, cost);
  require_stabilizable(p, false);
  const Eigen::Index m = p.A.rows();
  const Matrix At = transposed(p.A), Bt = transposed(p.B), G = times(p.B, solved(p.R, Bt));
  Matrix H(2 * m, 2 * m);
  H << p.A, -G, -p.Q, -At;
  const Matrix W = sign_of(H), identity = Matrix::Identity(m, m);
  Matrix left(2 * m, m), right(2 * m, m);
  left << W.topRightCorner(m, m), W.bottomRightCorner(m, m) + identity;
  right << W.topLeftCorner(m, m) + identity, W.bottomLeftCorner(m, m);
  Matrix S = left.colPivHouseholderQr().solve(-right);
  S = symmetric_part(S);
  const Matrix K = solved(p.R, times(Bt, S)), SA = times(S, p.A), SGS = times(S, G, S);
  const Matrix defect = times(At, S) + SA - SGS + p.Q;
  Regulator out = finished(p, S, K, defect, std::max({p.Q.norm(), SA.norm(), SGS.norm()}));
  require_stable(out, false);
  return out;
}

// (4) by doubling (Anderson; Chu, Fan and Lin), (5).
Regulator sampled_lqr(const StateSpace& sampled, const QuadraticCost& cost) {
  const RegulatorProblem p = checked(sampled, cost);
  require_stabilizable(p, true);
  const Eigen::Index m = p.A.rows();
  const Matrix identity = Matrix::Identity(m, m);
  Matrix A = p.A, G = times(p.B, solved(p.R, transposed(p.B))), H = p.Q;
  for (int k = 0; k < 60; ++k) {
    const Matrix both = identity + times(G, H), At = transposed(A);
    const Matrix step = solved(both, A), more = times(At, H, step);
    G += times(A, solved(both, G), At);
    H += more;
    A = times(A, step);
    if (!H.allFinite()) throw std::domain_error("no feedback with this cost makes the loop stable");
    if (more.norm() <= 1e-15 * H.norm()) break;
  }
  const Matrix S = symmetric_part(H), K = sampled_gain(p, S);
  const Matrix defect = cost_before(p, S, K) - S;
  Regulator out = finished(p, S, K, defect, std::max(S.norm(), p.Q.norm()));
  require_stable(out, true);
  return out;
}

// (6)
std::vector<std::vector<double>> finite_horizon_lqr(std::span<const StateSpace> sampled, const QuadraticCost& cost,
                                                    std::span<const double> end) {
  std::vector<std::vector<double>> gains(sampled.size());
  if (sampled.empty()) return gains;
  const std::size_t m = sampled.front().states();
  if (end.size() != m * m) throw std::invalid_argument("the cost of the end is 2n x 2n");
  Matrix S = as_matrix(end, m, m);
  for (std::size_t k = sampled.size(); k-- > 0;) {
    const RegulatorProblem p = checked(sampled[k], cost);
    const Matrix K = sampled_gain(p, S);
    S = symmetric_part(cost_before(p, S, K));
    gains[k] = as_vector(K);
  }
  return gains;
}

}  // namespace catena
