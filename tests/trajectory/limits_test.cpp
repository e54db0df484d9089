// Limits along a motion: where they are first broken, how far, and the smallest time scaling that respects them.
#include "catena/trajectory.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <stdexcept>
#include <vector>

#include "catena/robot_file.hpp"
#include "support/nightly.hpp"
#include "support/random_robot.hpp"
#include "support/tolerances.hpp"

namespace catena::test::limits_test {
namespace {

constexpr double pi = std::numbers::pi;
constexpr double infinity = std::numeric_limits<double>::infinity();
using Outcome = TimeScale::Outcome;

// A point of 1 kg at 1 m from a joint about z; gravity along -y: τ = q̈ + g cos q.
Mechanism pendulum(double gravity, const JointLimits& limits, const JointDrive& drive = {}) {
  Robot robot;
  robot.gravity = {0.0, -gravity, 0.0};
  robot.add_link("base");
  JointDescription joint;
  joint.name = "pivot";
  joint.parent = 0;
  joint.child = robot.add_link("bob", {1.0, {1.0, 0.0, 0.0}, {}});
  joint.limits = limits;
  joint.drive = drive;
  robot.add_joint(joint);
  return make_mechanism(robot);
}

Trajectory turn(double from, double to, double duration, ProfileKind kind = ProfileKind::cycloid) {
  const Values times{0.0, duration};
  return Trajectory::through(kind, {{from}, {to}}, times);
}

// At the factor found the motion touches a limit; one per cent faster it breaks one.
void expect_tight(const Trajectory& motion, const Mechanism& robot, const LimitOptions& options = {}) {
  const TimeScale scale = check_limits(motion, robot, options).time_scale;
  ASSERT_EQ(scale.outcome, Outcome::found);
  const LimitReport at_limit = check_limits(motion.scaled(scale.factor), robot, options);
  EXPECT_TRUE(at_limit.respected());
  double use = 0.0;
  for (const LimitEvent& peak : at_limit.peaks)
    if (peak.kind != LimitKind::position) use = std::max(use, std::abs(peak.value) / peak.limit);
  EXPECT_NEAR(use, 1.0, 1e-9);
  EXPECT_NEAR(at_limit.time_scale.factor, 1.0, 1e-9);
  EXPECT_FALSE(check_limits(motion.scaled(0.99 * scale.factor), robot, options).respected());
  EXPECT_TRUE(check_limits(motion.scaled(1.01 * scale.factor), robot, options).respected() || !scale.slower_too);
}

TEST(Limits, EffortOfAWeightlessPendulumHasAClosedForm) {
  // τ = (2π Δ/T²) sin(2πt/T): half of its peak is reached at T/12; run √2 times as long, the peak is half as high.
  const double T = 4.0, peak = 2.0 * pi * 3.0 / (T * T);
  const Mechanism robot = pendulum(0.0, {.effort = 0.5 * peak});
  const LimitReport report = check_limits(turn(0.0, 3.0, T), robot);
  ASSERT_EQ(report.violations.size(), 1U);
  const auto& [first, highest] = report.violations[0];
  EXPECT_EQ(first.kind, LimitKind::effort);
  EXPECT_EQ(first.joint, 0);
  EXPECT_NEAR(first.time, T / 12.0, 1e-8 * T);
  EXPECT_NEAR(first.value, 0.5 * peak, 1e-8);
  EXPECT_NEAR(std::abs(highest.value), peak, 1e-12);
  EXPECT_EQ(report.time_scale.outcome, Outcome::found);
  EXPECT_NEAR(report.time_scale.factor, std::sqrt(2.0), 1e-10);
  EXPECT_TRUE(report.time_scale.slower_too);
  EXPECT_EQ(report.time_scale.binding.kind, LimitKind::effort);
  expect_tight(turn(0.0, 3.0, T), robot);
}

TEST(Limits, SpeedAndPowerHaveClosedForms) {
  // q̇ = Δ/T (1 - cos x), P = 2π Δ²/T³ sin x (1 - cos x), largest at x = 2π/3 with 3√3/4.
  const double T = 2.0;
  const LimitReport speed = check_limits(turn(0.0, 1.0, T), pendulum(0.0, {.velocity = 0.5}));
  ASSERT_EQ(speed.violations.size(), 1U);
  EXPECT_EQ(speed.violations[0].first.kind, LimitKind::speed);
  EXPECT_NEAR(speed.violations[0].first.time, T / 4.0, 1e-8);
  EXPECT_NEAR(speed.time_scale.factor, 2.0, 1e-10);
  const double peak = 2.0 * pi / (T * T * T) * 0.75 * std::numbers::sqrt3;
  for (const LimitOptions& options : {LimitOptions{.power = {peak / 8.0}}, LimitOptions{.total_power = peak / 8.0}}) {
    const LimitReport power = check_limits(turn(0.0, 1.0, T), pendulum(0.0, {}), options);
    ASSERT_EQ(power.violations.size(), 1U);
    EXPECT_EQ(power.violations[0].first.kind, LimitKind::power);
    EXPECT_EQ(power.violations[0].first.joint, options.power.empty() ? all_joints : 0);
    EXPECT_NEAR(std::abs(power.violations[0].peak.value), peak, 1e-12);
    EXPECT_NEAR(power.time_scale.factor, 2.0, 1e-10);
    expect_tight(turn(0.0, 1.0, T), pendulum(0.0, {}), options);
  }
}

TEST(Limits, AnAccelerationStepIsBrokenAtItsFirstMoment) {
  // A trapezoid with ramps of a third: q̈ = ±4.5 Δ/T² and 0 between.
  const Trajectory motion = turn(0.0, 2.0, 3.0, ProfileKind::trapezoidal);
  const LimitReport report = check_limits(motion, pendulum(0.0, {.effort = 0.5}));
  ASSERT_EQ(report.violations.size(), 1U);
  EXPECT_EQ(report.violations[0].first.time, 0.0);
  EXPECT_NEAR(report.violations[0].first.value, 1.0, 1e-12);
  EXPECT_NEAR(report.time_scale.factor, std::sqrt(2.0), 1e-12);
  expect_tight(motion, pendulum(0.0, {.effort = 0.5}));
}

TEST(Limits, APositionBeyondItsBoundCannotBeScaledAway) {
  const LimitReport report = check_limits(turn(-1.0, 1.0, 2.0), pendulum(0.0, {.lower = -2.0, .upper = 0.0}));
  ASSERT_EQ(report.violations.size(), 1U);
  EXPECT_EQ(report.violations[0].first.kind, LimitKind::position);
  EXPECT_NEAR(report.violations[0].first.time, 1.0, 1e-8);
  EXPECT_NEAR(report.violations[0].peak.value, 1.0, 1e-15);
  EXPECT_EQ(report.violations[0].peak.limit, 0.0);
  EXPECT_EQ(report.time_scale.outcome, Outcome::impossible);
  EXPECT_EQ(report.time_scale.binding.kind, LimitKind::position);
  // The bounds themselves are allowed.
  EXPECT_TRUE(check_limits(turn(-1.0, 1.0, 2.0), pendulum(0.0, {.lower = -1.0, .upper = 1.0})).respected());
}

TEST(Limits, GravityAndCoulombFrictionCannotBeScaledAway) {
  // g cos q reaches 9 only at rest near q = 0, on the way from -π/2 to π/2.
  const Trajectory motion = turn(-pi / 2, pi / 2, 100.0);
  const LimitReport report = check_limits(motion, pendulum(9.81, {.effort = 9.0}));
  EXPECT_EQ(report.time_scale.outcome, Outcome::impossible);
  EXPECT_EQ(report.time_scale.factor, infinity);
  EXPECT_EQ(report.time_scale.binding.kind, LimitKind::effort);
  EXPECT_EQ(report.time_scale.binding.joint, 0);
  EXPECT_GT(report.time_scale.binding.value, 9.0);
  EXPECT_NEAR(report.time_scale.binding.time, report.violations.at(0).first.time, 0.2);
  EXPECT_EQ(check_limits(turn(0.0, 1.0, 1.0), pendulum(0.0, {.effort = 2.0}, {.coulomb = 2.1})).time_scale.outcome,
            Outcome::impossible);
  // Gravity takes 9.81, friction 1 more as soon as it moves.
  EXPECT_EQ(check_limits(turn(0.0, 1.0, 1.0), pendulum(9.81, {.effort = 10.5}, {.coulomb = 1.0})).time_scale.outcome,
            Outcome::impossible);
}

// A joint whose limit is zero may not move: no scaling helps a motion that moves it, and one that does not is scaled as
// if the joint had no limit.
TEST(Limits, AZeroLimitForbidsAJointAndNothingElse) {
  for (const std::uint64_t seed : test::seeds(0, 40)) {
    SCOPED_TRACE(seed);
    Random random(500 + seed);
    const auto n = 2 + seed % 6;
    Robot robot = random_robot(random, {.joints = static_cast<int>(n)});
    for (JointDescription& joint : robot.joints) joint.limits = {};
    Mechanism free = make_mechanism(robot);
    for (JointLimits& limits : free.coordinates.limits) limits.velocity = random.between(0.5, 2.0);
    const std::size_t held = seed % n;
    Mechanism limited = free;
    limited.coordinates.limits[Coordinate(held)].velocity = 0.0;
    free.coordinates.limits[Coordinate(held)].velocity = infinity;
    std::vector<JointPoint> points(3, JointPoint(n));
    for (JointPoint& point : points)
      for (double& q : point) q = random.between(-1.5, 1.5);
    const Values times{0.0, 0.7, 1.2};
    const auto kind = static_cast<ProfileKind>(seed % 4);
    const LimitReport moved = check_limits(Trajectory::through(kind, points, times), limited);
    EXPECT_FALSE(moved.respected());
    EXPECT_EQ(moved.time_scale.outcome, Outcome::impossible);
    EXPECT_EQ(moved.time_scale.binding.kind, LimitKind::speed);
    EXPECT_EQ(moved.time_scale.binding.joint, static_cast<int>(held));
    EXPECT_EQ(moved.time_scale.binding.limit, 0.0);
    for (JointPoint& point : points) point[held] = 0.7321;
    const Trajectory still = Trajectory::through(kind, points, times);
    const LimitReport report = check_limits(still, limited), reference = check_limits(still, free);
    ASSERT_EQ(report.time_scale.outcome, Outcome::found);
    EXPECT_EQ(report.time_scale.factor, reference.time_scale.factor);
    EXPECT_EQ(report.violations.size(), reference.violations.size());
    EXPECT_TRUE(check_limits(still.scaled(report.time_scale.factor), limited).respected());
    // The same row by row.
    LimitMonitor monitor(limited);
    Values q(n), qd(n), qdd(n);
    for (int k = 0; k <= 100; ++k) {
      still.at(0.012 * k, q, qd, qdd);
      monitor.add(0.012 * k, q, qd, qdd);
    }
    EXPECT_EQ(monitor.report().time_scale.outcome, Outcome::found);
    q[held] += 0.001, qd[held] = 0.1;
    monitor.add(2.0, q, qd, qdd);
    EXPECT_EQ(monitor.report().time_scale.outcome, Outcome::impossible);
    EXPECT_EQ(monitor.report().time_scale.binding.joint, static_cast<int>(held));
    // Planned with the model's speeds.
    std::vector<Rates> rates;
    for (const JointLimits& limits : limited.coordinates.limits) rates.push_back({limits.velocity, 3.0});
    const Trajectory planned = Trajectory::within(kind, points, rates);
    EXPECT_TRUE(check_limits(planned, limited).respected());
    points[1][held] += 0.1;
    EXPECT_THROW(Trajectory::within(kind, points, rates), std::invalid_argument);
  }
}

TEST(Limits, AZeroEffortLimitForbidsWhatNeedsEffort) {
  const LimitReport report = check_limits(turn(0.0, 1.0, 1.0), pendulum(0.0, {.effort = 0.0}));
  EXPECT_EQ(report.time_scale.outcome, Outcome::impossible);
  EXPECT_EQ(report.time_scale.binding.kind, LimitKind::effort);
  ASSERT_EQ(report.violations.size(), 1U);
}

TEST(Limits, NoLimitsLeaveTheSpeedOpen) {
  const LimitReport report = check_limits(turn(0.0, 1.0, 1.0), pendulum(9.81, {}));
  EXPECT_TRUE(report.respected());
  EXPECT_EQ(report.time_scale.outcome, Outcome::unbounded);
  EXPECT_EQ(report.time_scale.factor, 0.0);
  EXPECT_EQ(report.peaks.size(), 6U);  // lowest, highest, speed, effort, power, total power
}

TEST(Limits, FrictionGravityAndInertiaScaleEachInTheirOwnWay) {
  const JointDrive drive{.viscous = 0.8, .coulomb = 0.3, .rotor_inertia = 1e-3, .gear_ratio = 20.0};
  for (const ProfileKind kind :
       {ProfileKind::cycloid, ProfileKind::cubic, ProfileKind::quintic, ProfileKind::trapezoidal})
    for (const double effort : {10.5, 12.0, 30.0, 200.0}) {
      SCOPED_TRACE(std::string(name_of(kind)) + " " + std::to_string(effort));
      const Mechanism robot = pendulum(9.81, {.effort = effort}, drive);
      expect_tight(turn(-1.0, 2.0, 1.0, kind), robot);
      expect_tight(turn(-1.0, 2.0, 1.0, kind), robot, {.power = {25.0}});
    }
}

TEST(Limits, RobotsTouchTheirLimitsAtTheFactorFound) {
  const Mechanism ur5 = make_mechanism(load_robot(find_model("ur5")));
  const std::vector<JointPoint> points{{0.0, -1.5, 1.0, -1.0, 0.5, 0.0},
                                       {1.0, -1.0, 0.5, 0.0, -0.5, 1.0},
                                       {-0.5, -0.5, 1.5, -1.0, 1.0, -2.0},
                                       {0.5, -1.2, 0.8, 0.6, 0.0, 0.0}};
  const Values times{0.0, 0.4, 1.1, 1.5};
  for (const ProfileKind kind :
       {ProfileKind::cycloid, ProfileKind::cubic, ProfileKind::quintic, ProfileKind::trapezoidal}) {
    SCOPED_TRACE(name_of(kind));
    const Trajectory motion = Trajectory::through(kind, points, times);
    expect_tight(motion, ur5);
    expect_tight(motion, ur5, {.total_power = 200.0});
    expect_tight(motion, ur5, {.wrenches = {{ur5.tool, {0.0, 0.0, -20.0}, {}, Axes::world}}});
  }
}

TEST(Limits, RandomRobotsWithFriction) {
  for (const std::uint64_t seed : test::seeds(0, 12)) {
    SCOPED_TRACE(seed);
    Random random(seed);
    const int n = 1 + static_cast<int>(seed) % 5;
    Robot robot = random_robot(random, {.joints = n});
    for (JointDescription& joint : robot.joints) {
      joint.limits = {};
      joint.drive = {.viscous = 0.5, .coulomb = 0.2, .rotor_inertia = 1e-4, .gear_ratio = 50.0};
    }
    const Mechanism free = make_mechanism(robot);
    std::vector<JointPoint> points(3, JointPoint(static_cast<std::size_t>(n)));
    for (JointPoint& point : points)
      for (double& q : point) q = random.between(-1.5, 1.5);
    const Values times{0.0, 0.7, 1.2};
    const Trajectory motion = Trajectory::through(ProfileKind::cubic, points, times);
    // Limits between what holds the robot and what this motion takes.
    Mechanism limited = free;
    const LimitReport slow = check_limits(motion.scaled(1e3), free), fast = check_limits(motion, free);
    for (std::size_t k = 0; k < slow.peaks.size(); ++k)
      if (slow.peaks[k].kind == LimitKind::effort)
        limited.coordinates.limits[Coordinate(slow.peaks[k].joint)].effort =
            1.2 * std::abs(slow.peaks[k].value) + 0.1 * std::abs(fast.peaks[k].value);
    expect_tight(motion, limited);
  }
}

TEST(Limits, AFastMotionMayBeAllowedWhereASlowerOneIsNot) {
  // One row: q̇ = 1, q̈ = -1, viscous 3. Effort at speed x: 3x - x², between -2 and 2 for x <= 1 and 2 <= x <= (3 +
  // √17)/2.
  LimitMonitor monitor(pendulum(0.0, {.effort = 2.0}, {.viscous = 3.0}));
  const Values q{0.0}, qd{1.0}, qdd{-1.0};
  EXPECT_NEAR(monitor.add(0.0, q, qd, qdd)[0], 2.0, 1e-15);
  const TimeScale scale = monitor.report().time_scale;
  EXPECT_NEAR(1.0 / scale.factor, (3.0 + std::sqrt(17.0)) / 2.0, 1e-14);
  EXPECT_FALSE(scale.slower_too);
}

TEST(Limits, RowsTellTheSameAsTheTrajectory) {
  const Mechanism robot = pendulum(9.81, {.velocity = 2.2, .effort = 13.0}, {.viscous = 0.4, .coulomb = 0.1});
  const Trajectory motion = turn(-1.0, 2.0, 2.0);
  const LimitReport whole = check_limits(motion, robot);
  LimitMonitor monitor(robot);
  Values q(1), qd(1), qdd(1), tau(1);
  InverseDynamics<double> inverse(robot);
  for (int k = 0; k <= 400; ++k) {
    motion.at(2.0 * k / 400, q, qd, qdd);
    inverse(q, qd, qdd, tau);
    EXPECT_NEAR(monitor.add(2.0 * k / 400, q, qd, qdd)[0], tau[0], 1e-14);
  }
  const LimitReport rows = monitor.report();
  ASSERT_EQ(rows.violations.size(), 2U);
  ASSERT_EQ(whole.violations.size(), 2U);
  for (std::size_t k = 0; k < 2; ++k) {
    EXPECT_EQ(rows.violations[k].first.kind, whole.violations[k].first.kind);
    EXPECT_NEAR(rows.violations[k].first.time, whole.violations[k].first.time, 1e-7);
  }
  EXPECT_NEAR(rows.time_scale.factor, whole.time_scale.factor, 1e-4);
  EXPECT_THROW(monitor.add(2.0, q, qd, qdd), std::invalid_argument);
}

TEST(Limits, BadInputIsRefused) {
  const Mechanism robot = pendulum(9.81, {});
  const Values times{0.0, 1.0};
  const Trajectory two_joints = Trajectory::through(ProfileKind::cubic, {{0.0, 0.0}, {1.0, 1.0}}, times);
  EXPECT_THROW(check_limits(two_joints, robot), std::invalid_argument);
  EXPECT_THROW(check_limits(turn(0.0, 1.0, 1.0), robot, {.power = {1.0, 2.0}}), std::invalid_argument);
  EXPECT_THROW(check_limits(turn(0.0, 1.0, 1.0), robot, {.power = {0.0}}), std::invalid_argument);
  EXPECT_THROW(check_limits(turn(0.0, 1.0, 1.0), robot, {.total_power = -1.0}), std::invalid_argument);
  EXPECT_THROW(check_limits(turn(0.0, 1.0, 1.0), robot, {.samples = 1}), std::invalid_argument);
  EXPECT_THROW(check_limits(turn(0.0, 1.0, 1.0), robot, {.formulation = "guess"}), std::invalid_argument);
}

}  // namespace
}  // namespace catena::test::limits_test
