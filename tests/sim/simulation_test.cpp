// Simulation against closed forms, against the published free falls, and against the first law.
#include "catena/simulation.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <stdexcept>

#include "catena/kinematics.hpp"
#include "catena/robot_file.hpp"

namespace catena::test::simulation_test {
namespace {

Mechanism shipped(const std::string& name) {
  return make_mechanism(load_robot(std::string(CATENA_SOURCE_DIR) + "/models/" + name + ".toml"));
}

// One link on a revolute joint about z, moment of inertia 1, mass centre on the axis: τ = q̈ exactly.
Robot flywheel(const JointDrive& drive = {}, const JointLimits& limits = {}) {
  Robot robot;
  robot.add_link("base");
  robot.add_link("wheel", {1.0, {}, {0.5, 0.5, 1.0, 0.0, 0.0, 0.0}});
  JointDescription joint;
  joint.name = "axle";
  joint.parent = 0;
  joint.child = 1;
  joint.drive = drive;
  joint.limits = limits;
  robot.add_joint(joint);
  return robot;
}

std::vector<double> grid(double end, int count) {
  std::vector<double> times;
  for (int k = 0; k <= count; ++k) times.push_back(end * k / count);
  return times;
}

SimulationOptions tight(Integrator integrator = Integrator::verner) {
  SimulationOptions options;
  options.integrator = integrator;
  options.rtol = 1e-12;
  options.atol = 1e-13;
  return options;
}

struct FreeFall {
  std::string model;
  std::vector<double> start, q, qd;
};

void PrintTo(const FreeFall& fall, std::ostream* out) { *out << fall.model; }

class FreeFalls : public ::testing::TestWithParam<FreeFall> {};

TEST_P(FreeFalls, EndWhereIndependentProgramsSay) {
  const FreeFall& fall = GetParam();
  const Mechanism robot = shipped(fall.model);
  for (const Integrator integrator : {Integrator::verner, Integrator::dormand_prince, Integrator::adams}) {
    Simulation simulation(robot, zero_torque(), tight(integrator));
    const std::vector<double> zeros(fall.start.size());
    const SimulationResult result = simulation.run(fall.start, zeros, grid(1.0, 10));
    ASSERT_TRUE(result.complete) << result.ended_by;
    for (std::size_t j = 0; j < fall.q.size(); ++j) {
      EXPECT_NEAR(result.samples.back().q[j], fall.q[j], 1e-9) << fall.model << " joint " << j;
      EXPECT_NEAR(result.samples.back().qd[j], fall.qd[j], 3e-9) << fall.model << " joint " << j;
    }
    EXPECT_LT(result.balance, 1e-9 * result.largest_energy);
    EXPECT_GT(result.steps, 0);
    EXPECT_GT(result.evaluations, result.steps);
  }
}

INSTANTIATE_TEST_SUITE_P(Published, FreeFalls,
                         ::testing::Values(FreeFall{"planar3r",
                                                    {0.0, 0.0, 0.0},
                                                    {-1.80614322907, -0.541805954197, -0.132219209128},
                                                    {-3.52039796365, 0.2779497398, 2.84400160502}},
                                           FreeFall{"stanford",
                                                    {0.0, 1.5707963267948966, 0.0, 0.0, 0.0, 0.0},
                                                    {0.00254347828977, 0.0809666575413, 2.99966161955, 0.0444530562758,
                                                     1.489576977, -0.00359459223348},
                                                    {0.193899316382, -0.256287691136, 7.89498092561, 0.237995282123,
                                                     0.256178383448, -0.00787911446047}},
                                           FreeFall{"pelican_crucible",
                                                    {0.0, 0.0, 0.0},
                                                    {-1.7685621867, -4.87662181103, 0.33226478272},
                                                    {5.81736238423, -14.3599291734, -2.68509965555}}));

TEST(Simulation, KeepsTheEnergyOfThePlanarArmForTenSeconds) {
  Simulation simulation(shipped("planar3r"), zero_torque(), tight());
  const std::vector<double> zeros(3);
  const SimulationResult result = simulation.run(zeros, zeros, grid(10.0, 100));
  ASSERT_TRUE(result.complete) << result.ended_by;
  EXPECT_LT(result.balance, 1e-9 * result.largest_energy);
}

TEST(Simulation, FixedStepsConvergeWithFourthOrder) {
  const Mechanism robot = shipped("planar3r");
  const std::vector<double> zeros(3);
  const TorqueLaw in_time = [](double t, auto, auto, std::span<double> tau) {
    for (std::size_t j = 0; j < tau.size(); ++j) tau[j] = 5.0 * std::sin(8.0 * t + static_cast<double>(j));
  };
  for (const TorqueLaw& law : {zero_torque(), in_time})
    for (const Integrator integrator : {Integrator::runge_kutta_4, Integrator::adams_bashforth_4}) {
      double error[2];
      for (const int k : {0, 1}) {
        SimulationOptions options;
        options.integrator = integrator;
        options.step = k == 0 ? 2e-3 : 1e-3;
        Simulation simulation(robot, law, options);
        const SimulationResult result = simulation.run(zeros, zeros, grid(0.5, 1));
        Simulation reference(robot, law, tight());
        const SimulationResult exact = reference.run(zeros, zeros, grid(0.5, 1));
        error[k] = std::abs(result.samples.back().q[2] - exact.samples.back().q[2]);
      }
      EXPECT_NEAR(std::log2(error[0] / error[1]), 4.0, 0.5);
    }
}

TEST(Simulation, DryFrictionStopsAFlywheelWhereTheFormulaSays) {
  JointDrive drive;
  drive.coulomb = 0.5;
  for (const Integrator integrator : {Integrator::verner, Integrator::adams, Integrator::bdf}) {
    Simulation simulation(make_mechanism(flywheel(drive)), zero_torque(), tight(integrator));
    const std::vector<double> q{0.0}, qd{2.0};
    const SimulationResult result = simulation.run(q, qd, grid(10.0, 10));  // q̈ = -0.5: at rest after 4 s and 4 rad
    ASSERT_TRUE(result.complete) << result.ended_by;
    ASSERT_EQ(result.events.size(), 1U);
    EXPECT_NEAR(result.events[0].t, 4.0, 1e-9);
    EXPECT_EQ(result.events[0].what, "joint 'axle' comes to rest");
    EXPECT_NEAR(result.samples.back().q[0], 4.0, 1e-8);
    EXPECT_EQ(result.samples.back().qd[0], 0.0);
    EXPECT_NEAR(result.samples.back().losses, 2.0, 1e-8);
    EXPECT_LT(result.balance, 1e-8);
  }
}

TEST(Simulation, AHeldJointSlipsWhenTheDriveOvercomesFriction) {
  JointDrive drive;
  drive.coulomb = 0.5;
  const TorqueLaw ramp = [](double t, auto, auto, std::span<double> tau) { tau[0] = 0.25 * t; };
  Simulation simulation(make_mechanism(flywheel(drive)), ramp, tight());
  const std::vector<double> zero{0.0};
  const SimulationResult result = simulation.run(zero, zero, grid(5.0, 50));  // slips at 2 s, then q̈ = (t - 2)/4
  ASSERT_TRUE(result.complete) << result.ended_by;
  ASSERT_EQ(result.events.size(), 1U);
  EXPECT_NEAR(result.events[0].t, 2.0, 1e-9);
  EXPECT_EQ(result.events[0].what, "joint 'axle' slips");
  EXPECT_NEAR(result.samples.back().qd[0], 9.0 / 8.0, 1e-8);
  EXPECT_NEAR(result.samples.back().q[0], 27.0 / 24.0, 1e-8);
}

TEST(Simulation, FrictionReversesWithTheSpeed) {
  JointDrive drive;
  drive.coulomb = 0.2;
  const TorqueLaw push = [](double, auto, auto, std::span<double> tau) { tau[0] = -1.0; };
  Simulation simulation(make_mechanism(flywheel(drive)), push, tight());
  const std::vector<double> q{0.0}, qd{1.2};
  const SimulationResult result = simulation.run(q, qd, grid(3.0, 30));  // -1.2 until t = 1, then -0.8
  ASSERT_EQ(result.events.size(), 1U);
  EXPECT_NEAR(result.events[0].t, 1.0, 1e-9);
  EXPECT_EQ(result.events[0].what, "joint 'axle' turns back");
  EXPECT_NEAR(result.samples.back().qd[0], -1.6, 1e-8);
  EXPECT_NEAR(result.samples.back().q[0], 0.6 - 1.6, 1e-8);
}

TEST(Simulation, StopsBounceAndTheLossesAreBooked) {
  JointLimits limits;
  limits.upper = 1.0;
  SimulationOptions options = tight();
  options.stops = true;
  options.restitution = 0.5;
  Simulation simulation(make_mechanism(flywheel({}, limits)), zero_torque(), options);
  const std::vector<double> q{0.0}, qd{2.0};
  const SimulationResult result = simulation.run(q, qd, grid(1.0, 10));  // hits at 0.5 s, comes back with 1 rad/s
  ASSERT_TRUE(result.complete) << result.ended_by;
  ASSERT_EQ(result.events.size(), 1U);
  EXPECT_NEAR(result.events[0].t, 0.5, 1e-10);
  EXPECT_NEAR(result.samples.back().q[0], 0.5, 1e-9);
  EXPECT_NEAR(result.samples.back().qd[0], -1.0, 1e-9);
  EXPECT_NEAR(result.samples.back().losses, 1.5, 1e-9);
}

// What counts is the speed after the impact: 0.5 · 0.15 is below the rest speed of 0.1, 0.5 · 0.25 is not.
TEST(Simulation, AJointStaysAtItsStopWhereItWouldLeaveItTooSlowly) {
  JointLimits limits;
  limits.upper = 1.0;
  SimulationOptions options = tight();
  options.stops = true;
  options.restitution = 0.5;
  options.rest_speed = 0.1;
  for (const double speed : {0.15, 0.25}) {
    const bool rebounds = speed > 0.2;
    Simulation simulation(make_mechanism(flywheel({}, limits)), zero_torque(), options);
    const SimulationResult result =
        simulation.run(std::vector{1.0 - speed}, std::vector{speed}, grid(2.0, 10));  // hits at 1 s
    ASSERT_TRUE(result.complete) << result.ended_by;
    EXPECT_NEAR(result.samples.back().q[0], rebounds ? 1.0 - 0.5 * speed : 1.0, 1e-9);
    EXPECT_NEAR(result.samples.back().qd[0], rebounds ? -0.5 * speed : 0.0, 1e-9);
  }
}

TEST(Simulation, AJointPressedAgainstItsStopRestsThereAndLeavesWhenPulled) {
  JointLimits limits;
  limits.upper = 1.0;
  SimulationOptions options = tight();
  options.stops = true;
  const TorqueLaw law = [](double t, auto, auto, std::span<double> tau) {
    tau[0] = 3.0 - t;
  };  // pulls back from 3 s on
  Simulation simulation(make_mechanism(flywheel({}, limits)), law, options);
  const std::vector<double> zero{0.0};
  const SimulationResult result = simulation.run(zero, zero, grid(4.0, 40));
  ASSERT_TRUE(result.complete) << result.ended_by;
  ASSERT_EQ(result.events.size(), 2U);
  EXPECT_NEAR(result.events[1].t, 3.0, 1e-8);
  EXPECT_EQ(result.events[1].what, "joint 'axle' leaves its stop");
  EXPECT_EQ(result.samples[20].q[0], 1.0);
  EXPECT_NEAR(result.samples.back().q[0], 1.0 - 1.0 / 6.0, 1e-8);
}

TEST(Simulation, EventsAreLocatedAndMayChangeTheLawOrStop) {
  const Mechanism robot = make_mechanism(flywheel());
  Simulation simulation(robot, constant_torque({1.0}), tight());
  Event halfway = at_position(0, 0.5);
  halfway.name = "halfway";
  halfway.effect = [](double, auto, auto) { return EventEffect{false, constant_torque({-1.0}), std::nullopt}; };
  simulation.add_event(halfway);
  Event slow = at_speed(0, 0.25);
  slow.name = "slow";
  slow.direction = -1;
  slow.effect = [](double, auto, auto) { return EventEffect{true, {}, std::nullopt}; };
  simulation.add_event(slow);
  const std::vector<double> zero{0.0};
  const SimulationResult result = simulation.run(zero, zero, grid(10.0, 10));
  EXPECT_FALSE(result.complete);
  EXPECT_EQ(result.ended_by, "slow");
  ASSERT_EQ(result.events.size(), 2U);
  EXPECT_NEAR(result.events[0].t, 1.0, 1e-9);
  EXPECT_NEAR(result.samples.back().t, 1.75, 1e-9);
  EXPECT_NEAR(result.samples.back().q[0], 0.96875, 1e-9);
}

// A torque that is there until 1 s, in the middle of a step or at a sample, and gone a moment later: steps get as short
// as that takes.
TEST(Simulation, AJumpOfTheLawInTimeIsPassed) {
  const TorqueLaw push = [](double t, auto, auto, std::span<double> tau) { tau[0] = t <= 1.0 ? 1000.0 : 0.0; };
  const std::vector<double> zero{0.0};
  for (const Integrator integrator :
       {Integrator::verner, Integrator::dormand_prince, Integrator::adams, Integrator::bdf})
    for (const int samples : {2, 7}) {
      Simulation simulation(make_mechanism(flywheel()), push, tight(integrator));
      const SimulationResult result = simulation.run(zero, zero, grid(2.0, samples));
      ASSERT_TRUE(result.complete) << result.ended_by;
      EXPECT_NEAR(result.samples.back().qd[0], 1000.0, 1e-6);
      EXPECT_NEAR(result.samples.back().q[0], 1500.0, 1e-6);
    }
}

TEST(Simulation, AFrameEnteringAHalfSpaceIsAnEvent) {
  const Mechanism robot = shipped("planar2r");
  Simulation simulation(robot, zero_torque(), tight());
  Event floor = frame_enters(robot, robot.tool, {0.0, -1.0, 0.0}, 0.5);  // falls to y = -0.5
  floor.effect = [](double, auto, auto) { return EventEffect{true, {}, std::nullopt}; };
  simulation.add_event(floor);
  const std::vector<double> zeros(2);
  const SimulationResult result = simulation.run(zeros, zeros, grid(2.0, 20));
  ASSERT_EQ(result.ended_by, "frame");
  Kinematics<double> kinematics(robot);
  kinematics.update(result.samples.back().q);
  EXPECT_NEAR(kinematics.pose(robot.tool).p.y, -0.5, 1e-9);
}

TEST(Controllers, ComputedTorqueMakesTheErrorALinearOscillator) {
  const Mechanism robot = shipped("planar3r");
  Simulation simulation(robot, computed_torque_control(robot, {{25.0}, {10.0}}, hold_at({0.3, -0.2, 0.5})), tight());
  const std::vector<double> zeros(3);
  const SimulationResult result = simulation.run(zeros, zeros, grid(1.0, 4));
  ASSERT_TRUE(result.complete) << result.ended_by;
  for (const Sample& s : result.samples) {  // critically damped, 5/s
    const double rest = (1.0 + 5.0 * s.t) * std::exp(-5.0 * s.t);
    EXPECT_NEAR(s.q[0], 0.3 * (1.0 - rest), 1e-9);
    EXPECT_NEAR(s.q[2], 0.5 * (1.0 - rest), 1e-9);
  }
  EXPECT_LT(result.balance, 1e-9 * result.largest_energy);
}

TEST(Controllers, PdWithGravityCompensationHoldsStillWherePdAloneSags) {
  const Mechanism robot = shipped("planar3r");
  const std::vector<double> pose{0.3, -0.2, 0.5}, zeros(3);
  Simulation held(robot, pd_gravity_control(robot, {{50.0}, {20.0}}, hold_at(pose)), {});
  EXPECT_NEAR(held.run(pose, zeros, grid(2.0, 2)).samples.back().q[0], 0.3, 1e-9);
  Simulation sagging(robot, pd_control(robot, {{50.0}, {20.0}}, hold_at(pose)), {});
  EXPECT_LT(sagging.run(pose, zeros, grid(2.0, 2)).samples.back().q[0], 0.2);
}

TEST(Controllers, TorqueTablesInterpolate) {
  const TorqueLaw law = torque_table({0.0, 1.0, 3.0}, {{0.0}, {2.0}, {-2.0}});
  const auto at = [&](double t) {
    double tau = 0.0;
    law(t, {}, {}, {&tau, 1});
    return tau;
  };
  EXPECT_DOUBLE_EQ(at(-1.0), 0.0);
  EXPECT_DOUBLE_EQ(at(0.5), 1.0);
  EXPECT_DOUBLE_EQ(at(2.0), 0.0);
  EXPECT_DOUBLE_EQ(at(5.0), -2.0);
  EXPECT_THROW(torque_table({1.0, 1.0}, {{0.0}, {0.0}}), std::invalid_argument);
}

// Between two rows with speeds and accelerations there is one quintic: rows of a quintic give it back.
TEST(Controllers, ReferenceTablesReproduceQuintics) {
  const double c[] = {0.3, -1.1, 0.8, 0.7, -0.9, 0.4};
  const auto row = [&](double t) {
    MotionRow out{t, {0.0}, {0.0}, {0.0}};
    for (int k = 5; k >= 0; --k) {
      out.qdd[0] = out.qdd[0] * t + 2.0 * out.qd[0];
      out.qd[0] = out.qd[0] * t + out.q[0];
      out.q[0] = out.q[0] * t + c[k];
    }
    return out;
  };
  const Reference reference = reference_table({row(-0.5), row(0.2), row(1.7)});
  std::vector<double> q(1), qd(1), qdd(1);
  for (int k = 0; k <= 110; ++k) {
    const MotionRow expected = row(-0.5 + 0.0199 * k);
    reference(expected.t, q, qd, qdd);
    EXPECT_NEAR(q[0], expected.q[0], 1e-13) << expected.t;
    EXPECT_NEAR(qd[0], expected.qd[0], 1e-12) << expected.t;
    EXPECT_NEAR(qdd[0], expected.qdd[0], 1e-11) << expected.t;
  }
}

// At its ends a table gives its rows as they are; before and after, the first and the last position at rest.
TEST(Controllers, ReferenceTablesRestBeforeAndAfter) {
  const MotionRow first{0.0, {0.1, 0.2}, {1.0, 2.0}, {3.0, 4.0}}, last{1.0, {0.5, 0.6}, {5.0, 6.0}, {7.0, 8.0}};
  const Reference reference = reference_table({first, last});
  std::vector<double> q(2), qd(2), qdd(2);
  for (const MotionRow* row : {&first, &last})
    for (const double beyond : {0.0, 0.25}) {
      q.assign(2, 9.0), qd.assign(2, 9.0), qdd.assign(2, 9.0);
      reference(row == &first ? -beyond : 1.0 + beyond, q, qd, qdd);
      EXPECT_EQ(q, row->q);
      EXPECT_EQ(qd, beyond == 0.0 ? row->qd : std::vector<double>(2));
      EXPECT_EQ(qdd, beyond == 0.0 ? row->qdd : std::vector<double>(2));
    }
}

// The quintic between two rows at rest, 30 x² (1 - x)² Δ/h, as near to either row as doubles go.
TEST(Controllers, ReferenceTablesComeToRestWithoutRounding) {
  const Reference reference = reference_table({{1.0, {0.7}, {0.0}, {0.0}}, {3.0, {-0.6}, {0.0}, {0.0}}});
  std::vector<double> q(1), qd(1), qdd(1);
  for (int k = 1; k <= 50; ++k)
    for (const double end : {1.0, 3.0}) {
      const double x = std::ldexp(1.0, -k), t = end + (end < 2.0 ? 2.0 : -2.0) * x;
      reference(t, q, qd, qdd);
      EXPECT_NEAR(qd[0] / (30.0 * x * x * (1.0 - x) * (1.0 - x) * -0.65), 1.0, 1e-13) << t;
    }
}

TEST(SimulationFaults, ALawThatThrowsOrGivesNaNKeepsTheSamplesSoFar) {
  const std::vector<double> zero{0.0};
  const TorqueLaw throws = [](double t, auto, auto, std::span<double> tau) {
    if (t > 0.45) throw std::runtime_error("the controller gave up");
    tau[0] = 1.0;
  };
  Simulation first(make_mechanism(flywheel()), throws, {});
  const SimulationResult a = first.run(zero, zero, grid(1.0, 10));
  EXPECT_FALSE(a.complete);
  EXPECT_EQ(a.ended_by, "the controller gave up");
  EXPECT_EQ(a.samples.size(), 5U);
  const TorqueLaw nan = [](double t, auto, auto, std::span<double> tau) {
    tau[0] = t > 0.45 ? std::numeric_limits<double>::quiet_NaN() : 1.0;
  };
  Simulation second(make_mechanism(flywheel()), nan, {});
  const SimulationResult b = second.run(zero, zero, grid(1.0, 10));
  EXPECT_FALSE(b.complete);
  EXPECT_NE(b.ended_by.find("the torque of joint 'axle' is not a finite number"), std::string::npos) << b.ended_by;
}

TEST(SimulationFaults, ASingularModelNamesTheJoint) {
  Robot robot = flywheel();
  robot.links[1].inertial = {};
  Simulation simulation(make_mechanism(robot), constant_torque({1.0}), {});
  const std::vector<double> zero{0.0};
  const SimulationResult result = simulation.run(zero, zero, grid(1.0, 2));
  EXPECT_FALSE(result.complete);
  EXPECT_NE(result.ended_by.find("axle"), std::string::npos) << result.ended_by;
}

TEST(SimulationFaults, ImpossibleRequestsAreRefused) {
  const Mechanism robot = make_mechanism(flywheel());
  SimulationOptions options;
  options.rtol = 1e-20;
  EXPECT_THROW(Simulation(robot, zero_torque(), options), std::invalid_argument);
  options = {};
  options.integrator = Integrator::runge_kutta_4;
  options.stops = true;
  EXPECT_THROW(Simulation(robot, zero_torque(), options), std::invalid_argument);
  Simulation simulation(robot, zero_torque(), {});
  const std::vector<double> zero{0.0}, backwards{0.0, 1.0, 0.5};
  EXPECT_THROW(simulation.run(zero, zero, backwards), std::invalid_argument);
}

TEST(SimulationFaults, AnInterruptLeavesWhatIsThere) {
  SimulationOptions options;
  options.proceed = [](double t) { return t < 0.35; };
  Simulation simulation(make_mechanism(flywheel()), zero_torque(), options);
  const std::vector<double> zero{0.0};
  const SimulationResult result = simulation.run(zero, zero, grid(1.0, 10));
  EXPECT_EQ(result.ended_by, "interrupted");
  EXPECT_EQ(result.samples.size(), 5U);
}

// A motion may take its time between two samples: whoever wants to end it need not wait.
TEST(Simulation, CanBeInterruptedBetweenSamples) {
  SimulationOptions options;
  int asked = 0;
  options.proceed = [&](double) { return ++asked < 3; };
  Simulation simulation(shipped("planar3r"), zero_torque(), options);
  const std::vector<double> q{0.1, 0.2, 0.3}, zeros(3), times{0.0, 1e6};
  const SimulationResult result = simulation.run(q, zeros, times);
  EXPECT_FALSE(result.complete);
  EXPECT_EQ(result.ended_by, "interrupted");
  EXPECT_EQ(asked, 3);
  EXPECT_EQ(result.samples.size(), 1U);
}

}  // namespace
}  // namespace catena::test::simulation_test
