// Forward dynamics: every registered formulation against the oracle, against inverse dynamics and against each other,
// in one call and in two halves.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <map>
#include <string>

#include "catena/dynamics.hpp"
#include "catena/model/regroup.hpp"
#include "catena/scalar/counted.hpp"
#include "catena/scalar/dual.hpp"
#include "formulations/bias/base_origin.hpp"
#include "formulations/bias/by_inverse.hpp"
#include "formulations/forward/articulated_body.hpp"
#include "formulations/forward/composite_ldlt.hpp"
#include "formulations/forward/conjugate_gradient.hpp"
#include "formulations/inertia/base_origin.hpp"
#include "formulations/inertia/walker_orin.hpp"
#include "formulations/inverse/luh_walker_paul.hpp"
#include "oracle/newton_world.hpp"
#include "support/accelerations.hpp"
#include "support/allocations.hpp"
#include "support/factor_robots.hpp"
#include "support/golden_robots.hpp"
#include "support/nightly.hpp"
#include "support/no_allocation.hpp"
#include "support/tolerances.hpp"

namespace catena::test::forward_test {
namespace {

constexpr double promised = 1e-9;

// The scale on which an error of q̈_j is measured. With s_j = √M_jj, which makes metres and radians alike, it is
// max_k |q̈_k| s_k / s_j; M scaled by s has a unit diagonal, and its condition is what bounds these errors.
struct Accuracy {
  Values scale;  // of q̈_j
  double rounding = 0.0;  // on this scale, what rounding τ beside `torque_scale` can do at most: ε ‖M⁻¹‖ ‖τ‖ / ‖q̈‖
};
Accuracy accuracy(const Mechanism& robot, const Values& q, const Values& qdd, const Values& torque_scale,
                  double epsilon) {
  const std::size_t n = q.size();
  Values M(n * n), inverse(n * n), s(n);
  InertiaMatrix<double>{robot}(q, M);
  Factorization<double> factors(robot, "ldlt");
  factors.factor(q);
  factors.inverse(inverse);
  for (std::size_t j = 0; j < n; ++j) s[j] = std::sqrt(M[j * n + j]);
  double norm = 0.0, torque = 0.0, largest = 0.0;
  for (std::size_t j = 0; j < n; ++j) {
    double row = 0.0;
    for (std::size_t k = 0; k < n; ++k) row += std::abs(s[j] * inverse[j * n + k] * s[k]);
    norm = std::max(norm, row);
    torque = std::max(torque, torque_scale[j] / s[j]);
    largest = std::max(largest, std::abs(qdd[j]) * s[j]);
  }
  Accuracy out;
  for (std::size_t j = 0; j < n; ++j) out.scale.push_back(largest / s[j]);
  out.rounding = epsilon * norm * torque / largest;
  return out;
}

Wrenches some_wrenches(std::uint64_t seed, const Robot& robot) {
  Random random(seed + 1'000'000);
  return random_wrenches(random, robot, random.chance(0.4) ? 1 + random.below(4) : 0);
}

// --- the right accelerations
// ---------------------------------------------------------------------------------------------

// Inverse dynamics gives the torques for known accelerations; forward dynamics must give these back.
TEST(ForwardDynamics, UndoesInverseDynamicsOnAThousandChainsAndTrees) {
  std::map<std::string, int> differs;
  for (const std::uint64_t seed : test::seeds(0, 1000)) {
    const auto [robot, mechanism, x] = regular(seed, 1 + static_cast<int>(seed % 60));
    const Wrenches wrenches = some_wrenches(seed, robot);
    const Values tau = torques(mechanism, "luh-walker-paul", x, wrenches);
    const Values scale = accuracy(mechanism, x.q, x.qdd, tau, 0.0).scale;
    std::vector<Values> results;
    for (const std::string_view method : forward_methods()) {
      const Values qdd = accelerations(mechanism, method, x, tau, wrenches);
      EXPECT_TRUE(near(qdd, x.qdd, scale, relative(promised))) << forward_label(seed, method);
      for (const Values& other : results)
        if (qdd != other) ++differs[std::string(method)];
      results.push_back(qdd);
    }
  }
  // Two formulations that agree to the last bit everywhere would be one formulation under two names.
  EXPECT_EQ(differs.size(), forward_methods().size() - 1);
  for (const auto& [name, count] : differs) EXPECT_GT(count, test::sampled(100)) << name;
}

// The oracle's torques for the accelerations found are those that were applied: no condition number is in this.
TEST(ForwardDynamics, SatisfiesNewton) {
  for (const std::uint64_t seed : test::seeds(2000, 2200)) {
    const auto [robot, mechanism, x] = regular(seed, 1 + static_cast<int>(seed % 16));
    const Wrenches wrenches = some_wrenches(seed, robot);
    Random random(seed);
    Values tau(x.q.size());
    for (double& t : tau) t = random.between(-20.0, 20.0);
    for (const std::string_view method : forward_methods()) {
      const Values qdd = accelerations(mechanism, method, x, tau, wrenches);
      const oracle::Torques back = oracle::inverse_dynamics(robot, x.q, x.qd, qdd, as_pushes(wrenches));
      EXPECT_TRUE(near(back.tau, tau, back.scale, ulps<double>(16))) << forward_label(seed, method);
    }
  }
}

TEST(ForwardDynamics, InverseOfForwardIsTheTorque) {
  for (const std::uint64_t seed : test::seeds(2500, 2700)) {
    auto [robot, mechanism, x] = regular(seed, 1 + static_cast<int>(seed % 60));
    const Wrenches wrenches = some_wrenches(seed, robot);
    Random random(seed);
    Values tau(x.q.size());
    for (double& t : tau) t = random.between(-50.0, 50.0);
    for (const std::string_view method : forward_methods()) {
      x.qdd = accelerations(mechanism, method, x, tau, wrenches);
      const Values back = torques(mechanism, {}, x, wrenches);
      // Beside what the accelerations take of torque before it cancels: ‖M‖ ‖q̈‖.
      Values M(x.q.size() * x.q.size()), scale(x.q.size(), largest(tau));
      InertiaMatrix<double>{mechanism}(x.q, M);
      for (std::size_t j = 0; j < scale.size(); ++j)
        for (std::size_t k = 0; k < scale.size(); ++k) scale[j] += std::abs(M[j * scale.size() + k] * x.qdd[k]);
      // What is measured from the base keeps fewer digits of a long arm's tip.
      const Tolerance bound = ulps<double>(method == "base-origin" ? 512 : 64);
      EXPECT_TRUE(near(back, tau, scale, bound)) << forward_label(seed, method);
    }
  }
}

TEST(ForwardDynamics, FloatIsAsGoodAsItsPrecision) {
  for (const std::uint64_t seed : test::seeds(3000, 3200)) {
    const auto [robot, mechanism, x] = regular(seed, 1 + static_cast<int>(seed % 12));
    const Values tau = torques(mechanism, "luh-walker-paul", x);
    const oracle::Torques applied = oracle::inverse_dynamics(robot, x.q, x.qd, x.qdd);
    const Accuracy known = accuracy(mechanism, x.q, x.qdd, applied.scale, std::numeric_limits<float>::epsilon());
    for (const std::string_view method : forward_methods()) {
      std::vector<float> qdd(x.q.size());
      ForwardDynamics<float>(mechanism, method)(as<float>(x.q), as<float>(x.qd), as<float>(tau), qdd);
      EXPECT_TRUE(near(to_values(qdd), x.qdd, known.scale, relative(4.0 * known.rounding)))
          << forward_label(seed, method);
    }
  }
}

TEST(ForwardDynamics, GivesTheGoldenAccelerations) {
  const auto golden_robots = read_golden_robots(CATENA_SOURCE_DIR "/tests/data/golden_robots.json");
  ASSERT_EQ(golden_robots.size(), 39u);
  for (const Golden& golden : golden_robots) {
    const Mechanism mechanism = make_mechanism(golden.robot);
    for (const std::string_view method : forward_methods()) {
      SCOPED_TRACE(golden.robot.name + ", " + std::string(method));
      EXPECT_TRUE(near(accelerations(mechanism, method, golden.x, golden.tau), golden.x.qdd, relative(1e-12)));
      const Values still(golden.x.q.size(), 0.0);
      EXPECT_TRUE(
          near(accelerations(mechanism, method, golden.x, golden.bias), still, largest(golden.x.qdd), relative(1e-12)));
    }
  }
}

// One joint, worked out by hand: (τ - d q̇ - c sign q̇ - gravity) / (I + N² J).
TEST(ForwardDynamics, FrictionTakesAndRotorsAdd) {
  Robot robot = arm({{0, 0, 1}});
  robot.gravity = {};
  robot.joints[0].drive = {.viscous = 0.5, .coulomb = 0.25, .rotor_inertia = 1e-3, .gear_ratio = -20.0};
  const Mechanism mechanism = make_mechanism(robot);
  const double inertia = 0.02 + 1.0 * 0.2 * 0.2 + 400.0 * 1e-3;
  for (const std::string_view method : forward_methods()) {
    for (const double rate : {-2.0, 0.0, 3.0}) {
      const double sign = rate > 0.0 ? 1.0 : rate < 0.0 ? -1.0 : 0.0;
      const double expected = (1.5 - 0.5 * rate - 0.25 * sign) / inertia;
      EXPECT_TRUE(
          near(accelerations(mechanism, method, {{0.7}, {rate}, {}}, {1.5})[0], expected, 1.0, ulps<double>(64)))
          << method;
    }
  }
}

// --- one factorization, many torques
// -----------------------------------------------------------------------------------------

TEST(ForwardDynamics, SolvesForManyTorquesAfterOneFactorization) {
  for (const std::uint64_t seed : test::seeds(4000, 4060)) {
    const auto [robot, mechanism, x] = regular(seed, 1 + static_cast<int>(seed % 20));
    const Wrenches wrenches = some_wrenches(seed, robot);
    Random random(seed);
    for (const std::string_view method : forward_methods()) {
      ForwardDynamics<double> forward(mechanism, method);
      forward.factor(x.q, x.qd, wrenches);
      for (int repeat = 0; repeat < 3; ++repeat) {
        State other = random_state(random, static_cast<int>(x.q.size()));
        const Values tau = torques(mechanism, "luh-walker-paul", {x.q, x.qd, other.qdd}, wrenches);
        const Values scale = accuracy(mechanism, x.q, other.qdd, tau, 0.0).scale;
        Values qdd(x.q.size());
        forward.solve(tau, qdd);
        EXPECT_TRUE(near(qdd, other.qdd, scale, relative(promised))) << forward_label(seed, method);
      }
    }
  }
}

TEST(ForwardDynamics, KeepsFactorsOnlyWhereTheyWereMade) {
  const Mechanism mechanism = make_mechanism(arm({{0, 0, 1}, {0, 1, 0}}));
  const Values x{0.1, 0.2}, bad{0.1, std::numeric_limits<double>::quiet_NaN()};
  Values qdd(2);
  for (const std::string_view method : forward_methods()) {
    ForwardDynamics<double> forward(mechanism, method);
    EXPECT_THROW(forward.solve(x, qdd), std::logic_error);
    forward.factor(x, x);
    forward.solve(x, qdd);
    EXPECT_EQ(message_of<std::domain_error>([&] { forward.solve(bad, qdd); }), "tau[1] is not a finite number");
    forward(x, x, x, qdd);  // uses the room that the factors were in
    EXPECT_THROW(forward.solve(x, qdd), std::logic_error);
  }
}

TEST(ForwardDynamics, DefaultFollowsTheNumberOfJoints) {
  for (const int n : {1, 9, 10, 30}) {
    const Mechanism mechanism = make_mechanism(arm(std::vector<Vec3<double>>(static_cast<std::size_t>(n), {0, 1, 0})));
    EXPECT_EQ(ForwardDynamics<double>(mechanism).formulation().name, n <= 9 ? "composite-ldlt" : "articulated-body");
  }
}

// --- formulations as such
// ----------------------------------------------------------------------------------------------------

template <class S>
std::vector<S> run(std::string_view formulation, const MechanismFor<S>& robot, const std::vector<S>& q,
                   const std::vector<S>& qd, const std::vector<S>& tau) {
  return run_on<S>("forward", formulation, robot, {.q = q, .qd = qd, .tau = tau});
}

TEST(ForwardDynamics, ReadsNothingItDidNotWrite) {
  for (const std::uint64_t seed : test::seeds(7000, 7060)) {
    const auto [robot, given, x] = regular(seed, 1 + static_cast<int>(seed % 14));
    expect_nothing_left_over("forward", seed % 2 == 0 ? given : optimize(given), x);
  }
}

// However q changes, inverse dynamics of the accelerations stays τ: their derivatives cancel in dual numbers.
TEST(ForwardDynamics, DualNumbersGiveDerivatives) {
  using D = Dual<double>;
  for (const std::uint64_t seed : test::seeds(7500, 7540)) {
    const auto [robot, mechanism, x] = regular(seed, 1 + static_cast<int>(seed % 9));
    const std::vector<D> tau = as<D>(torques(mechanism, {}, x));
    std::vector<D> q = as<D>(x.q), qd = as<D>(x.qd);
    Random random(seed);
    for (std::size_t j = 0; j < q.size(); ++j) q[j].derivative = random.unit(), qd[j].derivative = random.unit();
    for_each_formulation("forward", [&, &m = mechanism](const FormulationInfo& formulation) {
      const std::vector<D> qdd = run<D>(formulation.name, m, q, qd, tau),
                           back = torques<D>("tensor-augmented", m, q, qd, qdd);
      double scale = 0.0;
      for (const D& a : qdd) scale = std::max({scale, std::abs(a.value), std::abs(a.derivative)});
      for (const D& t : tau) scale = std::max(scale, std::abs(t.value));
      for (std::size_t j = 0; j < q.size(); ++j) {
        EXPECT_TRUE(near(back[j].value, tau[j].value, 100.0 * scale, ulps<double>(8)))
            << forward_label(seed, formulation.name);
        EXPECT_TRUE(near(back[j].derivative, 0.0, 100.0 * scale, ulps<double>(8)))
            << forward_label(seed, formulation.name);
      }
    });
  }
}

TEST(ForwardDynamics, CountedComputesTheSameNumbers) {
  for (const std::uint64_t seed : test::seeds(7600, 7640)) {
    const auto [robot, mechanism, x] = regular(seed, 1 + static_cast<int>(seed % 14));
    const Values tau = torques(mechanism, {}, x);
    for_each_formulation("forward", [&, &m = mechanism, &state = x](const FormulationInfo& formulation) {
      Counted::reset();
      Values values;
      for (const Counted& a :
           run<Counted>(formulation.name, m, as<Counted>(state.q), as<Counted>(state.qd), as<Counted>(tau)))
        values.push_back(a.value());
      EXPECT_TRUE(near(values, state.qdd, relative(promised))) << forward_label(seed, formulation.name);
      EXPECT_GT(Counted::count().divisions, 0);
    });
  }
}

// Short chains are solved by the short recurrence; where it ends with a residual, all directions are kept. Both happen.
TEST(ForwardDynamics, ConjugateGradientsKeepAllDirectionsWhereTheyMust) {
  int by_short = 0, by_both = 0;
  for (const std::uint64_t seed : test::seeds(7650, 7750)) {
    const auto [robot, mechanism, x] = regular(seed, 1 + static_cast<int>(seed % 60));
    const Mechanism rigid = make_mechanism(robot, {.rigid = true});
    const Values tau = torques(rigid, {}, x);
    const Values scale = accuracy(rigid, x.q, x.qdd, tau, 0.0).scale;
    ConjugateGradient::Workspace<double> ws(rigid);
    Values qdd(x.q.size());
    ConjugateGradient::run<double>(rigid, x.q, x.qd, tau, ws, qdd);
    EXPECT_TRUE(near(qdd, x.qdd, scale, relative(promised))) << seed;
    EXPECT_LE(ws.short_steps, 2 * rigid.joints());
    EXPECT_LE(ws.full_steps, rigid.joints());
    EXPECT_EQ(ws.iterations(), ws.short_steps + ws.full_steps);
    ++(ws.full_steps == 0 ? by_short : by_both);
    if (rigid.joints() <= 6) {
      EXPECT_EQ(ws.full_steps, 0) << seed;
    }
  }
  EXPECT_GT(by_short, test::sampled(20));
  EXPECT_GT(by_both, test::sampled(10));
}

// composite-ldlt takes any inertia matrix and any bias.
TEST(ForwardDynamics, CompositeTakesOtherParts) {
  for (const std::uint64_t seed : test::seeds(7700, 7740)) {
    const auto [robot, mechanism, x] = regular(seed, 1 + static_cast<int>(seed % 14));
    const auto with = [&, &m = mechanism, &state = x]<class F>(F) {
      typename F::template Workspace<double> workspace(m);
      Values qdd(state.q.size());
      F::template run<double>(m, state.q, state.qd, state.qdd, workspace, qdd);
      return qdd;
    };
    const Values expected = with(ArticulatedBody{});
    EXPECT_TRUE(near(with(CompositeLdlt<WalkerOrin, BiasByInverse<LuhWalkerPaul>>{}), expected, relative(promised)))
        << seed;
    EXPECT_TRUE(near(with(CompositeLdlt<BaseOriginInertia, BaseOriginBias>{}), expected, relative(promised))) << seed;
  }
}

TEST(ForwardDynamics, AllocatesNothing) {
  const auto prepare = [](const Mechanism& robot, std::string_view method, const auto& x) {
    using S = typename std::decay_t<decltype(x)>::Scalar;
    return [&x, forward = ForwardDynamics<S>(robot, method), wrenches = wrench_on_every_frame<S>(robot), tau = x.qdd,
            qdd = x.qdd]() mutable {
      forward(x.q, x.qd, tau, qdd);
      forward(x.q, x.qd, tau, qdd, wrenches);
      forward.factor(x.q, x.qd, wrenches);
      forward.solve(tau, qdd);
    };
  };
  for (const std::uint64_t seed : test::seeds(8000, 8020)) {
    SCOPED_TRACE(seed);
    const auto large = regular(seed, 1 + static_cast<int>(seed % 20));
    const auto small = regular(seed, 1 + static_cast<int>(seed % 12));
    expect_no_allocation<double>(large.mechanism, large.x, forward_methods(), prepare);
    expect_no_allocation<float>(small.mechanism, small.x, forward_methods(), prepare);
  }
}

}  // namespace
}  // namespace catena::test::forward_test
