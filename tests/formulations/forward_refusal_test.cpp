// Forward dynamics where a robot has no answer to give, or a call asks for none: always an error that says why.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>

#include "support/accelerations.hpp"
#include "support/factor_robots.hpp"
#include "support/nightly.hpp"

namespace catena::test::forward_refusal_test {
namespace {

std::string refused(const Mechanism& robot, std::string_view method, const State& x, const Values& tau) {
  return message_of<std::domain_error>([&] { accelerations(robot, method, x, tau); });
}

TEST(ForwardDynamics, NamesTheJointThatMovesNothing) {
  for (const std::uint64_t seed : test::seeds(5000, 5040)) {
    auto [robot, mechanism, x] = regular(seed, 1 + static_cast<int>(seed % 12));
    add_massless_leaf(robot, seed);
    x.q.push_back(0.7);
    x.qd.push_back(0.1);
    for (const double torque : {0.0, 1.0}) {
      const Values tau(x.q.size(), torque);
      for (const std::string_view method : forward_methods())
        EXPECT_EQ(refused(make_mechanism(robot), method, x, tau).substr(0, 17), "joint 'the leaf':")
            << forward_label(seed, method);
    }
    Robot driven = robot;
    driven.joints.back().drive = {0.0, 0.0, 1e-4, 50.0};  // a rotor of its own is enough
    for (const std::string_view method : forward_methods())
      EXPECT_EQ(refused(make_mechanism(driven), method, x, Values(x.q.size(), 1.0)), "nothing was thrown")
          << forward_label(seed, method);
  }
}

// Two joints in a row that do the same, with nothing between them: under any torques, and under those of some motion,
// which many accelerations have.
TEST(ForwardDynamics, NamesTheJointThatAnotherRepeats) {
  constexpr Vec3<double> Y{0, 1, 0}, Z{0, 0, 1};
  for (const JointType type : {JointType::revolute, JointType::prismatic})
    for (const Vec3<double>& tilted : {Z, Vec3<double>{0.6, 0.0, 0.8}}) {
      Robot robot = arm({Y, tilted, tilted, Y}, type);
      robot.links[2].inertial = {};
      robot.joints[2].origin.p = {};
      const Mechanism mechanism = make_mechanism(robot);
      const State x{{0.3, -0.4, 0.8, 0.2}, {0.1, 0.2, 0.3, 0.4}, {1.0, -2.0, 0.5, 3.0}};
      for (const Values& tau : {Values{1.0, 2.0, -3.0, 1.0}, torques(mechanism, {}, x)})
        for (const std::string_view method : forward_methods())
          EXPECT_EQ(refused(mechanism, method, x, tau).substr(0, 15), "joint 'joint2':") << method;
    }
}

// Massless links anywhere: all formulations find the accelerations, or all refuse and name a joint. Never a NaN.
TEST(ForwardDynamics, NeverGivesWhatIsNotANumber) {
  int found = 0, refusals = 0;
  for (const std::uint64_t seed : test::seeds(6000, 6300)) {
    Random random(seed);
    const int n = 1 + static_cast<int>(seed % 20);
    const Robot robot = random_robot(random, {.joints = n, .shape = seed % 2 == 0 ? Shape::chain : Shape::tree});
    const Mechanism mechanism = make_mechanism(robot);
    const State x = random_state(random, n);
    const Values tau = torques(mechanism, {}, x);
    for (const std::string_view method : forward_methods()) {
      SCOPED_TRACE(forward_label(seed, method));
      Factorization<double> factors(mechanism, "denoc");
      const bool singular = message_of<std::domain_error>([&] { factors.factor(x.q); }) != "nothing was thrown";
      const std::string message = refused(mechanism, method, x, tau);
      EXPECT_EQ(message != "nothing was thrown", singular) << message;
      if (message != "nothing was thrown") {
        EXPECT_EQ(message.substr(0, 7), "joint '");
        ++refusals;
        continue;
      }
      ++found;
      for (const double entry : accelerations(mechanism, method, x, tau)) EXPECT_TRUE(std::isfinite(entry));
    }
  }
  EXPECT_GT(found, test::sampled(200));
  EXPECT_GT(refusals, test::sampled(200));
}

TEST(ForwardDynamics, SaysWhatIsWrongWithACall) {
  const Mechanism mechanism = make_mechanism(arm({{0, 0, 1}, {0, 1, 0}, {0, 1, 0}}));
  std::string known;
  for (const FormulationInfo& method : formulations("forward"))
    known += (known.empty() ? "" : ", ") + std::string(method.name);
  EXPECT_EQ(message_of<std::invalid_argument>([&] { ForwardDynamics<double>(mechanism, "guess"); }),
            "no formulation 'guess' of forward; known: " + known);
  const Values three(3, 0.1), two(2, 0.1), nan{0.0, 0.0, std::numeric_limits<double>::quiet_NaN()};
  Values qdd(3);
  for (const std::string_view method : forward_methods()) {
    ForwardDynamics<double> forward(mechanism, method);
    EXPECT_EQ(message_of<std::invalid_argument>([&] { forward(three, two, three, qdd); }),
              "qd has 2 values, 3 are needed");
    EXPECT_EQ(message_of<std::domain_error>([&] { forward(nan, three, three, qdd); }), "q[2] is not a finite number");
    EXPECT_EQ(message_of<std::domain_error>([&] { forward(three, nan, three, qdd); }), "qd[2] is not a finite number");
    EXPECT_EQ(message_of<std::domain_error>([&] { forward(three, three, nan, qdd); }), "tau[2] is not a finite number");
    const Wrenches nowhere{{.frame = 999}};
    EXPECT_EQ(message_of<std::invalid_argument>([&] { forward(three, three, three, qdd, nowhere); }).substr(0, 43),
              "external wrench: frame 999 does not exist; ");
    forward(three, three, three, qdd);  // and it still works
    EXPECT_EQ(qdd, accelerations(mechanism, method, {three, three, {}}, three));
  }
}

}  // namespace
}  // namespace catena::test::forward_refusal_test
