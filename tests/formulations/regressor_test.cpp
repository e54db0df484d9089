// The regressor: τ = Y θ with the parameters of the model, against inverse dynamics that is made otherwise, and what
// each column is.
#include <gtest/gtest.h>

#include <cmath>

#include "catena/call.hpp"
#include "catena/model/parameters.hpp"
#include "support/formulations.hpp"
#include "support/nightly.hpp"
#include "support/random_robot.hpp"
#include "support/tolerances.hpp"

namespace catena::test::regressor_test {
namespace {

Values run(const Mechanism& robot, std::string_view job, std::string_view formulation, const State& x) {
  Call<double> call(robot, job, formulation);
  Values out(call.size());
  call({.q = x.q, .qd = x.qd, .qdd = x.qdd}, out);
  return out;
}
Values product(const Values& Y, const Values& theta, std::size_t rows) {
  Values tau(rows);
  for (std::size_t i = 0; i < rows; ++i)
    for (std::size_t k = 0; k < theta.size(); ++k) tau[i] += Y[i * theta.size() + k] * theta[k];
  return tau;
}
// The size of the sums that make a torque.
double size_of(const Values& Y, const Values& theta, std::size_t rows) {
  Values a = Y, b = theta;
  for (double& v : a) v = std::abs(v);
  for (double& v : b) v = std::abs(v);
  return largest(product(a, b, rows));
}

TEST(Regressor, TimesParametersIsInverseDynamicsOnChainsAndTrees) {
  for (const std::uint64_t seed : test::seeds(0, 400)) {
    const RobotSample s = sample(seed, 1 + static_cast<int>(seed % 25 == 0 ? 30 : seed % 12));
    const Mechanism robot = make_mechanism(s.robot);
    const Values theta = standard_parameters(robot);
    const Values tau = run(robot, "inverse", "luh-walker-paul", s.state);
    for (const std::string_view formulation : names_of("regressor")) {
      const Values Y = run(robot, "regressor", formulation, s.state);
      ASSERT_EQ(Y.size(), tau.size() * theta.size());
      EXPECT_TRUE(near(product(Y, theta, tau.size()), tau, size_of(Y, theta, tau.size()), relative(1e-12)))
          << "robot " << seed << " by '" << formulation << "'";
    }
  }
}

// θ is in the frames of the file: a change of one link there changes θ by what the definition says, and nothing else.
TEST(Regressor, ParametersAreThoseOfTheModelsLinkFrames) {
  for (const std::uint64_t seed : test::seeds(0, 60)) {
    Random random(seed);
    RobotOptions options;
    options.joints = 2 + static_cast<int>(seed % 6);
    options.shape = seed % 2 ? Shape::tree : Shape::chain;
    options.fixed_links = false;
    const Robot robot = random_robot(random, options);
    const Values theta = standard_parameters(make_mechanism(robot));
    std::size_t at = 0;
    for (const int j : robot.moving_joints()) {
      const Inertial& own = robot.links[index(robot.joints[index(j)].child)].inertial;
      const Sym3<double> J = own.inertia + own.mass * steiner(own.com);
      const Values expected{
          own.mass, own.mass * own.com.x, own.mass * own.com.y, own.mass * own.com.z, J.xx, J.yy, J.zz, J.xy, J.xz,
          J.yz};
      const Values found(theta.begin() + static_cast<std::ptrdiff_t>(at),
                         theta.begin() + static_cast<std::ptrdiff_t>(at + 10));
      EXPECT_TRUE(near(found, expected, relative(1e-12))) << "robot " << seed << " joint " << j;
      at += parameters_per_joint;
    }
  }
}

TEST(Regressor, NamesAndUnitsStandInTheOrderOfTheColumns) {
  const std::vector<std::string> names = parameter_names(2);
  ASSERT_EQ(names.size(), 32U);
  EXPECT_EQ(names[0], "m1");
  EXPECT_EQ(names[16 + 1], "m2 cx2");
  EXPECT_EQ(names[16 + 12], "fs2");
  EXPECT_EQ(names[16 + 13], "Jr2");
  EXPECT_EQ(names[16 + 15], "offset2");
  Random random(3);
  RobotOptions options;
  options.joints = 2;
  options.mix = JointMix::prismatic;
  const std::vector<std::string> units = parameter_units(make_mechanism(random_robot(random, options)));
  EXPECT_EQ(units[1], "kg m");
  EXPECT_EQ(units[10], "N s/m");
  EXPECT_EQ(units[12], "N");
  EXPECT_EQ(units[13], "kg");
  EXPECT_EQ(units[14], "N/m");
}

// A joint feels nothing of what it does not carry.
TEST(Regressor, IsZeroForLinksThatAJointDoesNotCarry) {
  const RobotSample s = sample(5, 9);
  const Mechanism robot = make_mechanism(s.robot);
  const Values Y = run(robot, "regressor", {}, s.state);
  const std::size_t columns = index(robot.joints()) * parameters_per_joint;
  for (int i = 0; i < robot.joints(); ++i)
    for (int j = 0; j < robot.joints(); ++j) {
      bool carried = false;
      for (int k = i; k != base_link; k = robot.link(k).parent) carried = carried || k == j;
      if (carried) continue;
      for (std::size_t k = 0; k < parameters_per_joint; ++k)
        EXPECT_EQ(Y[index(robot.link(j).q) * columns + index(robot.link(i).q) * parameters_per_joint + k], 0.0);
    }
}

}  // namespace
}  // namespace catena::test::regressor_test
