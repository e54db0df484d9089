// What the files of this layer do with Eigen.
#pragma once

#include <Eigen/Dense>
#include <cmath>
#include <vector>

#include "catena/math/index.hpp"

namespace catena::identification {

using Eigen::Index;
using Matrix = Eigen::MatrixXd;
using Vector = Eigen::VectorXd;
using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

// Lengths of the columns; 1 for those that are zero.
inline Vector column_lengths(const Matrix& X) {
  Vector lengths = X.colwise().norm();
  for (double& length : lengths)
    if (length == 0.0) length = 1.0;
  return lengths;
}

// Residuals stand sample by sample, one a joint.
inline std::vector<double> rms_by_joint(const Vector& residual, std::size_t n) {
  std::vector<double> out(n);
  for (Index k = 0; k < residual.size(); ++k) out[static_cast<std::size_t>(k) % n] += residual(k) * residual(k);
  for (double& sum : out) sum = std::sqrt(sum * static_cast<double>(n) / static_cast<double>(residual.size()));
  return out;
}

}  // namespace catena::identification
