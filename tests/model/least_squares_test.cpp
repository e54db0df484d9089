// The shortest solution of fewer equations than unknowns, where columns nearly depend on each other.
#include "model/least_squares.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cmath>

#include "support/random_robot.hpp"

namespace catena::test::least_squares_test {
namespace {

// Three joints of a planar loop: their angles add up, their lengths do not.
using Columns = std::array<std::array<double, 4>, 3>;

// What is at right angles to all columns.
std::array<long double, 4> normal_of(const Columns& A) {
  std::array<long double, 4> w{};
  for (std::size_t r = 0; r < 4; ++r) {
    std::array<std::size_t, 3> o{};
    for (std::size_t k = 0, next = 0; k < 4; ++k)
      if (k != r) o[next++] = k;
    const auto a = [&](std::size_t k, std::size_t row) { return static_cast<long double>(A[k][o[row]]); };
    w[r] = (r % 2 == 0 ? 1.0L : -1.0L) *
           (a(0, 0) * (a(1, 1) * a(2, 2) - a(1, 2) * a(2, 1)) - a(1, 0) * (a(0, 1) * a(2, 2) - a(0, 2) * a(2, 1)) +
            a(2, 0) * (a(0, 1) * a(1, 2) - a(0, 2) * a(1, 1)));
  }
  return w;
}

TEST(LeastSquares, ShortestSolutionsKeepTheirDigitsAtAnySize) {
  Random random(3);
  for (const double size : {1.0, 1e-3, 1e-6, 1e-9})
    for (int trial = 0; trial < 50; ++trial) {
      Columns A{};
      std::array<double, 3> c{};
      for (std::size_t k = 0; k < 3; ++k) {
        A[k] = {1.0, size * random.between(-1.0, 1.0), size * random.between(-1.0, 1.0),
                size * random.between(-1.0, 1.0)};
        c[k] = random.between(-1.0, 1.0);
      }
      LeastSquares<double> solver(4, 3, [](int, int) { return true; });
      solver.factor([&](std::size_t r, std::size_t k) { return A[k][r]; });
      std::array<double, 4> y{};
      solver.solve_transposed(c, y);

      const std::array<long double, 4> w = normal_of(A);
      long double across = 0.0L, terms = 0.0L;
      for (std::size_t r = 0; r < 4; ++r) across += w[r] * y[r], terms += std::abs(w[r] * y[r]);
      EXPECT_LT(std::abs(across), 1e-13L * terms) << size;
      for (std::size_t k = 0; k < 3; ++k) {
        long double left = c[k], sum = std::abs(c[k]);
        for (std::size_t r = 0; r < 4; ++r)
          left -= A[k][r] * static_cast<long double>(y[r]), sum += std::abs(A[k][r] * y[r]);
        EXPECT_LT(std::abs(left), 1e-14L * sum) << size;
      }
    }
}

}  // namespace
}  // namespace catena::test::least_squares_test
