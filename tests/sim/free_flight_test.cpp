// Robots that fly freely, with friction, stops and controllers: momentum, energy and the centre of mass say whether
// they do it rightly.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>

#include "catena/simulation.hpp"
#include "support/free_robots.hpp"
#include "support/nightly.hpp"

namespace catena::test::free_flight_test {
namespace {

using V = Vec3<double>;

struct Flight {
  double linear = 0.0, angular = 0.0, energy = 0.0, length = 0.0;  // largest changes, of largest values
};

Flight fly(const Robot& robot, const State& x, TorqueLaw law, SimulationOptions options, double time = 10.0) {
  const Mechanism m = make_mechanism(robot);
  options.rtol = 1e-13, options.atol = 1e-14;
  Simulation simulation(m, std::move(law), options);
  Values times;
  for (int k = 0; k <= 100; ++k) times.push_back(time * k / 100.0);
  const SimulationResult result = simulation.run(x.q, x.qd, times);
  EXPECT_TRUE(result.complete) << result.ended_by;
  EXPECT_LT(result.balance, 1e-8 * result.largest_energy);
  Flight flight;
  Values first;
  double linear = 0.0, angular = 0.0, energy = 0.0;
  for (const catena::Sample& s : result.samples) {
    Values now = run(m, "momentum", "", {s.q, s.qd, {}});
    const V p = get(&now[0]), c = get(&now[6]), l = get(&now[3]) + cross(c, p);  // about the origin of the world
    put(l, &now[3]);
    now[6] = s.kinetic;
    if (first.empty()) first = now;
    for (std::size_t k = 0; k < 3; ++k) {
      linear = std::max(linear, std::abs(now[k])), flight.linear = std::max(flight.linear, std::abs(now[k] - first[k]));
      angular = std::max(angular, std::abs(now[3 + k]));
      flight.angular = std::max(flight.angular, std::abs(now[3 + k] - first[3 + k]));
    }
    energy = std::max(energy, now[6]), flight.energy = std::max(flight.energy, std::abs(now[6] - first[6]));
    const double length = s.q[3] * s.q[3] + s.q[4] * s.q[4] + s.q[5] * s.q[5] + s.q[6] * s.q[6];
    flight.length = std::max(flight.length, std::abs(length - 1.0));
  }
  flight.linear /= std::max(1.0, linear), flight.angular /= std::max(1.0, angular),
      flight.energy /= std::max(1.0, energy);
  return flight;
}

TEST(FreeFlight, MomentumAndEnergyStayWhileItTumbles) {
  for (const std::uint64_t seed : test::seeds(0, 6)) {
    Random random(seed + 77);
    Robot robot = random_free(random, 1 + static_cast<int>(seed), false);
    robot.gravity = {};
    for (JointDescription& joint : robot.joints)  // slides fly apart: each turn of the body throws them out for ever
      if (joint.type == JointType::prismatic && joint.name.find("floating") == std::string::npos)
        joint.type = JointType::revolute;
    const Flight flight = fly(robot, start(random, make_mechanism(robot), 1.0), zero_torque(), {});
    EXPECT_LT(flight.linear, 1e-10) << seed;
    EXPECT_LT(flight.angular, 1e-10) << seed;
    EXPECT_LT(flight.energy, 1e-9) << seed;
    EXPECT_LT(flight.length, 1e-14) << seed;
  }
}

// What joints do to each other changes no momentum: friction, stops, and drives that hold or saturate. A joint that has
// hit a stop is put onto it, by as much as events are located: that moves what it carries.
TEST(FreeFlight, MomentumStaysUnderFrictionStopsAndControl) {
  for (const std::uint64_t seed : test::seeds(0, 6)) {
    Random random(seed + 177);
    Robot robot = random_free(random, 2 + static_cast<int>(seed), true);
    robot.gravity = {};
    for (std::size_t k = 6; k < robot.joints.size(); ++k) {
      robot.joints[k].drive.rotor_inertia = 0.0;  // rotors have no momentum here
      if (robot.joints[k].type == JointType::prismatic) robot.joints[k].type = JointType::revolute;
      robot.joints[k].limits = {-1.1, 1.1, 10.0, 50.0};
    }
    const Mechanism m = make_mechanism(robot);
    const State x = start(random, m, 0.7);
    SimulationOptions options;
    options.stops = seed >= 3, options.restitution = 0.3, options.saturate = true;
    Values target = x.q;
    for (std::size_t k = 7; k < target.size(); ++k) target[k] = random.between(-1.0, 1.0);
    TorqueLaw law = seed % 2 == 0 ? zero_torque() : computed_torque_control(m, {{4.0}, {1.0}}, hold_at(target));
    const Flight flight = fly(robot, x, law, options, 4.0);
    EXPECT_LT(flight.linear, options.stops ? 1e-7 : 1e-10) << seed;
    EXPECT_LT(flight.angular, options.stops ? 1e-7 : 1e-10) << seed;
  }
}

// Under gravity the centre of mass flies a parabola, and energy stays.
TEST(FreeFlight, TheCentreOfMassFliesAParabola) {
  Random random(5);
  Robot robot = random_free(random, 4, false);
  for (std::size_t k = 6; k < robot.joints.size(); ++k)
    if (robot.joints[k].type == JointType::prismatic) robot.joints[k].type = JointType::revolute;
  robot.joints.front().origin = {random.rotation(), random.vector(1.0)};
  const Mechanism m = make_mechanism(robot);
  const State x = start(random, m, 1.0);
  SimulationOptions options;
  options.rtol = 1e-12, options.atol = 1e-13;
  Simulation simulation(m, zero_torque(), options);
  const SimulationResult result = simulation.run(x.q, x.qd, Values{0.0, 0.5, 1.0});
  ASSERT_TRUE(result.complete) << result.ended_by;
  const Values at_start = run(m, "momentum", "", x), whole = run(m, "centroidal", "", x);
  const V c0 = get(&at_start[6]), v0 = (1.0 / whole.back()) * get(&at_start[0]);
  for (const catena::Sample& s : result.samples) {
    const Values now = run(m, "momentum", "", {s.q, s.qd, {}});
    const V expected = c0 + s.t * v0 + (0.5 * s.t * s.t) * robot.gravity;
    EXPECT_TRUE(near(Values(now.begin() + 6, now.end()), {expected.x, expected.y, expected.z}, 10.0, relative(1e-10)));
  }
  EXPECT_LT(result.balance, 1e-9 * result.largest_energy);
}

}  // namespace
}  // namespace catena::test::free_flight_test
