// What the files of this layer do with Eigen.
#pragma once

#include <Eigen/Dense>

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

}  // namespace catena::identification
