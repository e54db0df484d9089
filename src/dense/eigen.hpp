// Matrices as Eigen's, and back.
#pragma once

#include <Eigen/Core>

#include "dense/dense.hpp"

namespace catena::dense {

using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

inline Eigen::Map<const RowMajor> as_eigen(const Matrix& A) {
  return {A.data(), static_cast<Eigen::Index>(A.rows()), static_cast<Eigen::Index>(A.columns())};
}
inline Eigen::Map<RowMajor> as_eigen(Matrix& A) {
  return {A.data(), static_cast<Eigen::Index>(A.rows()), static_cast<Eigen::Index>(A.columns())};
}
inline Eigen::Map<const Eigen::VectorXd> as_eigen(std::span<const double> entries) {
  return {entries.data(), static_cast<Eigen::Index>(entries.size())};
}
// Decompositions work on columns.
inline Eigen::MatrixXd by_columns(const Matrix& A) { return as_eigen(A); }
inline Matrix from_eigen(const Eigen::MatrixXd& A) {
  Matrix out(static_cast<std::size_t>(A.rows()), static_cast<std::size_t>(A.cols()));
  as_eigen(out) = A;
  return out;
}

}  // namespace catena::dense
