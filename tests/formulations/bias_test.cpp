// The bias vector b = C q̇ + g: every registered formulation against the oracle, against each other, and against the
// matrices.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <map>
#include <string>

#include "catena/model/regroup.hpp"
#include "catena/scalar/counted.hpp"
#include "catena/scalar/dual.hpp"
#include "oracle/newton_world.hpp"
#include "support/allocations.hpp"
#include "support/formulations.hpp"
#include "support/golden_robots.hpp"
#include "support/nightly.hpp"
#include "support/no_allocation.hpp"
#include "support/tolerances.hpp"
#include "support/velocity_terms.hpp"

namespace catena::test::bias_test {
namespace {

constexpr Tolerance promised = relative(1e-10);
constexpr Tolerance agreement = ulps<double>(256);

std::string label(std::uint64_t seed, std::string_view method) {
  return "robot " + std::to_string(seed) + ", " + std::string(method);
}

std::vector<std::string_view> methods() {
  std::vector<std::string_view> names{{}};
  for (const FormulationInfo& info : formulations("bias")) names.push_back(info.name);
  return names;
}

oracle::Torques expected_bias(const Robot& robot, const State& x) {
  return oracle::inverse_dynamics(robot, x.q, x.qd, Values(x.q.size(), 0.0));
}

TEST(BiasVector, EveryInverseDynamicsServesAndBaseOriginDoes) {
  EXPECT_EQ(formulations("bias").size(), formulations("inverse").size() + 2);
  EXPECT_EQ(formulations("bias")[0].name, "base-origin");
  EXPECT_EQ(formulations("bias")[1].name, "progressive");
  for (const FormulationInfo& inverse : formulations("inverse")) {
    Random random(1);
    BiasVector<double> bias(make_mechanism(random_robot(random, {.joints = 2})), inverse.name);
    EXPECT_EQ(bias.formulation().name, inverse.name);
    EXPECT_EQ(bias.formulation().job, "bias");
    EXPECT_EQ(bias.formulation().source, inverse.source);
  }
}

TEST(BiasVector, AgreesWithNewtonOnAThousandChainsAndTrees) {
  std::map<std::string, int> differs;
  for (const std::uint64_t seed : test::seeds(0, 1000)) {
    const auto [robot, x] = sample(seed, 1 + static_cast<int>(seed % 60));
    const oracle::Torques expected = expected_bias(robot, x);
    const Mechanism mechanism = make_mechanism(robot);
    const Values first = bias_by(mechanism, "base-origin", x);
    for (const std::string_view method : methods()) {
      const Values b = bias_by(mechanism, method, x);
      EXPECT_TRUE(near(b, expected.tau, expected.scale, promised)) << label(seed, method);
      if (b != first) ++differs[std::string(method)];
    }
    EXPECT_EQ(oracle::bias(robot, x.q, x.qd), expected.tau);
  }
  EXPECT_EQ(differs.size(), formulations("bias").size());  // the default and all but base-origin itself
  for (const auto& [name, count] : differs) EXPECT_GT(count, test::sampled(100)) << name;
}

// b - friction = C q̇ + g, with each C.
TEST(BiasVector, IsWhatTheCoriolisMatrixAndGravityMake) {
  for (const std::uint64_t seed : test::seeds(1000, 1300)) {
    const auto [robot, x] = sample(seed, 1 + static_cast<int>(seed % 60));
    const Mechanism mechanism = make_mechanism(robot, {.rigid = true});
    const oracle::Torques expected = expected_bias(robot, x);
    Values gravity(x.q.size());
    InverseDynamics<double>(mechanism).gravity(x.q, gravity);
    for (const FormulationInfo& coriolis : formulations("coriolis")) {
      Values sum = product(coriolis_by(mechanism, coriolis.name, x), x.qd);
      for (std::size_t j = 0; j < sum.size(); ++j) sum[j] += gravity[j];
      for (const std::string_view method : methods())
        EXPECT_TRUE(near(bias_by(mechanism, method, x), sum, expected.scale, promised))
            << label(seed, method) << " and " << coriolis.name;
    }
  }
}

// Slides before the first turning joint, and slides everywhere: where base-origin leaves work out.
TEST(BiasVector, TakesSlidesBeforeTheFirstTurningJoint) {
  for (const std::uint64_t seed : test::seeds(2000, 2200)) {
    Random random(seed);
    const int n = 2 + static_cast<int>(seed % 9), slides = 1 + random.below(n);
    Robot robot = random_robot(random, {.joints = n,
                                        .shape = seed % 2 == 0 ? Shape::chain : Shape::tree,
                                        .mix = JointMix::revolute,
                                        .shuffled = false});
    int moving = 0;
    for (JointDescription& joint : robot.joints)
      if (joint.type == JointType::revolute && moving++ < slides) joint.type = JointType::prismatic;
    const State x = random_state(random, n);
    const oracle::Torques expected = expected_bias(robot, x);
    const Mechanism mechanism = make_mechanism(robot);
    for (const std::string_view method : methods())
      EXPECT_TRUE(near(bias_by(mechanism, method, x), expected.tau, expected.scale, agreement)) << label(seed, method);
  }
}

TEST(BiasVector, MatchesTheGoldenRobotsOnEveryScalar) {
  using D = Dual<double>;
  const std::vector<Golden> robots = read_golden_robots(CATENA_SOURCE_DIR "/tests/data/golden_robots.json");
  ASSERT_EQ(robots.size(), 39u);
  for (const Golden& golden : robots) {
    const Mechanism mechanism = make_mechanism(golden.robot);
    const State& x = golden.x;
    const Values zero(x.q.size(), 0.0);
    for_each_formulation("bias", [&](const FormulationInfo& formulation) {
      SCOPED_TRACE(golden.robot.name + ", " + std::string(formulation.name));
      EXPECT_TRUE(near(bias_by<double>(formulation.name, mechanism, x.q, x.qd), golden.bias, agreement));
      EXPECT_TRUE(near(bias_by<double>(formulation.name, mechanism, x.q, zero), golden.grav, agreement));
      Counted::reset();
      Values counted;
      for (const Counted& entry : bias_by<Counted>(formulation.name, mechanism, as<Counted>(x.q), as<Counted>(x.qd)))
        counted.push_back(entry.value());
      EXPECT_TRUE(near(counted, golden.bias, agreement));
      EXPECT_EQ(Counted::count().divisions, 0);
      for (std::size_t k = 0; k < x.q.size(); ++k) {  // ∂b/∂q̇ = ∂τ/∂q̇
        std::vector<D> qd = as<D>(x.qd);
        qd[k].derivative = 1.0;
        const std::vector<D> b = bias_by<D>(formulation.name, mechanism, as<D>(x.q), qd);
        double scale = 1.0;
        for (const auto& row : golden.dtau_dqd) scale = std::max(scale, largest(row));
        for (std::size_t j = 0; j < x.q.size(); ++j)
          EXPECT_TRUE(near(b[j].derivative, golden.dtau_dqd[j][k], scale, agreement)) << j << k;
      }
    });
  }
}

TEST(BiasVector, IsTheSameOnTheOptimizedMechanism) {
  for (const std::uint64_t seed : test::seeds(3000, 3100)) {
    const auto [robot, x] = sample(seed, 1 + static_cast<int>(seed % 20));
    const Mechanism mechanism = make_mechanism(robot);
    const Values scale = expected_bias(robot, x).scale;
    for (const std::string_view method : methods())
      EXPECT_TRUE(near(bias_by(optimize(mechanism), method, x), bias_by(mechanism, method, x), scale, agreement))
          << label(seed, method);
  }
}

TEST(BiasVector, FloatAgreesToItsOwnPrecision) {
  for (const std::uint64_t seed : test::seeds(3200, 3400)) {
    const auto [robot, x] = sample(seed, 1 + static_cast<int>(seed % 24));
    const oracle::Torques expected = expected_bias(robot, x);
    const Mechanism mechanism = make_mechanism(robot);
    std::vector<float> b(x.q.size());
    for (const std::string_view method : methods()) {
      BiasVector<float>(mechanism, method)(as<float>(x.q), as<float>(x.qd), b);
      EXPECT_TRUE(near(to_values(b), expected.tau, expected.scale, ulps<float>(64))) << label(seed, method);
    }
  }
}

TEST(BiasVector, ReadsNothingItDidNotWrite) {
  for (const std::uint64_t seed : test::seeds(5000, 5060)) {
    const auto [robot, x] = sample(seed, 1 + static_cast<int>(seed % 12));
    expect_nothing_left_over("bias", make_mechanism(robot), x);
  }
}

TEST(BiasVector, AllocatesNothing) {
  expect_no_allocation(6000, methods(), [](const Mechanism& robot, std::string_view method, const auto& x) {
    using S = typename std::decay_t<decltype(x)>::Scalar;
    return [&x, bias = BiasVector<S>(robot, method), b = x.q]() mutable { bias(x.q, x.qd, b); };
  });
}

TEST(BiasVector, SaysWhatIsWrongWithACall) {
  Random random(9);
  const Mechanism robot = make_mechanism(random_robot(random, {.joints = 2, .mix = JointMix::revolute}));
  EXPECT_THROW(BiasVector<double>(robot, "guess"), std::invalid_argument);
  BiasVector<double> bias(robot);
  EXPECT_EQ(bias.formulation().name, job_info("bias").standard(3));
  Values q{0.1, 0.2}, qd{0.3, 0.4}, three(3, 0.0), b(2);
  EXPECT_THROW(bias(three, qd, b), std::invalid_argument);
  EXPECT_THROW(bias(q, three, b), std::invalid_argument);
  EXPECT_THROW(bias(q, qd, three), std::invalid_argument);
  q[0] = std::numeric_limits<double>::quiet_NaN();
  EXPECT_THROW(bias(q, qd, b), std::domain_error);
}

}  // namespace
}  // namespace catena::test::bias_test
