#include <Eigen/QR>
#include <Eigen/SVD>

#include <algorithm>

#include "dense/eigen.hpp"

namespace catena::dense {

Matrix triangle(const Matrix& A) {
  const Eigen::HouseholderQR<Eigen::MatrixXd> qr(by_columns(A));
  Matrix R(A.columns(), A.columns());
  as_eigen(R) = qr.matrixQR().topRows(qr.cols()).triangularView<Eigen::Upper>();
  return R;
}

PivotedTriangle pivoted_triangle(const Matrix& A, double threshold) {
  Eigen::ColPivHouseholderQR<Eigen::MatrixXd> qr;
  qr.setThreshold(threshold);
  qr.compute(by_columns(A));
  const auto& order = qr.colsPermutation().indices();
  PivotedTriangle out{Matrix(std::min(A.rows(), A.columns()), A.columns()), {order.begin(), order.end()}, 0};
  as_eigen(out.R) = qr.matrixR().topRows(as_eigen(out.R).rows()).triangularView<Eigen::Upper>();
  out.rank = static_cast<std::size_t>(qr.rank());
  return out;
}

Matrix least_squares(const Matrix& A, const Matrix& B, double threshold) {
  Eigen::CompleteOrthogonalDecomposition<Eigen::MatrixXd> decomposition;
  decomposition.setThreshold(threshold);
  decomposition.compute(by_columns(A));
  return from_eigen(decomposition.solve(by_columns(B)));
}

namespace {

// A square matrix needs no QR of Eigen's before, most of which is compiled for others in vain.
using SquareSvd = Eigen::JacobiSVD<Eigen::MatrixXd, Eigen::NoQRPreconditioner>;

std::vector<double> values_of(const SquareSvd& svd) {
  return {svd.singularValues().begin(), svd.singularValues().end()};
}

}  // namespace

std::vector<double> singular_values(const Matrix& A) {
  const Matrix R = pivoted_triangle(A.rows() < A.columns() ? transposed(A) : A, 0.0).R;
  return values_of(SquareSvd(by_columns(R)));
}

// Aᵀ P = Q R, so that A = P Rᵀ Qᵀ: U is that of Rᵀ with its rows put back.
LeftSingular left_singular(const Matrix& A) {
  Matrix wide(A.rows(), std::max(A.rows(), A.columns()));
  wide.put(0, 0, A);
  const PivotedTriangle qr = pivoted_triangle(transposed(wide), 0.0);
  const SquareSvd svd(by_columns(transposed(qr.R)), Eigen::ComputeFullU);
  LeftSingular out{Matrix(A.rows(), A.rows()), values_of(svd)};
  for (std::size_t k = 0; k < A.rows(); ++k)
    as_eigen(out.U).row(static_cast<Eigen::Index>(qr.order[k])) = svd.matrixU().row(static_cast<Eigen::Index>(k));
  return out;
}

}  // namespace catena::dense
