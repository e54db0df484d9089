// The covariance of estimates whose errors are correlated in time: a sandwich over blocks of rows.
#pragma once

#include <functional>

#include "identify/solution.hpp"

namespace catena::identification {

struct RobustCovariance {
  Matrix covariance;
  std::vector<std::size_t> degrees;  // of freedom, by parameter, for Student's t
  std::size_t block = 0;             // rows
  std::size_t blocks = 0;
  std::vector<double> correlation;  // by joint: 1 + 2 Σ of the residuals' autocorrelation
  double independent = 0.0;         // torques with errors of their own that say as much as all rows
};
// What a row of one joint leaves, and the derivatives of what it predicts: (parameter, derivative).
using Gradient = std::vector<std::pair<std::size_t, double>>;
using Linearize = std::function<double(const RegressionRow& row, std::size_t joint, Gradient& gradient)>;
// `inverse`: of the weighted normal matrix.
RobustCovariance robust_covariance(const RegressionRows& rows, const Matrix& inverse,
                                   const std::vector<double>& weights, const Linearize& linearize);
// With gains: n parameters more, 1/gain of each joint, which are 1; `inverse` is that of all.
RobustCovariance robust_covariance(const RegressionRows& rows, const Selection& selection,
                                   const WeightedSolution& found, const Matrix* with_gains = nullptr);

}  // namespace catena::identification
