// Robots with passive joints in simulation and control: drives, energy, equilibria, reduced inputs, regulators.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <string>

#include "catena/control.hpp"
#include "catena/robot_file.hpp"
#include "catena/simulation.hpp"
#include "support/factor_robots.hpp"
#include "support/tolerances.hpp"

namespace catena::test::underactuated_test {
namespace {

constexpr double pi = std::numbers::pi;

Mechanism with_passive(const std::string& name, const std::vector<std::size_t>& joints, double viscous = 0.0) {
  Robot robot = load_robot(find_model(name));
  for (const std::size_t j : joints) {
    JointDescription& joint = robot.joints[static_cast<std::size_t>(robot.moving_joints()[j])];
    joint.passive = true;
    joint.drive.viscous = viscous;
  }
  return make_mechanism(robot);
}
Values times(double end, int samples) {
  Values t;
  for (int k = 0; k <= samples; ++k) t.push_back(end * k / samples);
  return t;
}

TEST(Underactuated, AcrobotKeepsItsEnergy) {
  const Mechanism robot = with_passive("planar2r", {0});
  Simulation simulation(robot, constant_torque({7.0, 0.0}));  // the first is nobody's
  const SimulationResult run = simulation.run(Values{0.4, -0.3}, Values{0.0, 1.0}, times(5.0, 50));
  ASSERT_TRUE(run.complete) << run.ended_by;
  const double start = run.samples.front().kinetic + run.samples.front().potential;
  double most = 0.0;
  for (const auto& s : run.samples) {
    EXPECT_NEAR(s.kinetic + s.potential, start, 1e-7);
    EXPECT_EQ(s.tau[0], 0.0);
    EXPECT_EQ(s.work, 0.0);
    most = std::max(most, s.kinetic);
  }
  EXPECT_GT(most, 1.0);  // and it did move
}

TEST(Underactuated, FrictionOfAPassiveJointStillActs) {
  const Mechanism robot = with_passive("pelican_crucible", {2}, 0.05);
  Simulation simulation(robot, pd_gravity_control(robot, {{400.0}, {40.0}}, hold_at({0.3, 0.4, 0.0})));
  const SimulationResult run = simulation.run(Values{0.3, 0.4, 0.0}, Values{0.0, 0.0, 0.0}, times(4.0, 40));
  ASSERT_TRUE(run.complete) << run.ended_by;
  EXPECT_GT(run.samples.back().losses, 0.1);
  EXPECT_LT(run.balance, 1e-6);
  for (const auto& s : run.samples) EXPECT_EQ(s.tau[2], 0.0);
}

// Computed torque asks the motors for what the swinging crucible takes: the arm does not notice it.
TEST(Underactuated, ComputedTorqueHoldsTheActiveJoints) {
  const Mechanism robot = make_mechanism(load_robot(find_model("pelican_crucible")));
  Simulation simulation(robot, computed_torque_control(robot, {{100.0}, {20.0}}, hold_at({0.5, 0.2, 9.0})));
  const SimulationResult run = simulation.run(Values{0.5, 0.2, 0.0}, Values{0.0, 0.0, 2.0}, times(2.0, 40));
  ASSERT_TRUE(run.complete) << run.ended_by;
  double swing = 0.0;
  for (const auto& s : run.samples) {
    EXPECT_NEAR(s.q[0], 0.5, 1e-8);
    EXPECT_NEAR(s.q[1], 0.2, 1e-8);
    swing = std::max(swing, std::abs(s.q[2]));
  }
  EXPECT_GT(swing, 1.0);
}

// --- equilibria ---

TEST(Equilibrium, TheCrucibleHangsOrStands) {
  const Mechanism robot = make_mechanism(load_robot(find_model("pelican_crucible")));
  const Values q{0.5, 0.3, 0.2};
  const auto all = find_equilibria(robot, q);
  ASSERT_EQ(all.size(), 2u);
  const double weight = 1.0 * 9.81 * 0.15;
  EXPECT_EQ(all[0].stability, Stability::stable);
  EXPECT_EQ(all[1].stability, Stability::unstable);
  EXPECT_NEAR(std::remainder(0.8 + all[0].q[2] + pi / 2.0, 2.0 * pi), 0.0, 1e-12);  // straight down
  EXPECT_NEAR(std::remainder(0.8 + all[1].q[2] - pi / 2.0, 2.0 * pi), 0.0, 1e-12);
  EXPECT_NEAR(all[0].stiffness[0], weight, 1e-12);
  EXPECT_NEAR(all[1].stiffness[0], -weight, 1e-12);
  EXPECT_NEAR(all[1].potential - all[0].potential, 2.0 * weight, 1e-12);
  for (const Equilibrium& one : all) {
    EXPECT_EQ(one.q[0], 0.5);
    Values g(3);
    Call<double>(robot, "gravity")({.q = one.q}, g);
    EXPECT_NEAR(g[2], 0.0, 1e-12);
    EXPECT_EQ(one.tau[0], g[0]);
    EXPECT_EQ(one.tau[2], 0.0);
  }
  EXPECT_EQ(find_equilibrium(robot, q).stability, Stability::unstable);  // the nearer one
  EXPECT_EQ(find_equilibrium(robot, Values{0.5, 0.3, -2.0}).stability, Stability::stable);
}

// Full turns of a joint without a spring make no difference: what is found is the one within half a turn of the start.
TEST(Equilibrium, IsWithinHalfATurnOfTheStart) {
  const Mechanism robot = make_mechanism(load_robot(find_model("pelican_crucible")));
  for (int k = -40; k <= 40; ++k) {
    const Values q{0.5, 0.3, 0.25 * k};
    EXPECT_LE(std::abs(find_equilibrium(robot, q).q[2] - q[2]), pi + 1e-9) << q[2];
    for (const Equilibrium& one : find_equilibria(robot, q, 8)) EXPECT_LE(std::abs(one.q[2] - q[2]), pi + 1e-9) << q[2];
  }
}

// A chain of three rods hanging from a passive joint each: 2^3 ways to stand, one of them stable.
TEST(Equilibrium, FindsAllOfAChain) {
  const Mechanism robot = with_passive("planar3r", {0, 1, 2});
  const auto all = find_equilibria(robot, Values{0.1, 0.2, 0.3}, 200);
  EXPECT_EQ(all.size(), 8u);
  EXPECT_EQ(std::count_if(all.begin(), all.end(), [](const auto& e) { return e.stability == Stability::stable; }), 1);
  EXPECT_EQ(all.front().stability, Stability::stable);  // the lowest
  for (const auto& one : all) EXPECT_LT(one.residual, 1e-10);
}

// Beside forces that are a million times its weight, a crucible points where these pull.
TEST(Equilibrium, LargeForcesAreNotLeftOver) {
  const Mechanism robot = make_mechanism(load_robot(find_model("pelican_crucible")));
  const Values q{0.5, 0.3, 0.2};
  ExternalWrench<double> pull;
  pull.frame = robot.tool;
  pull.force = {3e6, 4e6, 0.0};
  pull.axes = Axes::world;
  const auto all = find_equilibria(robot, q, 32, {&pull, 1});
  ASSERT_EQ(all.size(), 2u);
  Call<double> inverse(robot, "inverse");
  Values tau(3);
  const Values zeros(3);
  for (const Equilibrium& one : all) {
    inverse({.q = one.q, .qd = zeros, .qdd = zeros, .wrenches = {&pull, 1}}, tau);
    EXPECT_NEAR(tau[2], 0.0, 1e-13 * 5e6);
    EXPECT_NE(one.stability, Stability::neutral);
  }
}

TEST(Equilibrium, SaysWhatItCannotFind) {
  Robot robot = arm({{0, 0, 1}}, JointType::prismatic);  // along gravity
  EXPECT_THROW(find_equilibria(make_mechanism(robot), Values{0.0}), std::invalid_argument);
  robot.joints[0].passive = true;
  const std::string said = message_of<std::domain_error>([&] { find_equilibrium(make_mechanism(robot), Values{0.0}); });
  EXPECT_NE(said.find("no equilibrium found"), std::string::npos) << said;
  EXPECT_NE(said.find("joint 'joint1'"), std::string::npos) << said;
  robot.joints[0].axis = {1, 0, 0};  // level: wherever it is
  EXPECT_EQ(find_equilibria(make_mechanism(robot), Values{0.3}).size(), 1u);
  EXPECT_EQ(find_equilibrium(make_mechanism(robot), Values{0.3}).stability, Stability::neutral);
  EXPECT_EQ(find_equilibrium(make_mechanism(robot), Values{0.3}).q[0], 0.3);
}

// --- linear models ---

TEST(StateSpace, HasNoInputForAPassiveJoint) {
  Robot robot = arm({{0, 1, 0}, {1, 0, 0}, {0, 1, 0}});
  const Values q{0.2, 0.4, -0.3}, qd{0.1, 0.2, 0.3}, tau{1.0, 0.0, 2.0};
  const StateSpace whole = Linearization(make_mechanism(robot)).under(q, qd, tau);
  robot.joints[1].passive = true;
  const Mechanism passive = make_mechanism(robot);
  const StateSpace model = Linearization(passive).under(q, qd, tau);
  EXPECT_EQ(model.A, whole.A);
  ASSERT_EQ(model.inputs(), 2u);
  for (std::size_t i = 0; i < 6; ++i) {
    EXPECT_EQ(model.B[2 * i], whole.B[3 * i]);
    EXPECT_EQ(model.B[2 * i + 1], whole.B[3 * i + 2]);
  }
  // About a motion: no torque at the passive joint, whose acceleration follows.
  Linearization along(passive);
  along.along(q, qd, Values{0.5, 99.0, -0.5});
  EXPECT_EQ(along.torques()[1], 0.0);
  EXPECT_NE(along.accelerations()[1], 99.0);
  EXPECT_EQ(along.accelerations()[0], 0.5);
  const StateSpace sampled = discretize(model, 0.01);
  EXPECT_EQ(sampled.inputs(), 2u);
}

// A regulator with one motor balances an acrobot upright.
TEST(Lqr, BalancesAnAcrobot) {
  const Mechanism robot = with_passive("planar2r", {0});
  const auto upright = find_equilibria(robot, Values{1.5, 0.0});
  const Values q = upright.back().q, zeros(2, 0.0);  // the highest
  ASSERT_EQ(upright.back().stability, Stability::unstable);
  Linearization linearization(robot);
  const StateSpace model = linearization.along(q, zeros, zeros);
  ASSERT_EQ(model.inputs(), 1u);
  const Regulator found = lqr(model, diagonal_cost(model, Values{100.0}, Values{1.0}, Values{0.01}));
  EXPECT_EQ(found.K.size(), 4u);
  const auto tau = to_values(linearization.torques());
  Simulation simulation(robot, state_feedback(q, tau, gain_of_all_joints(robot, found.K)));
  const SimulationResult run = simulation.run(Values{q[0] + 0.02, q[1] - 0.02}, zeros, times(20.0, 20));
  ASSERT_TRUE(run.complete) << run.ended_by;
  EXPECT_NEAR(run.samples.back().q[0], q[0], 1e-3);
  EXPECT_NEAR(run.samples.back().q[1], q[1], 1e-3);
}

TEST(Lqr, NamesWhatNoMotorReaches) {
  // Two pendulums on the base, the passive one upright: the other's motor cannot help it.
  Robot robot = arm({{0, 1, 0}});
  JointDescription lonely = robot.joints[0];
  lonely.name = "lonely", lonely.parent = 0, lonely.passive = true;
  lonely.child = robot.add_link("twin", robot.links[1].inertial);
  robot.add_joint(lonely);
  const Mechanism mechanism = make_mechanism(robot);
  const Values up{0.0, -pi / 2.0}, zeros(2, 0.0);
  const StateSpace model = Linearization(mechanism).along(up, zeros, zeros);
  const std::string said =
      message_of<std::domain_error>([&] { lqr(model, diagonal_cost(model, Values{1}, Values{1}, Values{1})); });
  EXPECT_NE(said.find("no torque moves the pole"), std::string::npos) << said;
  for (JointDescription& joint : robot.joints) joint.passive = true;
  const StateSpace none = Linearization(make_mechanism(robot)).along(up, zeros, zeros);
  EXPECT_NE(message_of<std::domain_error>([&] {
              lqr(none, diagonal_cost(none, Values{1}, Values{1}, Values{1}));
            }).find("no joint of the model has a motor"),
            std::string::npos);
  EXPECT_THROW(gain_of_all_joints(mechanism, Values(8)), std::invalid_argument);
  EXPECT_EQ(gain_of_all_joints(mechanism, Values(4, 1.0)), (Values{1, 1, 1, 1, 0, 0, 0, 0}));
}

}  // namespace
}  // namespace catena::test::underactuated_test
