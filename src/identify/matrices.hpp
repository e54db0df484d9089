// What the files of this layer do with matrices.
#pragma once

#include <cmath>

#include "catena/math/index.hpp"
#include "dense/dense.hpp"

namespace catena::identification {

using dense::Matrix;
using dense::Vector;

// 1 / the length of each column; 1 for those that are zero.
inline Vector inverse_lengths(const Matrix& X) {
  Vector lengths(X.columns(), 1);
  for (std::size_t i = 0; i < X.rows(); ++i)
    for (std::size_t j = 0; j < X.columns(); ++j) lengths[j] += X(i, j) * X(i, j);
  for (double& length : lengths) length = length == 0.0 ? 1.0 : 1.0 / std::sqrt(length);
  return lengths;
}

}  // namespace catena::identification
