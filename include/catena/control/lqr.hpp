// Linear quadratic regulators: the feedback δτ = -K x that makes ∫ (xᵀQ x + δτᵀR δτ) dt least, or the sum of the same
// over samples, or over finitely many of them. Equations (2)-(6): docs/equations/linear_control.md.
#pragma once

#include <complex>
#include <span>
#include <vector>

#include "catena/control/state_space.hpp"

namespace catena {

// Q is 2n x 2n and positive semidefinite, R m x m and positive definite, m the inputs of the model, n unless joints are
// passive; both symmetric, row-major.
struct QuadraticCost {
  std::vector<double> Q, R;
};
// Diagonal weights: of positions, speeds and torques, one a joint or one for all.
QuadraticCost diagonal_cost(int joints, std::span<const double> position, std::span<const double> speed,
                            std::span<const double> torque);
// The same for a model with fewer inputs: torques have one weight an input, or one for all.
QuadraticCost diagonal_cost(const StateSpace& model, std::span<const double> position, std::span<const double> speed,
                            std::span<const double> torque);

struct Regulator {
  std::vector<double> K;                    // m x 2n
  std::vector<double> S;                    // 2n x 2n: xᵀS x is the cost from x on
  double residual = 0.0;                    // of the Riccati equation, relative to its largest term
  std::vector<std::complex<double>> poles;  // of the closed loop
};

// Continuous time (2), (3); sampled (4), (5). Throw std::invalid_argument on wrong sizes or a cost that is not one, and
// std::domain_error when no feedback makes the loop stable, naming the pole that cannot be moved.
Regulator lqr(const StateSpace& model, const QuadraticCost& cost);
Regulator sampled_lqr(const StateSpace& sampled, const QuadraticCost& cost);

// Gains for each of the given samples of a motion, the last first in time's reverse (6): `end` is the cost of where the
// last one leads. gains[k] is m x 2n.
std::vector<std::vector<double>> finite_horizon_lqr(std::span<const StateSpace> sampled, const QuadraticCost& cost,
                                                    std::span<const double> end);

}  // namespace catena
