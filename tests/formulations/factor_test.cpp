// The factors M = U D Uᵀ by both methods, and what is solved with them: against the oracle's M and dense arithmetic of
// the test's own.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

#include "catena/scalar/counted.hpp"
#include "catena/scalar/dual.hpp"
#include "formulations/factor/branches.hpp"
#include "oracle/newton_world.hpp"
#include "support/allocations.hpp"
#include "support/factor_robots.hpp"
#include "support/formulations.hpp"
#include "support/inertia_matrices.hpp"
#include "support/nightly.hpp"
#include "support/no_allocation.hpp"
#include "support/tolerances.hpp"
#include "support/velocity_terms.hpp"

namespace catena::test::factor_test {
namespace {

constexpr Tolerance promised = relative(1e-10);
constexpr Tolerance agreement = ulps<double>(256);

std::string label(std::uint64_t seed, std::string_view method) {
  return "robot " + std::to_string(seed) + ", " + std::string(method);
}

// --- the factors ---

TEST(Factorization, RebuildsNewtonsMatrixOnAThousandChainsAndTrees) {
  int shuffled = 0;
  for (const std::uint64_t seed : test::seeds(0, 1000)) {
    const auto [robot, mechanism, x] = regular(seed, 1 + static_cast<int>(seed % 60));
    const Values M = flat(oracle::inertia_matrix(robot, x.q));  // rotors included
    const std::size_t n = x.q.size();
    const std::vector<bool> carried = carries(mechanism);
    for (const std::string_view method : factor_methods()) {
      SCOPED_TRACE(label(seed, method));
      Factorization<double> f(mechanism, method);
      f.factor(x.q);
      EXPECT_TRUE(near(rebuilt(f), M, entry_scales(M, n), promised));
      int wrong = 0;
      for (std::size_t j = 0; j < n; ++j) {
        EXPECT_GT(f.D()[j], 0.0);
        EXPECT_EQ(f.U()[j * n + j], 1.0);
        for (std::size_t k = 0; k < n; ++k) {
          wrong += !carried[j * n + k] && f.U()[j * n + k] != 0.0;
          shuffled += k < j && f.U()[j * n + k] != 0.0;
        }
      }
      EXPECT_EQ(wrong, 0);  // nothing fills in across branches, nor below the diagonal in base-to-tip order
    }
  }
  EXPECT_GT(shuffled, test::sampled(1000));  // joints in an order of the user's own were among them
}

TEST(Factorization, BothMethodsFindTheSameFactors) {
  for (const std::uint64_t seed : test::seeds(1000, 1100)) {
    const auto [robot, mechanism, x] = regular(seed, 1 + static_cast<int>(seed % 12));
    Factorization<double> denoc(mechanism, "denoc"), ldlt(mechanism, "ldlt");
    denoc.factor(x.q);
    ldlt.factor(x.q);
    EXPECT_TRUE(near(to_values(denoc.D()), to_values(ldlt.D()), promised)) << seed;
    EXPECT_TRUE(near(to_values(denoc.U()), to_values(ldlt.U()), promised)) << seed;
    EXPECT_EQ(denoc.formulation().name, "denoc");
    EXPECT_EQ(ldlt.formulation().name, "ldlt");
  }
}

TEST(Factorization, SolvesForManyRightHandSides) {
  for (const std::uint64_t seed : test::seeds(2000, 2200)) {
    const auto [robot, mechanism, x] = regular(seed, 1 + static_cast<int>(seed % 60));
    const std::size_t n = x.q.size();
    Random random(seed);
    Values rhs(5 * n), solution(5 * n);
    for (double& value : rhs) value = random.between(-10.0, 10.0);
    const Values M = flat(oracle::inertia_matrix(robot, x.q));
    for (const std::string_view method : factor_methods()) {
      Factorization<double> f(mechanism, method);
      f.factor(x.q);
      f.solve(rhs, solution);
      for (std::size_t r = 0; r < 5; ++r) {
        const Values part(solution.begin() + static_cast<long>(r * n),
                          solution.begin() + static_cast<long>((r + 1) * n));
        const Values b(rhs.begin() + static_cast<long>(r * n), rhs.begin() + static_cast<long>((r + 1) * n));
        Values scale(n, 0.0);  // Σ |M_jk x_k|
        for (std::size_t j = 0; j < n; ++j)
          for (std::size_t k = 0; k < n; ++k) scale[j] += std::abs(M[j * n + k] * part[k]);
        EXPECT_TRUE(near(product(M, part), b, scale, promised)) << label(seed, method);
      }
      Values in_place = rhs;
      f.solve(in_place, in_place);
      EXPECT_EQ(in_place, solution);
    }
  }
}

TEST(Factorization, InvertsTheInertiaMatrix) {
  for (const std::uint64_t seed : test::seeds(3000, 3200)) {
    const auto [robot, mechanism, x] = regular(seed, 1 + static_cast<int>(seed % 16));
    const std::size_t n = x.q.size();
    const Values M = flat(oracle::inertia_matrix(robot, x.q)), expected = dense_inverse(M, n);
    for (const std::string_view method : factor_methods()) {
      SCOPED_TRACE(label(seed, method));
      Factorization<double> f(mechanism, method);
      f.factor(x.q);
      Values inverse(n * n);
      f.inverse(inverse);
      EXPECT_TRUE(near(inverse, expected, entry_scales(expected, n), promised));
      for (std::size_t i = 0; i < n; ++i)
        for (std::size_t j = 0; j < n; ++j) {
          EXPECT_EQ(inverse[i * n + j], inverse[j * n + i]);
          double one = 0.0, size = 0.0;
          for (std::size_t k = 0; k < n; ++k)
            one += M[i * n + k] * inverse[k * n + j], size += std::abs(M[i * n + k] * inverse[k * n + j]);
          EXPECT_TRUE(near(one, i == j ? 1.0 : 0.0, std::max(size, 1.0), promised));
        }
    }
  }
}

// A matrix that belongs to no robot: every joint carries the next.
TEST(Factorization, EliminatesInAnyPositiveMatrix) {
  const int n = 9;
  Random random(3);
  Values root(81), M(81, 0.0), D(9), x(9), b;
  for (double& entry : root) entry = random.between(-1.0, 1.0);
  for (std::size_t i = 0; i < 9; ++i)
    for (std::size_t j = 0; j < 9; ++j)
      for (std::size_t k = 0; k < 9; ++k) M[i * 9 + j] += root[i * 9 + k] * root[j * 9 + k] + (i == j ? 0.1 : 0.0);
  for (double& entry : x) entry = random.between(-1.0, 1.0);
  b = product(M, x);
  Values U = M;
  eliminate<double>(Branches(n), {{U, n}, D});
  for (std::size_t i = 0; i < 9; ++i)
    for (std::size_t j = 0; j < i; ++j) EXPECT_EQ(U[i * 9 + j], 0.0);
  solve_factored<double>(Branches(n), {{U, n}, D}, b);
  EXPECT_TRUE(near(b, x, promised));
}

// --- scalars and the call itself ---

TEST(Factorization, FloatAgreesToItsOwnPrecision) {
  for (const std::uint64_t seed : test::seeds(7000, 7100)) {
    const auto [robot, mechanism, x] = regular(seed, 1 + static_cast<int>(seed % 10));
    const std::size_t n = x.q.size();
    const Values M = flat(oracle::inertia_matrix(robot, x.q));
    for (const std::string_view method : factor_methods()) {
      Factorization<float> f(mechanism, method);
      f.factor(as<float>(x.q));
      Values rebuilt_f(n * n, 0.0);
      for (std::size_t e = 0; e < n * n; ++e)
        for (std::size_t k = 0; k < n; ++k)
          rebuilt_f[e] += double(f.U()[e / n * n + k]) * double(f.D()[k]) * double(f.U()[e % n * n + k]);
      EXPECT_TRUE(near(rebuilt_f, M, entry_scales(M, n), ulps<float>(1024))) << label(seed, method);
    }
  }
}

template <class S>
std::vector<S> factors_by(std::string_view formulation, const MechanismFor<S>& robot, const std::vector<S>& q) {
  return run_on<S>("factor", formulation, robot, {.q = q});
}

// On Dual the factors of M + ε Ṁ: U D Uᵀ has the derivative of M. On Counted the same numbers.
void expect_every_scalar(std::string_view formulation, const Mechanism& robot, const State& x) {
  using D = Dual<double>;
  const std::size_t n = x.q.size();
  std::vector<D> q;
  for (std::size_t j = 0; j < n; ++j) q.emplace_back(x.q[j], x.qd[j]);
  const std::vector<D> f = factors_by<D>(formulation, robot, q);
  const std::vector<D> M = matrix_by<D>("generalized-links", robot, q);
  double size = 0.0, rate = 0.0;
  for (const D& entry : M)
    size = std::max(size, std::abs(entry.value)), rate = std::max(rate, std::abs(entry.derivative));
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < n; ++j) {
      D sum(0.0);
      for (std::size_t k = 0; k < n; ++k) sum += f[i * n + k] * f[n * n + k] * f[j * n + k];
      EXPECT_TRUE(near(sum.value, M[i * n + j].value, size, promised));
      EXPECT_TRUE(near(sum.derivative, M[i * n + j].derivative, size + rate, promised));
    }
  Counted::reset();
  const std::vector<Counted> counted = factors_by<Counted>(formulation, robot, as<Counted>(x.q));
  Values same, values;
  for (std::size_t e = 0; e < counted.size(); ++e) same.push_back(counted[e].value()), values.push_back(f[e].value);
  EXPECT_TRUE(near(same, values, agreement));
  EXPECT_LE(Counted::count().divisions, static_cast<long>(n));
}

TEST(Factorization, RunsOnEveryScalar) {
  for (const std::uint64_t seed : test::seeds(7200, 7240)) {
    const auto [robot, mechanism, x] = regular(seed, 1 + static_cast<int>(seed % 9));
    SCOPED_TRACE(seed);
    for (const FormulationInfo& formulation : formulations("factor"))
      expect_every_scalar(formulation.name, mechanism, x);
  }
}

TEST(Factorization, ReadsNothingItDidNotWrite) {
  for (const std::uint64_t seed : test::seeds(7300, 7340)) {
    const auto [robot, mechanism, x] = regular(seed, 1 + static_cast<int>(seed % 12));
    expect_nothing_left_over("factor", mechanism, x);
  }
}

TEST(Factorization, AllocatesNothing) {
  const auto prepare = [](const Mechanism& robot, std::string_view method, const auto& x) {
    using S = typename std::decay_t<decltype(x)>::Scalar;
    const int tip = static_cast<int>(robot.frames.size()) - 1;
    auto call = [&x, tip, f = Factorization<S>(robot, method), rhs = std::vector<S>(12, S(1)),
                 inverse = std::vector<S>(36), Lambda = std::vector<S>(9), refuses = false]() mutable {
      if (refuses) return;
      try {
        f.factor(x.q);
        f.solve(rhs, rhs);
        f.inverse(inverse);
        f.operational_inertia(tip, Lambda, Directions::translation);
      } catch (const std::domain_error&) {  // a frame that cannot go everywhere: a message allocates
        refuses = true;
      }
    };
    call();
    return call;
  };
  for (const std::uint64_t seed : test::seeds(8000, 8030)) {
    const auto [robot, mechanism, x] = regular(seed, 6);
    expect_no_allocation<double>(mechanism, x, factor_methods(), prepare);
    expect_no_allocation<float>(mechanism, x, factor_methods(), prepare);
  }
}

TEST(Factorization, SaysWhatIsWrongWithACall) {
  const Mechanism robot = make_mechanism(arm({{0, 1, 0}, {0, 0, 1}, {0, 1, 0}}));
  EXPECT_EQ(message_of<std::invalid_argument>([&] { Factorization<double>(robot, "guess"); }),
            "no formulation 'guess' of factor; known: denoc, ldlt");
  Factorization<double> made(robot), f = std::move(made);
  EXPECT_EQ(f.formulation().name, job_info("factor").standard(3));
  EXPECT_EQ(Factorization<double>(make_mechanism(arm(std::vector<Vec3<double>>(40, {0, 0, 1})))).formulation().name,
            "denoc");
  Values q{0.1, 0.2, 0.3}, two(2), four(4), nine(9), x(3);
  EXPECT_THROW(f.solve(q, x), std::logic_error);
  EXPECT_THROW(f.U(), std::logic_error);
  EXPECT_THROW(f.factor(two), std::invalid_argument);
  f.factor(q);
  EXPECT_THROW(f.solve(four, four), std::invalid_argument);
  EXPECT_THROW(f.solve(nine, x), std::invalid_argument);
  EXPECT_THROW(f.inverse(four), std::invalid_argument);
  EXPECT_THROW(f.operational_inertia(99, nine, Directions::translation), std::invalid_argument);
  EXPECT_THROW(f.operational_inertia(0, nine), std::invalid_argument);
  nine[4] = std::numeric_limits<double>::infinity();
  EXPECT_THROW(f.solve(nine, nine), std::domain_error);
  q[1] = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(message_of<std::domain_error>([&] { f.factor(q); }), "q[1] is not a finite number");
  EXPECT_THROW(f.solve(x, x), std::logic_error);  // the old factors are gone
}

}  // namespace
}  // namespace catena::test::factor_test
