// The golden robots (tests/data/golden_robots.json): chains and trees in both Denavit-Hartenberg conventions with
// torques, matrices and derivatives from an independent program. Every formulation, on every scalar.
#include <gtest/gtest.h>

#include <string>

#include "catena/scalar/counted.hpp"
#include "catena/scalar/dual.hpp"
#include "oracle/newton_world.hpp"
#include "support/formulations.hpp"
#include "support/golden_robots.hpp"
#include "support/tolerances.hpp"

namespace catena::test::golden_test {
namespace {

const std::vector<Golden>& golden_robots() {
  static const std::vector<Golden> robots = read_golden_robots(CATENA_SOURCE_DIR "/tests/data/golden_robots.json");
  return robots;
}

// Of one joint the derivative by q̇ is nothing but rounding, so no scale is below 1.
double largest(const Rows& rows) {
  double result = 1.0;
  for (const Values& row : rows) result = std::max(result, test::largest(row));
  return result;
}

// check(formulation, golden robot, mechanism) for all of both.
template <class Check>
void for_each_golden(Check check) {
  ASSERT_EQ(golden_robots().size(), 39u);
  for (const Golden& golden : golden_robots()) {
    const Mechanism mechanism = make_mechanism(golden.robot);
    for_each_formulation("inverse", [&](const FormulationInfo& formulation) {
      SCOPED_TRACE(golden.robot.name + ", " + std::string(formulation.name));
      check(formulation, golden, mechanism);
    });
  }
}

// The file's numbers carry the rounding of the program that wrote them.
constexpr Tolerance golden_agreement = ulps<double>(256);

TEST(Golden, TorquesBiasAndGravity) {
  for_each_golden([](const FormulationInfo& formulation, const Golden& golden, const Mechanism& mechanism) {
    const State& x = golden.x;
    const Values zero(x.q.size(), 0.0);
    EXPECT_TRUE(near(torques<double>(formulation.name, mechanism, x.q, x.qd, x.qdd), golden.tau, golden_agreement));
    EXPECT_TRUE(near(torques<double>(formulation.name, mechanism, x.q, x.qd, zero), golden.bias, golden_agreement));
    EXPECT_TRUE(near(torques<double>(formulation.name, mechanism, x.q, zero, zero), golden.grav, golden_agreement));
  });
}

TEST(Golden, InertiaMatrixByUnitAccelerations) {
  for_each_golden([](const FormulationInfo& formulation, const Golden& golden, const Mechanism& mechanism) {
    Mechanism weightless = mechanism;
    weightless.gravity = {};
    const Values zero(golden.x.q.size(), 0.0);
    const oracle::Matrix expected = oracle::inertia_matrix(golden.robot, golden.x.q);
    for (std::size_t j = 0; j < zero.size(); ++j) {
      Values unit = zero;
      unit[j] = 1.0;
      const Values column = torques<double>(formulation.name, weightless, golden.x.q, zero, unit);
      EXPECT_TRUE(near(column, golden.M[j], largest(golden.M), golden_agreement));
      EXPECT_TRUE(near(expected[j], golden.M[j], largest(golden.M), golden_agreement));
    }
  });
}

TEST(Golden, DerivativesByDualNumbers) {
  using D = Dual<double>;
  for_each_golden([](const FormulationInfo& formulation, const Golden& golden, const Mechanism& mechanism) {
    const std::vector<D> qdd = as<D>(golden.x.qdd);
    for (std::size_t k = 0; k < qdd.size(); ++k) {
      std::vector<D> q = as<D>(golden.x.q), qd = as<D>(golden.x.qd);
      q[k].derivative = 1.0;
      const std::vector<D> by_q = torques<D>(formulation.name, mechanism, q, qd, qdd);
      q[k].derivative = 0.0;
      qd[k].derivative = 1.0;
      const std::vector<D> by_qd = torques<D>(formulation.name, mechanism, q, qd, qdd);
      for (std::size_t j = 0; j < qdd.size(); ++j) {
        EXPECT_TRUE(near(by_q[j].value, golden.tau[j], test::largest(golden.tau), golden_agreement));
        EXPECT_TRUE(near(by_q[j].derivative, golden.dtau_dq[j][k], largest(golden.dtau_dq), golden_agreement))
            << j << k;
        EXPECT_TRUE(near(by_qd[j].derivative, golden.dtau_dqd[j][k], largest(golden.dtau_dqd), golden_agreement))
            << j << k;
      }
    }
  });
}

// Second derivatives do not care about the order of differentiation: ∂²τ/∂q_a∂q̇_b from both sides.
TEST(Golden, SecondDerivativesByDualsOfDuals) {
  using D = Dual<double>;
  using DD = Dual<D>;
  for_each_golden([](const FormulationInfo& formulation, const Golden& golden, const Mechanism& mechanism) {
    const std::size_t a = 0, b = golden.x.q.size() - 1;
    std::vector<DD> q = as<DD>(golden.x.q), qd = as<DD>(golden.x.qd), other_q = q, other_qd = qd;
    q[a].derivative = D(1.0), qd[b].value.derivative = 1.0;
    other_q[a].value.derivative = 1.0, other_qd[b].derivative = D(1.0);
    const std::vector<DD> first = torques<DD>(formulation.name, mechanism, q, qd, as<DD>(golden.x.qdd));
    const std::vector<DD> second = torques<DD>(formulation.name, mechanism, other_q, other_qd, as<DD>(golden.x.qdd));
    const double scale = test::largest(golden.tau);
    for (std::size_t j = 0; j < first.size(); ++j) {
      EXPECT_TRUE(near(first[j].value.value, golden.tau[j], scale, golden_agreement));
      EXPECT_TRUE(near(first[j].derivative.derivative, second[j].derivative.derivative, scale, golden_agreement));
      EXPECT_TRUE(near(first[j].value.derivative, golden.dtau_dqd[j][b], largest(golden.dtau_dqd), golden_agreement));
      EXPECT_TRUE(near(second[j].value.derivative, golden.dtau_dq[j][a], largest(golden.dtau_dq), golden_agreement));
    }
  });
}

TEST(Golden, CountedComputesTheSameNumbers) {
  for_each_golden([](const FormulationInfo& formulation, const Golden& golden, const Mechanism& mechanism) {
    Counted::reset();
    const auto tau = torques<Counted>(formulation.name, mechanism, as<Counted>(golden.x.q), as<Counted>(golden.x.qd),
                                      as<Counted>(golden.x.qdd));
    Values values;
    for (const Counted& t : tau) values.push_back(t.value());
    EXPECT_TRUE(near(values, golden.tau, golden_agreement));
    EXPECT_GT(Counted::count().additions, 0);
    EXPECT_EQ(Counted::count().divisions, 0);  // inverse dynamics never divides
  });
}

}  // namespace
}  // namespace catena::test::golden_test
