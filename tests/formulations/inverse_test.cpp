// Inverse dynamics: every registered formulation against the oracles, against each other, and against what mechanics
// demands.
#include <gtest/gtest.h>

#include <map>
#include <string>

#include "catena/scalar/dual.hpp"
#include "oracle/lagrange.hpp"
#include "oracle/newton_world.hpp"
#include "run/kinematics_of.hpp"
#include "support/allocations.hpp"
#include "support/formulations.hpp"
#include "support/nightly.hpp"
#include "support/tolerances.hpp"

namespace catena::test::inverse_test {
namespace {

// On the per-joint scale of the oracle; what is promised is 1e-10, what is seen is far smaller.
constexpr Tolerance agreement = ulps<double>(64);

std::string label(std::uint64_t seed, std::string_view method) {
  return "robot " + std::to_string(seed) + ", " + (method.empty() ? "default" : std::string(method));
}

// --- agreement with the oracles
// ------------------------------------------------------------------------------------------

void expect_agreement(std::uint64_t seed, int joints, std::map<std::string, int>& differs) {
  const auto [robot, x] = sample(seed, joints);
  Random random(seed + 1'000'000);
  const auto wrenches = random_wrenches(random, robot, random.chance(0.4) ? 1 + random.below(4) : 0);
  const oracle::Torques expected = oracle::inverse_dynamics(robot, x.q, x.qd, x.qdd, as_pushes(wrenches));
  const Mechanism mechanism = make_mechanism(robot);
  std::vector<std::vector<double>> results;
  for (const std::string_view method : inverse_methods()) {
    const std::vector<double> tau = torques(mechanism, method, x, wrenches);
    EXPECT_TRUE(near(tau, expected.tau, expected.scale, agreement)) << label(seed, method);
    EXPECT_TRUE(near(tau, expected.tau, relative(1e-10))) << label(seed, method);
    for (const auto& other : results) {
      EXPECT_TRUE(near(tau, other, expected.scale, agreement)) << label(seed, method);
      if (tau != other) ++differs[std::string(method)];
    }
    results.push_back(tau);
  }
}

TEST(InverseDynamics, AgreesWithNewtonOnAThousandChainsAndTrees) {
  std::map<std::string, int> differs;
  for (const std::uint64_t seed : test::seeds(0, 1000))
    expect_agreement(seed, 1 + static_cast<int>(seed % 30), differs);
  // Two formulations that agree to the last bit everywhere would be one formulation under two names.
  EXPECT_EQ(differs.size(), inverse_methods().size() - 1);
  for (const auto& [name, count] : differs) EXPECT_GT(count, test::sampled(100)) << name;
}

TEST(InverseDynamics, AgreesWithNewtonOnLongRobots) {
  std::map<std::string, int> differs;
  for (const std::uint64_t seed : test::seeds(2000, 2050))
    expect_agreement(seed, 31 + static_cast<int>(seed % 30), differs);
}

TEST(InverseDynamics, AgreesWithLagrangeJointByJoint) {
  for (const std::uint64_t seed : test::seeds(3000, 3300)) {
    const auto [robot, x] = sample(seed, 1 + static_cast<int>(seed % 10), false);
    const std::vector<double> expected = oracle::lagrange::inverse_dynamics(robot, x.q, x.qd, x.qdd);
    const std::vector<double> scale = oracle::inverse_dynamics(robot, x.q, x.qd, x.qdd).scale;
    const Mechanism mechanism = make_mechanism(robot);
    for (const std::string_view method : inverse_methods())
      EXPECT_TRUE(near(torques(mechanism, method, x), expected, scale, agreement)) << label(seed, method);
  }
}

TEST(InverseDynamics, FloatAgreesToItsOwnPrecision) {
  for (const std::uint64_t seed : test::seeds(4000, 4300)) {
    const auto [robot, x] = sample(seed, 1 + static_cast<int>(seed % 30));
    Random random(seed);
    const auto wrenches = random_wrenches(random, robot, static_cast<int>(seed % 3));
    std::vector<ExternalWrench<float>> wrenches_f;
    for (const auto& w : wrenches)
      wrenches_f.push_back({w.frame, static_cast<Vec3<float>>(w.force), static_cast<Vec3<float>>(w.moment), w.axes});
    const oracle::Torques expected = oracle::inverse_dynamics(robot, x.q, x.qd, x.qdd, as_pushes(wrenches));
    const Mechanism mechanism = make_mechanism(robot);
    const auto q = as<float>(x.q), qd = as<float>(x.qd), qdd = as<float>(x.qdd);
    std::vector<float> tau(q.size());
    for (const std::string_view method : inverse_methods()) {
      InverseDynamics<float>(mechanism, method)(q, qd, qdd, tau, wrenches_f);
      EXPECT_TRUE(near(to_values(tau), expected.tau, expected.scale, ulps<float>(64))) << label(seed, method);
    }
  }
}

TEST(Oracles, NewtonAndLagrangeAgreeWithEachOther) {
  for (const std::uint64_t seed : test::seeds(5000, 5100)) {
    const auto [robot, x] = sample(seed, 1 + static_cast<int>(seed % 8), false);
    const oracle::Torques newton = oracle::inverse_dynamics(robot, x.q, x.qd, x.qdd);
    const std::vector<double> lagrange = oracle::lagrange::inverse_dynamics(robot, x.q, x.qd, x.qdd);
    EXPECT_TRUE(near(newton.tau, lagrange, newton.scale, ulps<double>(2))) << seed;
    const oracle::Matrix M = oracle::inertia_matrix(robot, x.q),
                         M_lagrange = oracle::lagrange::inertia_matrix(robot, x.q);
    for (std::size_t j = 0; j < M.size(); ++j)
      EXPECT_TRUE(near(M[j], M_lagrange[j], largest(M[j]), ulps<double>(64))) << seed;
  }
}

// --- what mechanics demands
// ----------------------------------------------------------------------------------------------

// Runs a check for every formulation on a series of robots with their mechanism and a state.
template <class Check>
void for_each_formulation(std::uint64_t first_seed, int robots, int most_joints, bool drives, Check check) {
  for (const std::uint64_t seed : test::seeds(first_seed, first_seed + static_cast<std::uint64_t>(robots))) {
    const auto [robot, x] = sample(seed, 1 + static_cast<int>(seed) % most_joints, drives);
    const Mechanism mechanism = make_mechanism(robot);
    const std::vector<double> scale = oracle::inverse_dynamics(robot, x.q, x.qd, x.qdd).scale;
    for (const std::string_view method : inverse_methods()) {
      SCOPED_TRACE(label(seed, method));
      check(robot, mechanism, x, scale, method);
    }
  }
}

TEST(InverseDynamics, IsLinearInTheAccelerationWithTheInertiaMatrix) {
  for_each_formulation(
      6000, 60, 12, true,
      [](const Robot& robot, const Mechanism& mechanism, const State& x, const Values& scale, auto method) {
        const oracle::Matrix M = oracle::inertia_matrix(robot, x.q);
        const std::vector<double> bias = oracle::bias(robot, x.q, x.qd), tau = torques(mechanism, method, x);
        for (std::size_t j = 0; j < tau.size(); ++j) {
          double expected = bias[j];
          for (std::size_t k = 0; k < tau.size(); ++k) expected += M[j][k] * x.qdd[k];
          EXPECT_TRUE(near(tau[j], expected, scale[j], agreement));
        }
      });
}

TEST(InverseDynamics, GravityActsAloneWithoutMotion) {
  for_each_formulation(
      6100, 60, 12, true, [](const Robot& robot, const Mechanism& mechanism, State x, const Values&, auto method) {
        x.qd.assign(x.q.size(), 0.0);
        x.qdd.assign(x.q.size(), 0.0);
        const oracle::Torques expected = oracle::inverse_dynamics(robot, x.q, x.qd, x.qdd);
        EXPECT_TRUE(near(torques(mechanism, method, x), oracle::gravity(robot, x.q), expected.scale, agreement));
      });
}

// Turning gravity round flips its torques and leaves the rest: τ(g) + τ(-g) = 2 τ(0).
TEST(InverseDynamics, GravityTurnedRoundFlipsItsTorquesOnly) {
  for_each_formulation(
      6200, 60, 12, true,
      [](const Robot& robot, const Mechanism& mechanism, const State& x, const Values& scale, auto method) {
        Robot turned = robot, weightless = robot;
        turned.gravity = -robot.gravity;
        weightless.gravity = {};
        const auto with = torques(mechanism, method, x), against = torques(make_mechanism(turned), method, x);
        const auto without = torques(make_mechanism(weightless), method, x);
        for (std::size_t j = 0; j < with.size(); ++j)
          EXPECT_TRUE(near(with[j] + against[j], 2.0 * without[j], scale[j], agreement));
      });
}

// Velocity torques are quadratic: b(2q̇) - η = 4 (b(q̇) - η). Rigid links: friction is not.
TEST(InverseDynamics, VelocityTorquesAreQuadratic) {
  for_each_formulation(6300, 60, 12, false,
                       [](const Robot&, const Mechanism& mechanism, State x, const Values& scale, auto method) {
                         x.qdd.assign(x.q.size(), 0.0);
                         const auto once = torques(mechanism, method, x);
                         for (double& rate : x.qd) rate *= 2.0;
                         const auto twice = torques(mechanism, method, x);
                         x.qd.assign(x.q.size(), 0.0);
                         const auto eta = torques(mechanism, method, x);
                         for (std::size_t j = 0; j < once.size(); ++j)
                           EXPECT_TRUE(near(twice[j] - eta[j], 4.0 * (once[j] - eta[j]), scale[j], agreement));
                       });
}

// Joints that only slide: no velocity torques, and an inertia matrix that no q changes.
TEST(InverseDynamics, SlidingJointsHaveNoVelocityTorques) {
  for (const std::uint64_t seed : test::seeds(6400, 6430)) {
    Random random(seed);
    const int n = 1 + static_cast<int>(seed % 10);
    const Robot robot = random_robot(random, {.joints = n, .shape = Shape::tree, .mix = JointMix::prismatic});
    const Mechanism mechanism = make_mechanism(robot);
    State x = random_state(random, n), other = random_state(random, n);
    const Values scale = oracle::inverse_dynamics(robot, x.q, x.qd, x.qdd).scale;
    State still = x;
    still.qd.assign(x.q.size(), 0.0);
    other.qdd = x.qdd;
    for (const std::string_view method : inverse_methods()) {
      EXPECT_TRUE(near(torques(mechanism, method, x), torques(mechanism, method, still), scale, agreement));
      EXPECT_TRUE(near(torques(mechanism, method, x), torques(mechanism, method, other), scale, agreement));
    }
  }
}

// The power that the torques put in beyond lifting weight is the growth of the kinetic energy.
TEST(InverseDynamics, PowerBalancesKineticEnergy) {
  for_each_formulation(
      6500, 150, 30, false,
      [](const Robot&, const Mechanism& mechanism, const State& x, const Values& scale, auto method) {
        using D = Dual<double>;
        std::vector<D> q, qd;
        for (std::size_t j = 0; j < x.q.size(); ++j)
          q.emplace_back(x.q[j], x.qd[j]), qd.emplace_back(x.qd[j], x.qdd[j]);
        Kinematics<D> kinematics(mechanism);
        kinematics.update(q, qd);
        const State still{x.q, std::vector<double>(x.q.size(), 0.0), std::vector<double>(x.q.size(), 0.0)};
        const auto tau = torques(mechanism, method, x), eta = torques(mechanism, method, still);
        double power = 0.0, size = 0.0;
        for (std::size_t j = 0; j < tau.size(); ++j) {
          power += x.qd[j] * (tau[j] - eta[j]);
          size += std::abs(x.qd[j]) * scale[j];
        }
        EXPECT_TRUE(near(power, kinematics.kinetic_energy().derivative, size, agreement));
      });
}

TEST(InverseDynamics, AMasslessLeafChangesNoOtherTorque) {
  for_each_formulation(6700, 60, 12, false,
                       [](Robot robot, const Mechanism& mechanism, State x, Values scale, auto method) {
                         const std::vector<double> before = torques(mechanism, method, x);
                         JointDescription joint;
                         joint.name = "leaf joint";
                         joint.type = x.q.size() % 2 == 0 ? JointType::revolute : JointType::prismatic;
                         joint.parent = static_cast<int>(x.q.size()) % static_cast<int>(robot.links.size());
                         joint.child = robot.add_link("leaf");
                         joint.origin.p = {0.1, 0.2, 0.3};
                         robot.add_joint(joint);
                         for (auto* values : {&x.q, &x.qd, &x.qdd}) values->push_back(0.7);
                         std::vector<double> after = torques(make_mechanism(robot), method, x);
                         EXPECT_EQ(after.back(), 0.0);
                         after.pop_back();
                         EXPECT_TRUE(near(after, before, scale, agreement));
                       });
}

TEST(InverseDynamics, RigidLeavesFrictionAndRotorsOut) {
  for_each_formulation(
      6800, 40, 12, true, [](const Robot& robot, const Mechanism&, const State& x, const Values& scale, auto method) {
        const Mechanism rigid = make_mechanism(robot, {.rigid = true});
        EXPECT_FALSE(rigid.has_drives);
        const auto expected = oracle::inverse_dynamics(robot, x.q, x.qd, x.qdd, {}, oracle::Drives::left_out);
        EXPECT_TRUE(near(torques(rigid, method, x), expected.tau, scale, agreement));
      });
}

// --- the call itself
// -----------------------------------------------------------------------------------------------------

TEST(InverseDynamics, ReadsNothingItDidNotWrite) {
  for (const std::uint64_t seed : test::seeds(7000, 7060)) {
    const auto [robot, x] = sample(seed, 1 + static_cast<int>(seed % 12));
    expect_nothing_left_over("inverse", make_mechanism(robot), x);
  }
}

template <class Error, class Call>
std::string message_of(Call call) {
  try {
    call();
  } catch (const Error& error) {
    return error.what();
  }
  return "nothing was thrown";
}

bool contains(const std::string& text, std::string_view part) { return text.find(part) != std::string::npos; }

TEST(InverseDynamics, SaysWhatIsWrongWithACall) {
  const auto [robot, x] = sample(1, 3);
  const Mechanism mechanism = make_mechanism(robot);
  const std::string unknown =
      message_of<std::invalid_argument>([&, &m = mechanism] { InverseDynamics<double>(m, "guess"); });
  EXPECT_TRUE(contains(unknown, "'guess'")) << unknown;
  for (const FormulationInfo& known : formulations("inverse")) EXPECT_TRUE(contains(unknown, known.name)) << unknown;
  InverseDynamics<double> inverse(mechanism);
  EXPECT_EQ(inverse.formulation().name, job_info("inverse").standard(3));
  std::vector<double> three(3, 0.1), two(2, 0.1), tau(3);
  const std::string length = message_of<std::invalid_argument>([&] { inverse(three, two, three, tau); });
  EXPECT_TRUE(contains(length, "qd has 2 values") && contains(length, "3")) << length;
  std::vector<double> bad{0.0, 0.0, std::numeric_limits<double>::infinity()};
  EXPECT_EQ(message_of<std::domain_error>([&] { inverse(three, three, bad, tau); }), "qdd[2] is not a finite number");
  const std::vector<ExternalWrench<double>> nowhere{{.frame = 999}};
  const std::string frame = message_of<std::invalid_argument>([&] { inverse(three, three, three, tau, nowhere); });
  EXPECT_TRUE(contains(frame, "frame 999 does not exist")) << frame;
  inverse(three, three, three, tau);  // and it still works
  EXPECT_EQ(tau, torques(mechanism, {}, {three, three, three}));
}

TEST(InverseDynamics, NamedQueriesAreTheCallWithZeros) {
  for (const std::uint64_t seed : test::seeds(7100, 7160)) {
    const auto [robot, x] = sample(seed, 1 + static_cast<int>(seed % 12));
    Random random(seed);
    const auto wrenches = random_wrenches(random, robot, 2);
    const Values zero(x.q.size(), 0.0);
    const Mechanism mechanism = make_mechanism(robot);
    const oracle::Torques expected = oracle::inverse_dynamics(robot, x.q, zero, zero, as_pushes(wrenches));
    for (const std::string_view method : inverse_methods()) {
      InverseDynamics<double> inverse(mechanism, method);
      Values gravity(x.q.size()), statics(x.q.size());
      inverse.gravity(x.q, gravity);
      inverse.statics(x.q, wrenches, statics);
      EXPECT_TRUE(near(gravity, oracle::gravity(robot, x.q), expected.scale, agreement)) << label(seed, method);
      EXPECT_TRUE(near(statics, expected.tau, expected.scale, agreement)) << label(seed, method);
    }
  }
}

}  // namespace
}  // namespace catena::test::inverse_test
