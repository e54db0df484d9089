// Stops and dry friction of whole robots: random ones, many joints at their limits at once, every integrator that
// locates events. What must hold whatever happens: limits, losses that never fall, the first law, an end.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>

#include "catena/changes.hpp"
#include "catena/robot_file.hpp"
#include "catena/simulation.hpp"
#include "support/nightly.hpp"
#include "support/random_robot.hpp"

namespace catena::test::stops_test {
namespace {

std::vector<double> grid(double end, int count) {
  std::vector<double> times;
  for (int k = 0; k <= count; ++k) times.push_back(end * k / count);
  return times;
}

constexpr Integrator locating[] = {Integrator::verner, Integrator::dormand_prince, Integrator::adams, Integrator::bdf};

struct Scene {
  Mechanism robot;
  TorqueLaw law = zero_torque();
  std::optional<Mechanism> loaded;  // from the middle of the run on: something was gripped
  SimulationOptions options;
  std::vector<double> q, qd;
};

// A robot of 1 to 8 joints, most of them with narrow limits, some without room at all, that starts anywhere between
// them or exactly at one.
Scene random_scene(std::uint64_t seed) {
  test::Random random(seed);
  test::RobotOptions shape;
  shape.joints = random.chance(0.03) ? 9 + random.below(16) : 1 + random.below(8);
  shape.shape = random.chance(0.5) ? test::Shape::chain : test::Shape::tree;
  shape.massless_links = false;
  const bool friction = random.chance(0.5);
  Robot robot = test::random_robot(random, shape);
  Scene scene;
  for (JointDescription& joint : robot.joints) {
    if (joint.type == JointType::fixed) continue;
    const double middle = random.between(-1.0, 1.0), room = random.chance(0.05) ? 0.0 : random.between(0.01, 1.0);
    if (random.chance(0.9)) joint.limits.lower = middle - room;
    if (random.chance(0.9)) joint.limits.upper = middle + room;
    if (friction && random.chance(0.8)) joint.drive.coulomb = random.between(0.0, 3.0);
    if (friction && random.chance(0.5)) joint.drive.viscous = random.between(0.0, 0.5);
    if (random.chance(0.3)) joint.drive.rotor_inertia = random.between(0.0, 0.1);
  }
  scene.robot = make_mechanism(robot);
  if (random.chance(0.3)) {
    Inertial load = test::random_inertial(random);
    scene.loaded = make_mechanism(add_payload(robot, robot.tool_name(), load));
  }
  scene.options.integrator = locating[seed % std::size(locating)];
  scene.options.stops = true;
  scene.options.rtol = 1e-7, scene.options.atol = 1e-9;
  scene.options.restitution = random.chance(0.3) ? 0.0 : random.chance(0.2) ? 1.0 : random.unit();
  scene.options.max_steps = 2'000'000;
  for (const JointLimits& limits : scene.robot.coordinates.limits) {
    const double low = std::isfinite(limits.lower) ? limits.lower : -1.0;
    const double high = std::isfinite(limits.upper) ? limits.upper : std::max(1.0, low);
    scene.q.push_back(random.chance(0.1) ? low : random.between(std::min(low, high), high));
    scene.qd.push_back(random.chance(0.2) ? 0.0 : random.between(-3.0, 3.0));
  }
  if (random.chance(0.3)) {  // a controller that presses against the stops, with drives that have limits
    std::vector<double> beyond = scene.q;
    for (double& target : beyond) target += random.between(-2.0, 2.0);
    for (JointLimits& limits : scene.robot.coordinates.limits) limits.effort = random.between(1.0, 20.0);
    scene.options.saturate = random.chance(0.5);
    scene.law = pd_control(scene.robot, {{random.between(5.0, 100.0)}, {random.between(0.0, 5.0)}}, hold_at(beyond));
  }
  return scene;
}

class Stops : public ::testing::TestWithParam<int> {};

// One room of a hundred robots, of ten.
TEST_P(Stops, HoldEveryRandomRobot) {
  const auto first = static_cast<std::uint64_t>(GetParam()) * 100;
  for (const std::uint64_t seed : test::seeds(first, first + 100)) {
    const Scene scene = random_scene(seed);
    SCOPED_TRACE("seed " + std::to_string(seed) + ", " + std::to_string(scene.robot.nv()) + " joints");
    Simulation simulation(scene.robot, scene.law, scene.options);
    if (scene.loaded) {
      Event grip = at_time(0.7);
      grip.effect = [&](double, auto, auto) { return EventEffect{false, {}, scene.loaded}; };
      simulation.add_event(grip);
    }
    const SimulationResult result = simulation.run(scene.q, scene.qd, grid(1.5, seed % 10 == 0 ? 1500 : 60));
    ASSERT_TRUE(result.complete) << result.ended_by;
    double losses = 0.0;
    for (const catena::Sample& s : result.samples) {
      for (std::size_t j = 0; j < s.q.size(); ++j) {
        const double tolerance = scene.options.atol + scene.options.rtol * std::abs(s.q[j]);
        const JointLimits& limits = scene.robot.limits(Coordinate(j));
        ASSERT_GE(s.q[j], limits.lower - tolerance) << "joint " << j << " at " << s.t;
        ASSERT_LE(s.q[j], limits.upper + tolerance) << "joint " << j << " at " << s.t;
      }
      ASSERT_GE(s.losses, losses - scene.options.rtol * result.largest_energy) << "at " << s.t;
      losses = s.losses;
    }
    // The energy of what was gripped comes without work.
    if (!scene.loaded) {
      EXPECT_LE(result.balance, 1e-3 * result.largest_energy);
    }
    // Elastic stops that are close together are hit thousands of times; how often exactly is a matter of rounding.
    EXPECT_LT(result.events.size(), 5000U * static_cast<std::size_t>(scene.robot.nv()));
  }
}
INSTANTIATE_TEST_SUITE_P(Series, Stops, ::testing::Range(0, 10));

std::vector<std::string> kinds_of_events(const SimulationResult& result) {
  std::vector<std::string> kinds;
  for (const EventRecord& e : result.events) kinds.push_back(e.what.substr(0, e.what.find(" at ")));
  return kinds;
}

// Two joints of a planar arm against a time-stepping scheme that shares nothing with us: Moreau's, with the closed
// form of the arm, tiny steps, and complementarity by trying all sets. It converges with the step, so it is held to
// 1e-3.
struct PlanarArm {  // two rods of 1 m and 1 kg under gravity, angles from the horizontal, the second relative
  static std::array<double, 3> M(double q2) {
    return {5.0 / 3.0 + std::cos(q2), 1.0 / 3.0 + 0.5 * std::cos(q2), 1.0 / 3.0};
  }
  static std::array<double, 2> bias(const double (&q)[2], const double (&v)[2]) {
    const double s = 0.5 * std::sin(q[1]), g = 9.81;
    return {-s * (2.0 * v[0] * v[1] + v[1] * v[1]) + 1.5 * g * std::cos(q[0]) + 0.5 * g * std::cos(q[0] + q[1]),
            s * v[0] * v[0] + 0.5 * g * std::cos(q[0] + q[1])};
  }
};
std::array<double, 2> by_time_stepping(std::array<double, 2> low, std::array<double, 2> high, double e, double end) {
  double q[2] = {0.0, 0.0}, v[2] = {0.0, 0.0};
  const int steps = 400'000;
  const double h = end / steps;
  for (int step = 0; step < steps; ++step) {
    const auto [m11, m12, m22] = PlanarArm::M(q[1]);
    const auto b = PlanarArm::bias(q, v);
    const double det = m11 * m22 - m12 * m12;
    const double W[2][2] = {{m22 / det, -m12 / det}, {-m12 / det, m11 / det}};
    double free[2], side[2] = {0.0, 0.0};
    for (int j = 0; j < 2; ++j) {
      free[j] = v[j] - h * (W[j][0] * b[0] + W[j][1] * b[1]);
      if (q[j] <= low[static_cast<std::size_t>(j)]) side[j] = 1.0;
      if (q[j] >= high[static_cast<std::size_t>(j)]) side[j] = -1.0;
    }
    for (int set = 0; set < 4; ++set) {  // which stops push: the first set that is consistent
      double p[2] = {0.0, 0.0}, after[2];
      if ((set & 1 && side[0] == 0.0) || (set & 2 && side[1] == 0.0)) continue;
      const double want[2] = {-free[0] - e * v[0], -free[1] - e * v[1]};
      if (set == 1) p[0] = want[0] / W[0][0];
      if (set == 2) p[1] = want[1] / W[1][1];
      if (set == 3) {
        const double d = W[0][0] * W[1][1] - W[0][1] * W[1][0];
        p[0] = (want[0] * W[1][1] - want[1] * W[0][1]) / d;
        p[1] = (want[1] * W[0][0] - want[0] * W[1][0]) / d;
      }
      bool consistent = true;
      for (int j = 0; j < 2; ++j) {
        after[j] = free[j] + W[j][0] * p[0] + W[j][1] * p[1];
        consistent =
            consistent && side[j] * p[j] >= 0.0 && (side[j] == 0.0 || side[j] * (after[j] + e * v[j]) > -1e-12);
      }
      if (!consistent) continue;
      for (int j = 0; j < 2; ++j) v[j] = after[j];
      break;
    }
    for (int j = 0; j < 2; ++j) q[j] += h * v[j];
  }
  return {q[0], q[1]};
}

Robot planar_arm(std::array<double, 2> low, std::array<double, 2> high) {
  Robot robot;
  robot.gravity = {0.0, -9.81, 0.0};
  robot.add_link("base");
  for (std::size_t k = 0; k < 2; ++k) {
    const int link =
        robot.add_link("rod" + std::to_string(k + 1), {1.0, {0.5, 0.0, 0.0}, {1e-9, 1.0 / 12.0, 1.0 / 12.0}});
    JointDescription joint;
    joint.name = "joint" + std::to_string(k + 1);
    joint.parent = link - 1;
    joint.child = link;
    if (k == 1) joint.origin.p = {1.0, 0.0, 0.0};
    joint.limits.lower = low[k], joint.limits.upper = high[k];
    robot.add_joint(joint);
  }
  return robot;
}

TEST(StopsOfAPlanarArm, AgreeWithTimeStepping) {
  const std::array<double, 2> low{-0.5, -1.0}, high{0.5, 1.0};
  for (const double e : {0.0, 0.3}) {
    SimulationOptions options;
    options.stops = true, options.restitution = e;
    Simulation simulation(make_mechanism(planar_arm(low, high)), zero_torque(), options);
    const std::vector<double> zeros(2);
    const double end = e == 0.0 ? 2.0 : 0.75;  // small differences grow from one rebound to the next
    const SimulationResult result = simulation.run(zeros, zeros, grid(end, 20));
    ASSERT_TRUE(result.complete) << result.ended_by;
    const auto expected = by_time_stepping(low, high, e, end);
    EXPECT_NEAR(result.samples.back().q[0], expected[0], 1e-3) << "restitution " << e;
    EXPECT_NEAR(result.samples.back().q[1], expected[1], 1e-3) << "restitution " << e;
    EXPECT_GE(result.events.size(), 2U);
  }
}

// The fall of a real arm, joints against their stops one after the other, for as long as it takes to come to rest.
TEST(StopsOfAPanda, HoldItThroughALongFall) {
  const Mechanism robot = make_mechanism(load_robot(std::string(CATENA_SOURCE_DIR) + "/models/panda.toml"));
  for (const double e : {0.0, 0.5}) {
    SimulationOptions options;
    options.stops = true, options.restitution = e;
    Simulation simulation(robot, zero_torque(), options);
    const std::vector<double> q{0.0, 0.0, 0.0, -1.5, 0.0, 1.5, 0.0}, qd(7);
    const SimulationResult result = simulation.run(q, qd, grid(10.0, 200));
    ASSERT_TRUE(result.complete) << result.ended_by;
    for (const catena::Sample& s : result.samples)
      for (std::size_t j = 0; j < 7; ++j) {
        EXPECT_GE(s.q[j], robot.limits(Coordinate(j)).lower - 1e-9);
        EXPECT_LE(s.q[j], robot.limits(Coordinate(j)).upper + 1e-9);
      }
    EXPECT_LT(result.balance, 1e-6 * result.largest_energy);
  }
}

TEST(StopsInWords, AFrictionlessJointLeavesItsStopAndDoesNotSlip) {
  SimulationOptions options;
  options.stops = true;
  const TorqueLaw law = [](double t, auto, auto, std::span<double> tau) {
    tau[0] = t < 1.0 ? -60.0 : 60.0;
    tau[1] = 0.0;
  };
  Simulation simulation(make_mechanism(planar_arm({-0.5, -1.0}, {0.5, 1.0})), law, options);
  const std::vector<double> q{-0.5, -1.0}, qd(2);
  const SimulationResult result = simulation.run(q, qd, grid(1.2, 12));
  const std::vector<std::string> kinds = kinds_of_events(result);
  EXPECT_TRUE(std::find(kinds.begin(), kinds.end(), "joint 'joint1' leaves its stop") != kinds.end());
  for (const std::string& kind : kinds) EXPECT_EQ(kind.find("slips"), std::string::npos) << kind;
}

TEST(StopsInWords, AStartBeyondAStopIsRefused) {
  SimulationOptions options;
  options.stops = true;
  Simulation simulation(make_mechanism(planar_arm({-0.5, -1.0}, {0.5, 1.0})), zero_torque(), options);
  const std::vector<double> q{0.0, 1.25}, qd(2);
  try {
    simulation.run(q, qd, grid(1.0, 2));
    FAIL() << "not refused";
  } catch (const std::invalid_argument& e) {
    EXPECT_STREQ(e.what(), "joint 'joint2' is at 1.25, beyond its upper stop at 1");
  }
}

TEST(Saturation, ANegativeEffortLimitIsRefused) {
  Robot arm = planar_arm({-10.0, -10.0}, {10.0, 10.0});
  arm.joints[1].limits.effort = -5.0;
  SimulationOptions options;
  options.saturate = true;
  EXPECT_THROW(Simulation(make_mechanism(arm), zero_torque(), options), std::invalid_argument);
}

TEST(Saturation, DrivesGiveNoMoreThanTheirEffort) {
  Robot arm = planar_arm({-10.0, -10.0}, {10.0, 10.0});
  for (JointDescription& joint : arm.joints) joint.limits.effort = 5.0;
  const Mechanism robot = make_mechanism(arm);
  SimulationOptions options;
  options.saturate = true;
  const std::vector<double> zeros(2);
  const TorqueLaw law = pd_control(robot, {{1000.0}, {50.0}}, hold_at({1.0, 1.0}));
  Simulation weak(robot, law, options);
  const SimulationResult sagging = weak.run(zeros, zeros, grid(0.5, 50));
  for (const catena::Sample& s : sagging.samples)
    for (const double tau : s.tau) EXPECT_LE(std::abs(tau), 5.0);
  EXPECT_LT(sagging.samples.back().q[0], 0.0);
  EXPECT_LT(sagging.balance, 1e-6 * sagging.largest_energy);
  Simulation strong(robot, law, {});
  EXPECT_GT(strong.run(zeros, zeros, grid(0.5, 50)).samples.back().q[0], 0.5);
}

}  // namespace
}  // namespace catena::test::stops_test
