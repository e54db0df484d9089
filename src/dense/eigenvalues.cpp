#include <Eigen/Eigenvalues>

#include "dense/eigen.hpp"

namespace catena::dense {

std::vector<double> symmetric_eigenvalues(const Matrix& A) {
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> solver(by_columns(A), Eigen::EigenvaluesOnly);
  return {solver.eigenvalues().begin(), solver.eigenvalues().end()};
}
SymmetricEigen symmetric_eigen(const Matrix& A) {
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> solver(by_columns(A));
  return {{solver.eigenvalues().begin(), solver.eigenvalues().end()}, from_eigen(solver.eigenvectors())};
}
std::vector<std::complex<double>> spectrum(const Matrix& A) {
  const Eigen::VectorXcd values = by_columns(A).eigenvalues();
  return {values.begin(), values.end()};
}

}  // namespace catena::dense
