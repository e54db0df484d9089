// Dense matrices of any size, row by row. Eigen does the work, and only the sources of this folder include it: its
// decompositions take seconds to compile, and would take them again in every file that uses one.
#pragma once

#include <complex>
#include <cstddef>
#include <initializer_list>
#include <optional>
#include <span>
#include <utility>
#include <vector>

namespace catena::dense {

class Matrix {
 public:
  Matrix() = default;
  Matrix(std::size_t rows, std::size_t columns) : Matrix(rows, columns, std::vector<double>(rows * columns)) {}
  Matrix(std::size_t rows, std::size_t columns, std::vector<double> entries)
      : rows_(rows), columns_(columns), entries_(std::move(entries)) {}
  Matrix(std::size_t rows, std::size_t columns, std::span<const double> entries)
      : Matrix(rows, columns, std::vector<double>(entries.begin(), entries.end())) {}

  std::size_t rows() const { return rows_; }
  std::size_t columns() const { return columns_; }
  std::size_t size() const { return entries_.size(); }
  const std::vector<double>& entries() const { return entries_; }

  double& operator()(std::size_t row, std::size_t column) { return entries_[row * columns_ + column]; }
  double operator()(std::size_t row, std::size_t column) const { return entries_[row * columns_ + column]; }
  double& operator[](std::size_t k) { return entries_[k]; }
  double operator[](std::size_t k) const { return entries_[k]; }
  double* data() { return entries_.data(); }
  const double* data() const { return entries_.data(); }
  double* begin() { return data(); }
  double* end() { return data() + size(); }
  const double* begin() const { return data(); }
  const double* end() const { return data() + size(); }

  std::span<double> row(std::size_t row) { return {data() + row * columns_, columns_}; }
  std::span<const double> row(std::size_t row) const { return {data() + row * columns_, columns_}; }
  Matrix column(std::size_t column) const { return block(0, column, rows_, 1); }
  Matrix block(std::size_t row, std::size_t column, std::size_t rows, std::size_t columns) const;
  void put(std::size_t row, std::size_t column, const Matrix& part);

  Matrix& operator+=(const Matrix& other);
  Matrix& operator-=(const Matrix& other);
  Matrix& operator*=(double factor);

 private:
  std::size_t rows_ = 0, columns_ = 0;
  std::vector<double> entries_;
};
using Vector = Matrix;  // of one column

inline Vector as_column(std::span<const double> entries) { return {entries.size(), 1, entries}; }
Matrix identity(std::size_t size);
// Rows of matrices beside one another: blocks({{A, B}, {C, D}}).
Matrix blocks(std::initializer_list<std::initializer_list<Matrix>> rows);

inline Matrix operator+(Matrix A, const Matrix& B) { return std::move(A += B); }
inline Matrix operator-(Matrix A, const Matrix& B) { return std::move(A -= B); }
inline Matrix operator-(Matrix A) { return std::move(A *= -1.0); }
inline Matrix operator*(double factor, Matrix A) { return std::move(A *= factor); }
Matrix operator*(const Matrix& A, const Matrix& B);
Matrix transposed(const Matrix& A);
Matrix scaled_rows(const Vector& factors, Matrix A);     // diag(factors) A
Matrix scaled_columns(Matrix A, const Vector& factors);  // A diag(factors)

double dot(std::span<const double> a, std::span<const double> b);
double squared_norm(std::span<const double> entries);
double norm(std::span<const double> entries);
double trace(const Matrix& A);
double largest(std::span<const double> entries);  // |entry| at most
bool all_finite(std::span<const double> entries);
void subtract(std::span<double> from, double factor, std::span<const double> what);  // from -= factor × what

// Triangles: the other half is not read.
Matrix solve_lower(const Matrix& L, Matrix B);
Matrix solve_upper(const Matrix& R, Matrix B);
// L of A = L Lᵀ; nothing where A is not positive definite.
std::optional<Matrix> cholesky(const Matrix& A);

Matrix solve(const Matrix& A, const Matrix& B);            // by LU with row exchanges
Matrix solve_symmetric(const Matrix& A, const Matrix& B);  // by LDLᵀ with exchanges
struct Inverted {
  Matrix inverse;
  double log_determinant;  // of its size
};
Inverted inverted(const Matrix& A);
Matrix exponential(const Matrix& A);

// R of A = Q R, as many rows as columns; A has no fewer rows.
Matrix triangle(const Matrix& A);
// Column k of A P = Q R is column order[k] of A. Diagonal entries of R fall in size; the rank counts those above
// threshold × the first.
struct PivotedTriangle {
  Matrix R;
  std::vector<std::size_t> order;
  std::size_t rank;
};
PivotedTriangle pivoted_triangle(const Matrix& A, double threshold);
// The shortest X of those for which A X - B is least, A of the rank that pivoted_triangle gives it.
Matrix least_squares(const Matrix& A, const Matrix& B, double threshold);

std::vector<double> singular_values(const Matrix& A);  // largest first
struct LeftSingular {
  Matrix U;  // all columns, also of a tall A
  std::vector<double> values;
};
LeftSingular left_singular(const Matrix& A);

std::vector<double> symmetric_eigenvalues(const Matrix& A);  // least first
struct SymmetricEigen {
  std::vector<double> values;
  Matrix vectors;  // columns
};
SymmetricEigen symmetric_eigen(const Matrix& A);
std::vector<std::complex<double>> spectrum(const Matrix& A);  // eigenvalues of any square matrix, in no order

}  // namespace catena::dense
