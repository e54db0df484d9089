// Decompositions by what defines them, on matrices of all shapes and ranks.
#include "dense/dense.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "support/random_robot.hpp"

namespace catena::test::dense_test {
namespace {

using namespace dense;

Matrix any(std::size_t rows, std::size_t columns) {
  Random random(16 * rows + columns);
  Matrix A(rows, columns);
  for (double& entry : A) entry = random.between(-1.0, 1.0);
  return A;
}
Matrix definite(std::size_t size) {
  const Matrix A = any(size, size);
  return A * transposed(A) + identity(size);
}
Matrix diagonal(const std::vector<double>& values, std::size_t rows, std::size_t columns) {
  Matrix D(rows, columns);
  for (std::size_t k = 0; k < std::min(rows, columns); ++k) D(k, k) = values[k];
  return D;
}
void expect_equal(const Matrix& A, const Matrix& B) {
  ASSERT_EQ(A.rows(), B.rows());
  ASSERT_EQ(A.columns(), B.columns());
  EXPECT_LT(norm(A - B), 1e-12 * (1.0 + norm(A)));
}

TEST(Dense, Blocks) {
  const Matrix A = any(2, 3), B = any(2, 1), C = any(4, 4), all = blocks({{A, B}, {C}});
  expect_equal(all.block(0, 0, 2, 3), A);
  expect_equal(all.block(0, 3, 2, 1), B);
  expect_equal(all.block(2, 0, 4, 4), C);
  expect_equal(all.column(3).block(0, 0, 2, 1), B);
  expect_equal(scaled_rows(B, A), diagonal(B.entries(), 2, 2) * A);
  expect_equal(scaled_columns(C, C.column(1)), C * diagonal(C.column(1).entries(), 4, 4));
}

TEST(Dense, Solvers) {
  for (const std::size_t n : {1, 3, 8, 40}) {
    const Matrix A = any(n, n) + 3.0 * identity(n), S = definite(n), B = any(n, 3), L = *cholesky(S);
    expect_equal(A * solve(A, B), B);
    expect_equal(S * solve_symmetric(S, B), B);
    expect_equal(A * inverted(A).inverse, identity(n));
    expect_equal(L * transposed(L), S);
    expect_equal(L * solve_lower(L, B), B);
    expect_equal(transposed(L) * solve_upper(transposed(L), B), B);
    double log_determinant = 0.0;
    for (std::size_t k = 0; k < n; ++k) log_determinant += 2.0 * std::log(L(k, k));
    EXPECT_NEAR(inverted(S).log_determinant, log_determinant, 1e-11 * (1.0 + std::abs(log_determinant)));
    EXPECT_FALSE(cholesky(S - 2.0 * norm(S) * identity(n)));
  }
}

TEST(Dense, Triangles) {
  const Matrix A = any(9, 4), R = triangle(A), low = any(9, 3) * any(3, 6);
  expect_equal(transposed(R) * R, transposed(A) * A);
  const PivotedTriangle qr = pivoted_triangle(low, 1e-9);
  EXPECT_EQ(qr.rank, 3u);
  Matrix P(6, 6);
  for (std::size_t k = 0; k < 6; ++k) P(qr.order[k], k) = 1.0;
  expect_equal(transposed(qr.R) * qr.R, transposed(low * P) * (low * P));
}

// What is left is at right angles to the columns, and X to what they do not see.
TEST(Dense, LeastSquares) {
  const Matrix A = any(9, 3) * any(3, 6), B = any(9, 2), X = least_squares(A, B, 1e-9);
  expect_equal(transposed(A) * (A * X - B), Matrix(6, 2));
  expect_equal(X, transposed(A) * least_squares(transposed(A), X, 1e-9));
}

TEST(Dense, SingularValues) {
  for (const auto& [rows, columns] : {std::pair<std::size_t, std::size_t>{4, 4}, {3, 7}, {6, 2}, {6, 0}, {1, 5}}) {
    const Matrix A = any(rows, columns);
    const auto [U, values] = left_singular(A);
    expect_equal(transposed(U) * U, identity(rows));
    ASSERT_EQ(values.size(), rows);
    std::vector<double> squares;
    for (const double value : values) squares.push_back(value * value);
    expect_equal(U * diagonal(squares, rows, rows) * transposed(U), A * transposed(A));
    if (columns == 0) continue;
    const std::vector<double> alone = singular_values(A);
    ASSERT_EQ(alone.size(), std::min(rows, columns));
    for (std::size_t k = 0; k < alone.size(); ++k) EXPECT_NEAR(alone[k], values[k], 1e-13);
  }
}

TEST(Dense, Eigenvalues) {
  const Matrix S = any(7, 7) + transposed(any(7, 7));
  const auto [values, vectors] = symmetric_eigen(S);
  expect_equal(S * vectors, vectors * diagonal(values, 7, 7));
  expect_equal(transposed(vectors) * vectors, identity(7));
  expect_equal(as_column(symmetric_eigenvalues(S)), as_column(values));
  const std::vector<std::complex<double>> turn = spectrum(Matrix(2, 2, {0.0, -2.0, 2.0, 0.0}));
  EXPECT_NEAR(std::abs(turn[0] - std::conj(turn[1])), 0.0, 1e-15);
  EXPECT_NEAR(std::abs(turn[0].imag()), 2.0, 1e-15);
}

TEST(Dense, Exponential) {
  const double angle = 1.2, c = std::cos(angle), s = std::sin(angle);
  expect_equal(exponential(Matrix(2, 2, {0.0, -angle, angle, 0.0})), Matrix(2, 2, {c, -s, s, c}));
  expect_equal(exponential(any(5, 5)) * exponential(-any(5, 5)), identity(5));
}

TEST(Dense, NumbersThatAreNone) {
  Matrix A = any(2, 2);
  EXPECT_TRUE(all_finite(A));
  A(1, 0) = std::numeric_limits<double>::quiet_NaN();
  EXPECT_FALSE(all_finite(A));
}

}  // namespace
}  // namespace catena::test::dense_test
