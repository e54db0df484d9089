#include "catena/control.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>

#include "dense/dense.hpp"

namespace catena {
namespace {

using dense::blocks;
using dense::identity;
using dense::Matrix;

bool is_symmetric(const Matrix& A) { return norm(A - transposed(A)) <= 1e-12 * norm(A); }
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
  RegulatorProblem p{{m, m, model.A}, {m, n, model.B}, {m, m, cost.Q}, {n, n, cost.R}};
  const std::vector<double> q = symmetric_eigenvalues(p.Q), r = symmetric_eigenvalues(p.R);
  if (!is_symmetric(p.Q) || q.front() < -1e-12 * dense::largest(q))
    throw std::invalid_argument("Q must be symmetric and positive semidefinite");
  if (!is_symmetric(p.R) || !(r.front() > 0.0))
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
  const Matrix one = identity(p.A.rows()), none(p.B.rows(), p.B.columns());
  const double size = 1.0 + norm(p.A) + norm(p.B);
  for (const std::complex<double>& pole : eigenvalues(p.A)) {
    if (sampled ? std::abs(pole) < 1.0 - 1e-12 : pole.real() < -1e-12 * size) continue;
    // Real and imaginary part beside each other: the complex matrix' singular values, each twice.
    const Matrix real = p.A - pole.real() * one, imaginary = pole.imag() * one;
    const Matrix test = blocks({{real, imaginary, p.B, none}, {-imaginary, real, none, p.B}});
    if (singular_values(test).back() > 1e-10 * size) continue;
    throw std::domain_error("no feedback makes the loop stable: no torque moves the pole " + words(pole));
  }
}

Regulator finished(const RegulatorProblem& p, const Matrix& S, const Matrix& K, const Matrix& defect, double largest) {
  return {K.entries(), S.entries(), norm(defect) / largest, eigenvalues(p.A - p.B * K)};
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
    const auto [inverse, log_determinant] = inverted(Z);
    if (!all_finite(inverse)) break;
    const double scale = k < 20 ? std::exp(-log_determinant / static_cast<double>(Z.rows())) : 1.0;
    const Matrix next = 0.5 * (scale * Z + (1.0 / scale) * inverse);
    const double change = norm(next - Z);
    Z = next;
    if (change <= 1e-14 * static_cast<double>(Z.rows()) * norm(Z)) return Z;
  }
  if (all_finite(Z) && norm(Z * Z - identity(Z.rows())) < 1e-6) return Z;
  throw std::domain_error("no feedback with this cost makes the loop stable: a pole stays on the imaginary axis");
}

// (5): what to do before a cost S of what comes after, and the cost of both.
Matrix sampled_gain(const RegulatorProblem& p, const Matrix& S) {
  const Matrix BtS = transposed(p.B) * S;
  return solve(p.R + BtS * p.B, BtS * p.A);
}
Matrix cost_before(const RegulatorProblem& p, const Matrix& S, const Matrix& K) {
  return p.Q + transposed(p.A) * (S * (p.A - p.B * K));
}

QuadraticCost weighted_cost(std::size_t n, std::size_t inputs, std::span<const double> position,
                            std::span<const double> speed, std::span<const double> torque) {
  const auto weight = [](std::span<const double> weights, std::size_t j, std::size_t count, const char* name) {
    if (weights.size() != 1 && weights.size() != count)
      throw std::invalid_argument(std::string("weights of ") + name + ": give one, or one per joint");
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
  const std::size_t m = p.A.rows();
  const Matrix At = transposed(p.A), Bt = transposed(p.B), G = p.B * solve(p.R, Bt);
  const Matrix W = sign_of(blocks({{p.A, -G}, {-p.Q, -At}})) + identity(2 * m);
  const Matrix left = W.block(0, m, 2 * m, m), right = W.block(0, 0, 2 * m, m);
  const Matrix S = symmetric_part(least_squares(left, -right, 0.0));
  const Matrix K = solve(p.R, Bt * S), SA = S * p.A, SGS = S * (G * S);
  const Matrix defect = At * S + SA - SGS + p.Q;
  Regulator out = finished(p, S, K, defect, std::max({norm(p.Q), norm(SA), norm(SGS)}));
  require_stable(out, false);
  return out;
}

// (4) by doubling (Anderson; Chu, Fan and Lin), (5).
Regulator sampled_lqr(const StateSpace& sampled, const QuadraticCost& cost) {
  const RegulatorProblem p = checked(sampled, cost);
  require_stabilizable(p, true);
  Matrix A = p.A, G = p.B * solve(p.R, transposed(p.B)), H = p.Q;
  for (int k = 0; k < 60; ++k) {
    const Matrix both = identity(A.rows()) + G * H, At = transposed(A);
    const Matrix step = solve(both, A), more = At * (H * step);
    G += A * (solve(both, G) * At);
    H += more;
    A = A * step;
    if (!all_finite(H)) throw std::domain_error("no feedback with this cost makes the loop stable");
    if (norm(more) <= 1e-15 * norm(H)) break;
  }
  const Matrix S = symmetric_part(H), K = sampled_gain(p, S);
  const Matrix defect = cost_before(p, S, K) - S;
  Regulator out = finished(p, S, K, defect, std::max(norm(S), norm(p.Q)));
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
  Matrix S(m, m, end);
  for (std::size_t k = sampled.size(); k-- > 0;) {
    const RegulatorProblem p = checked(sampled[k], cost);
    const Matrix K = sampled_gain(p, S);
    S = symmetric_part(cost_before(p, S, K));
    gains[k] = K.entries();
  }
  return gains;
}

}  // namespace catena
