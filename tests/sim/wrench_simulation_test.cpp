// External wrenches in simulation: closed forms, the first law, and together with friction, stops, trees and robots
// that change.
#include <gtest/gtest.h>

#include <cmath>

#include "catena/dynamics.hpp"
#include "catena/progressive.hpp"
#include "catena/robot_file.hpp"
#include "catena/simulation.hpp"
#include "support/allocations.hpp"
#include "support/random_robot.hpp"

namespace catena::test::wrench_simulation_test {
namespace {

std::vector<double> grid(double end, int count) {
  std::vector<double> times;
  for (int k = 0; k <= count; ++k) times.push_back(end * k / count);
  return times;
}

// A cart of 2 kg on a rail along x, no gravity along it.
Robot cart(const JointDrive& drive = {}, const JointLimits& limits = {}) {
  Robot robot;
  robot.add_link("base");
  robot.add_link("cart", {2.0, {}, {0.1, 0.1, 0.1, 0.0, 0.0, 0.0}});
  JointDescription joint;
  joint.name = "rail";
  joint.type = JointType::prismatic;
  joint.axis = {1.0, 0.0, 0.0};
  joint.parent = 0, joint.child = 1;
  joint.drive = drive, joint.limits = limits;
  robot.add_joint(joint);
  return robot;
}

SimulationOptions tight(Wrenches wrenches) {
  SimulationOptions options;
  options.rtol = 1e-12, options.atol = 1e-13;
  options.wrenches = std::move(wrenches);
  return options;
}

SimulationResult push(const Robot& robot, SimulationOptions options, double time, std::vector<double> start = {0.0}) {
  Simulation simulation(make_mechanism(robot), zero_torque(), options);
  const std::vector<double> still(start.size());
  return simulation.run(start, still, grid(time, 20));
}

TEST(WrenchSimulation, AConstantForceMovesACartAsNewtonSays) {
  const SimulationResult result = push(cart(), tight(constant_wrench({"cart", {3.0, 7.0, 0.0}})), 2.0);
  ASSERT_TRUE(result.complete) << result.ended_by;
  const Sample& last = result.samples.back();
  EXPECT_NEAR(last.q[0], 0.5 * 1.5 * 4.0, 1e-11);
  EXPECT_NEAR(last.external, 3.0 * last.q[0], 1e-10);  // what acts across the rail does no work
  EXPECT_EQ(last.work, 0.0);
  EXPECT_EQ(last.tau[0], 0.0);
  EXPECT_LT(result.balance, 1e-10);
}

TEST(WrenchSimulation, ATableIsStraightLinesAndHoldsOutside) {
  const Wrenches ramp = wrench_table("cart", {{0.5, {2.0}}, {1.5, {6.0}}});
  const SimulationResult result = push(cart(), tight(ramp), 2.0);
  ASSERT_TRUE(result.complete) << result.ended_by;
  // q̇ = (1 + ½(2 + 6) + ½ 6)/2 at the end
  EXPECT_NEAR(result.samples.back().qd[0], (0.5 * 2.0 + 4.0 + 0.5 * 6.0) / 2.0, 1e-9);
  EXPECT_THROW(wrench_table("cart", {}), std::invalid_argument);
  EXPECT_THROW(wrench_table("cart", {{1.0, {}}, {1.0, {}}}), std::invalid_argument);
}

// A spring that the environment holds: an oscillation with ω² = k/m.
TEST(WrenchSimulation, AFunctionOfTheStateActs) {
  const Wrenches spring = wrench_function(
      "cart", [](double, std::span<const double> q, auto, Vec3<double>& force, auto&) { force.x = -8.0 * q[0]; });
  const SimulationResult result = push(cart(), tight(spring), 1.0, {0.3});
  ASSERT_TRUE(result.complete) << result.ended_by;
  EXPECT_NEAR(result.samples.back().q[0], 0.3 * std::cos(2.0), 1e-10);
  EXPECT_NEAR(result.samples.back().external, 4.0 * (0.09 - std::pow(result.samples.back().q[0], 2)), 1e-10);
}

TEST(WrenchSimulation, DryFrictionHoldsAgainstASmallPushAndGivesWayToALargeOne) {
  const Robot robot = cart({.coulomb = 5.0});
  const SimulationResult held = push(robot, tight(constant_wrench({"cart", {4.9, 0.0, 0.0}})), 1.0);
  ASSERT_TRUE(held.complete) << held.ended_by;
  EXPECT_EQ(held.samples.back().q[0], 0.0);
  const Wrenches rising = wrench_table("cart", {{0.0, {0.0}}, {1.0, {10.0}}});
  const SimulationResult slips = push(robot, tight(rising), 1.0);
  ASSERT_TRUE(slips.complete) << slips.ended_by;
  ASSERT_EQ(slips.events.size(), 1U);
  EXPECT_EQ(slips.events[0].what, "joint 'rail' slips");
  EXPECT_NEAR(slips.events[0].t, 0.5, 1e-9);
  // m q̈ = 10 t - 5 from there on
  EXPECT_NEAR(slips.samples.back().qd[0], 0.5 * (5.0 * 1.0 - 5.0) + 0.5 * 5.0 * 0.25, 1e-9);
  EXPECT_NEAR(slips.samples.back().losses, 5.0 * slips.samples.back().q[0], 1e-9);
  EXPECT_LT(slips.balance, 1e-9);
}

TEST(WrenchSimulation, APushAgainstAStopRestsThere) {
  JointLimits limits;
  limits.upper = 0.5;
  SimulationOptions options = tight(constant_wrench({"cart", {4.0, 0.0, 0.0}}));
  options.stops = true;
  options.restitution = 0.5;
  const SimulationResult result = push(cart({}, limits), options, 5.0);
  ASSERT_TRUE(result.complete) << result.ended_by;
  EXPECT_EQ(result.samples.back().q[0], 0.5);
  EXPECT_EQ(result.samples.back().qd[0], 0.0);
  EXPECT_NEAR(result.samples.back().external, 2.0, 1e-6);
  EXPECT_NEAR(result.samples.back().losses, 2.0, 1e-6);
  EXPECT_LT(result.balance, 1e-9);
}

// On random trees, several frames at once, both kinds of axes: accelerations are those of forward dynamics under these
// wrenches, and the first law holds with friction and drives at work.
TEST(WrenchSimulation, TreesWithWrenchesOnSeveralFramesKeepTheBooks) {
  for (int trial = 0; trial < 8; ++trial) {
    test::Random random(70 + static_cast<std::uint64_t>(trial));
    const Robot robot = test::random_robot(
        random, {.joints = 3 + trial, .shape = test::Shape::tree, .massless_links = false, .drives = false});
    const Mechanism mechanism = make_mechanism(robot);
    const std::size_t n = index(mechanism.nv());
    std::vector<Wrenches> all;
    std::vector<ExternalWrench<double>> acting;
    for (int k = 0; k < 3; ++k) {
      const auto frame = static_cast<std::size_t>(k * 5 + trial) % mechanism.frames.size();
      const FrameWrench w{mechanism.frames[frame].name,
                          {1.0 + k, -2.0, 0.5},
                          {0.2, 0.1 * k, -0.3},
                          k % 2 == 0 ? Axes::frame : Axes::world};
      all.push_back(constant_wrench(w));
      acting.push_back({static_cast<int>(frame), w.force, w.moment, w.axes});
    }
    Simulation simulation(mechanism, constant_torque(std::vector<double>(n, 0.3)), tight(together(all)));
    std::vector<double> q(n, 0.2), qd(n, 0.1);
    const double h = 1e-5;
    const SimulationResult result = simulation.run(q, qd, std::vector<double>{0.0, h, 0.2});
    ASSERT_TRUE(result.complete) << result.ended_by;
    std::vector<double> tau(n, 0.3), qdd(n), middle(n), speed(n);
    for (std::size_t j = 0; j < n; ++j) {
      middle[j] = 0.5 * (q[j] + result.samples[1].q[j]);
      speed[j] = 0.5 * (qd[j] + result.samples[1].qd[j]);
    }
    ForwardDynamics<double> forward(mechanism);
    forward(middle, speed, tau, qdd, acting);
    for (std::size_t j = 0; j < n; ++j)
      EXPECT_NEAR((result.samples[1].qd[j] - qd[j]) / h, qdd[j], 1e-4 * (1.0 + std::abs(qdd[j]))) << trial << " " << j;
    EXPECT_LT(result.balance, 1e-8 * (1.0 + result.largest_energy)) << trial;
    EXPECT_NE(result.samples.back().external, 0.0);
  }
}

// The wrench stays on its frame while parts come and go, and one on a part acts while the part is there.
TEST(WrenchSimulation, ARobotThatChangesKeepsItsWrenches) {
  const Robot robot = cart();
  Assembly assembly(robot, Assembly::Capacity{});
  Robot load;
  load.name = "load";
  load.add_link("load", {2.0, {}, {0.1, 0.1, 0.1, 0.0, 0.0, 0.0}});
  JointDescription fixed;
  fixed.type = JointType::fixed;
  fixed.name = "grip";
  const auto part = std::make_shared<const Part>(load, fixed);
  const Wrenches both = together(
      {constant_wrench({"cart", {4.0, 0.0, 0.0}}), constant_wrench({"load", {-2.0, 0.0, 0.0}}, Absent::waits)});
  ProgressiveSimulation simulation(
      assembly, [](const Mechanism&) { return zero_torque(); }, tight(both));
  Assembly::Handle held{};
  simulation.at_time(1.0, "grip", [&](Change& change) { held = change.attach("cart", part); });
  simulation.at_time(2.0, "drop", [&](Change& change) { change.detach(held); });
  const ProgressiveResult result = simulation.run(std::vector{0.0}, std::vector{0.0}, grid(3.0, 30));
  ASSERT_TRUE(result.complete) << result.ended_by;
  ASSERT_EQ(result.segments.size(), 3U);
  // 4/2 for a second, half the speed, (4 - 2)/4 for a second, 4/2 for a second
  EXPECT_NEAR(result.segments[2].result.samples.back().qd[0], 0.5 * 2.0 + 0.5 + 2.0, 1e-9);
  EXPECT_LT(result.balance, 1e-9);
}

TEST(WrenchSimulation, AFrameThatIsNotThereIsRefused) {
  EXPECT_THROW(Simulation(make_mechanism(cart()), zero_torque(), tight(constant_wrench({"hand"}))),
               std::invalid_argument);
}

TEST(WrenchSimulation, ALawAllocatesNothingOnceItRuns) {
  const Mechanism robot = make_mechanism(cart());
  const WrenchLaw law =
      together({constant_wrench({"cart", {1.0, 0.0, 0.0}}), wrench_table("cart", {{0.0, {}}})})(robot);
  std::vector<ExternalWrench<double>> room;
  const std::vector<double> q{0.0};
  law(0.0, q, q, room);
  room.clear();
  const test::NoAlloc guard;
  law(0.5, q, q, room);
}

}  // namespace
}  // namespace catena::test::wrench_simulation_test
