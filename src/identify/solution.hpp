// Weighted least squares on what a log says.
#pragma once

#include <string>

#include "identify/evidence.hpp"

namespace catena::identification {

inline constexpr double doubtful_condition = 1e3;  // with columns of length 1

struct Solution {
  Vector value;
  Matrix inverse;        // of the normal matrix: the covariance where the variance is 1
  double squares = 0.0;  // weighted, what is left
  double condition = 0.0;
};
// Throws std::domain_error that names columns which the rows do not determine.
Solution solve(const Matrix& triangle, const std::vector<Column>& columns, const std::vector<std::size_t>& chosen);

// The columns of a selection that the rows determine with a condition below this.
std::vector<std::size_t> determined(const Matrix& triangle, const std::vector<std::size_t>& chosen,
                                    double condition = doubtful_condition);

// Weights and values: with weights_from_residuals, again and again until the weights stay.
struct WeightedSolution {
  Solution solution;
  std::vector<double> weights;
  int reweightings = 0;
};
WeightedSolution solve_weighted(const RowLayout& layout, const LogEvidence& log, const std::vector<Column>& columns,
                                const Selection& selection, const IdentificationOptions& options);

}  // namespace catena::identification
