// The box complementarity problem behind stops and dry friction, against trying every set of bounds, and by its own
// conditions where there are too many to try.
#include "sim/box_problem.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "support/random_robot.hpp"

namespace catena::test::box_problem_test {
namespace {

using catena::BoxProblem;
constexpr double infinity = std::numeric_limits<double>::infinity();

struct Problem {
  std::size_t k;
  std::vector<double> A, b, low, high;
};

// A = BᵀB + a little, b and bounds of any size, some infinite, some with no room, some so near that they are met at
// once.
Problem random_problem(catena::test::Random& random, std::size_t k) {
  Problem p{k, std::vector<double>(k * k), std::vector<double>(k), std::vector<double>(k), std::vector<double>(k)};
  std::vector<double> B(k * k);
  for (double& v : B) v = random.between(-1.0, 1.0);
  for (std::size_t i = 0; i < k; ++i) {
    for (std::size_t j = 0; j < k; ++j) {
      for (std::size_t l = 0; l < k; ++l) p.A[i * k + j] += B[l * k + i] * B[l * k + j];
      if (i == j) p.A[i * k + j] += 1e-3;
    }
    p.b[i] = random.chance(0.1) ? 0.0 : random.between(-2.0, 2.0);
    p.low[i] = random.chance(0.3) ? -infinity : random.between(-1.0, 0.0);
    p.high[i] = random.chance(0.3) ? infinity : random.chance(0.1) ? std::max(p.low[i], 0.0) : random.between(0.0, 1.0);
    if (random.chance(0.2)) p.low[i] = 0.0;
  }
  return p;
}

void expect_solved(const Problem& p, const std::vector<double>& x) {
  for (std::size_t i = 0; i < p.k; ++i) {
    EXPECT_GE(x[i], p.low[i]);
    EXPECT_LE(x[i], p.high[i]);
    double w = p.b[i], size = std::abs(p.b[i]);
    for (std::size_t j = 0; j < p.k; ++j) w += p.A[i * p.k + j] * x[j], size += std::abs(p.A[i * p.k + j] * x[j]);
    const double rounding = 1e-9 * size + 1e-12;
    EXPECT_LE(x[i] > p.low[i] ? w : 0.0, rounding) << i;
    EXPECT_GE(x[i] < p.high[i] ? w : 0.0, -rounding) << i;
  }
}

TEST(BoxProblem, MeetsItsConditionsWhereverTheSearchBegins) {
  catena::test::Random random(41);
  BoxProblem box;
  for (int round = 0; round < 3000; ++round) {
    const Problem p = random_problem(random, 1 + static_cast<std::size_t>(random.below(round % 50 == 0 ? 60 : 10)));
    std::vector<double> x(p.k), again(p.k);
    for (double& v : x) v = random.between(-3.0, 3.0);
    box.solve(p.A, p.b, p.low, p.high, x);
    expect_solved(p, x);
    box.solve(p.A, p.b, p.low, p.high, again);
    for (std::size_t i = 0; i < p.k; ++i) EXPECT_NEAR(x[i], again[i], 1e-6 * (1.0 + std::abs(x[i])));
  }
}

TEST(BoxProblem, HasNoSolutionToOfferWhenTheMatrixIsNotPositiveDefinite) {
  BoxProblem box;
  const std::vector<double> A{1.0, 2.0, 2.0, 1.0}, b{-1.0, -1.0}, low(2, -infinity), high(2, infinity);
  std::vector<double> x(2);
  EXPECT_THROW(box.solve(A, b, low, high, x), std::domain_error);
}

}  // namespace
}  // namespace catena::test::box_problem_test
