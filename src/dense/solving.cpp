#include "dense/dense.hpp"

#include <Eigen/Cholesky>
#include <Eigen/LU>
#include <unsupported/Eigen/MatrixFunctions>

#include <algorithm>
#include <cmath>

#include "dense/eigen.hpp"

namespace catena::dense {

Matrix Matrix::block(std::size_t row, std::size_t column, std::size_t rows, std::size_t columns) const {
  Matrix out(rows, columns);
  for (std::size_t i = 0; i < rows; ++i)
    std::copy_n(begin() + (row + i) * columns_ + column, columns, out.row(i).begin());
  return out;
}
void Matrix::put(std::size_t row, std::size_t column, const Matrix& part) {
  for (std::size_t i = 0; i < part.rows(); ++i)
    std::copy_n(part.row(i).begin(), part.columns(), begin() + (row + i) * columns_ + column);
}

Matrix& Matrix::operator+=(const Matrix& other) {
  as_eigen(*this) += as_eigen(other);
  return *this;
}
Matrix& Matrix::operator-=(const Matrix& other) {
  as_eigen(*this) -= as_eigen(other);
  return *this;
}
Matrix& Matrix::operator*=(double factor) {
  as_eigen(*this) *= factor;
  return *this;
}

Matrix identity(std::size_t size) {
  Matrix out(size, size);
  for (std::size_t k = 0; k < size; ++k) out(k, k) = 1.0;
  return out;
}
Matrix blocks(std::initializer_list<std::initializer_list<Matrix>> rows) {
  std::size_t height = 0, width = 0;
  for (const auto& row : rows) height += row.begin()->rows();
  for (const Matrix& part : *rows.begin()) width += part.columns();
  Matrix out(height, width);
  std::size_t top = 0;
  for (const auto& row : rows) {
    std::size_t left = 0;
    for (const Matrix& part : row) {
      out.put(top, left, part);
      left += part.columns();
    }
    top += row.begin()->rows();
  }
  return out;
}

Matrix operator*(const Matrix& A, const Matrix& B) {
  Matrix out(A.rows(), B.columns());
  as_eigen(out).noalias() = as_eigen(A) * as_eigen(B);
  return out;
}
Matrix transposed(const Matrix& A) {
  Matrix out(A.columns(), A.rows());
  for (std::size_t i = 0; i < A.rows(); ++i)
    for (std::size_t j = 0; j < A.columns(); ++j) out(j, i) = A(i, j);
  return out;
}
Matrix scaled_rows(const Vector& factors, Matrix A) {
  for (std::size_t i = 0; i < A.rows(); ++i)
    for (double& entry : A.row(i)) entry *= factors[i];
  return A;
}
Matrix scaled_columns(Matrix A, const Vector& factors) {
  for (std::size_t i = 0; i < A.rows(); ++i)
    for (std::size_t j = 0; j < A.columns(); ++j) A(i, j) *= factors[j];
  return A;
}

double dot(std::span<const double> a, std::span<const double> b) { return as_eigen(a).dot(as_eigen(b)); }
double squared_norm(std::span<const double> entries) { return dot(entries, entries); }
double norm(std::span<const double> entries) { return std::sqrt(squared_norm(entries)); }
double trace(const Matrix& A) {
  double sum = 0.0;
  for (std::size_t k = 0; k < A.rows(); ++k) sum += A(k, k);
  return sum;
}
double largest(std::span<const double> entries) {
  double most = 0.0;
  for (const double entry : entries) most = std::max(most, std::abs(entry));
  return most;
}
bool all_finite(std::span<const double> entries) {
  return std::all_of(entries.begin(), entries.end(), [](double entry) { return std::isfinite(entry); });
}
void subtract(std::span<double> from, double factor, std::span<const double> what) {
  Eigen::Map<Eigen::VectorXd>(from.data(), static_cast<Eigen::Index>(from.size())) -= factor * as_eigen(what);
}

Matrix solve_lower(const Matrix& L, Matrix B) {
  for (std::size_t i = 0; i < L.rows(); ++i) {
    for (std::size_t j = 0; j < i; ++j) subtract(B.row(i), L(i, j), B.row(j));
    for (double& entry : B.row(i)) entry /= L(i, i);
  }
  return B;
}
Matrix solve_upper(const Matrix& R, Matrix B) {
  for (std::size_t i = R.rows(); i-- > 0;) {
    for (std::size_t j = i + 1; j < R.rows(); ++j) subtract(B.row(i), R(i, j), B.row(j));
    for (double& entry : B.row(i)) entry /= R(i, i);
  }
  return B;
}
std::optional<Matrix> cholesky(const Matrix& A) {
  Matrix L(A.rows(), A.rows());
  for (std::size_t i = 0; i < A.rows(); ++i)
    for (std::size_t j = 0; j <= i; ++j) {
      const double left = A(i, j) - dot(L.row(i).first(j), L.row(j).first(j));
      if (i == j && left <= 0.0) return std::nullopt;
      L(i, j) = i == j ? std::sqrt(left) : left / L(j, j);
    }
  return L;
}

Matrix solve(const Matrix& A, const Matrix& B) { return from_eigen(by_columns(A).partialPivLu().solve(by_columns(B))); }
Matrix solve_symmetric(const Matrix& A, const Matrix& B) {
  return from_eigen(by_columns(A).ldlt().solve(by_columns(B)));
}
Inverted inverted(const Matrix& A) {
  const Eigen::PartialPivLU<Eigen::MatrixXd> lu(by_columns(A));
  return {from_eigen(lu.inverse()), lu.matrixLU().diagonal().array().abs().log().sum()};
}
Matrix exponential(const Matrix& A) { return from_eigen(by_columns(A).exp()); }

}  // namespace catena::dense
