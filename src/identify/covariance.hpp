// The covariance of estimates whose errors are correlated in time: a sandwich over blocks of rows.
#pragma once

#include <functional>

#include "identify/solution.hpp"

namespace catena::identification {

struct RobustCovariance {
  Matrix covariance;
  std::vector<std::size_t> degrees;  // of freedom, by parameter, for Student's t
  std::size_t block = 0;             // rows
  std::vector<double> correlation;   // by joint: 1 + 2 Σ of the residuals' autocorrelation
  double independent = 0.0;          // torques with errors of their own that say as much as all rows
};
// A row of one joint: adds weight × residual × the gradient of what it predicts to the score, and gives the residual.
using AddScore = std::function<double(const RegressionRow& row, std::size_t joint, std::span<double> score)>;
// `inverse`: of the normal matrix, p x p. A score has p entries and one that is not read.
RobustCovariance robust_covariance(const RegressionRows& rows, const Matrix& inverse, const AddScore& add_score);
RobustCovariance robust_covariance(const RegressionRows& rows, const Selection& selection,
                                   const WeightedSolution& found);

}  // namespace catena::identification
