// Stribeck friction and constant torques of joints against closed forms: torques, slopes, energies, breaking away,
// coming to rest, sticking and slipping, couplings, loops, limits.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>

#include "catena/call.hpp"
#include "catena/changes.hpp"
#include "catena/control.hpp"
#include "catena/robot_file.hpp"
#include "catena/simulation.hpp"
#include "catena/trajectory.hpp"
#include "support/nightly.hpp"
#include "support/random_robot.hpp"
#include "support/runs.hpp"
#include "support/tolerances.hpp"

namespace catena::test::stribeck_test {
namespace {

constexpr double mass = 1.5, length = 0.4, inertia = mass * length * length;
const JointDrive rubbing{.viscous = 0.3, .coulomb = 1.2, .offset = -0.7, .stribeck = 0.9, .stribeck_speed = 0.25};

double rise(double v, const JointDrive& drive = rubbing) {
  return drive.stribeck * std::exp(-(v / drive.stribeck_speed) * (v / drive.stribeck_speed));
}
double way(double v) { return v > 0.0 ? 1.0 : v < 0.0 ? -1.0 : 0.0; }

// A point of 1.5 kg at 0.4 m from a joint about z, so that it has no weight there; or on a level rail.
Robot body(const JointDrive& drive = rubbing, JointType type = JointType::revolute) {
  Robot robot;
  robot.name = "body";
  robot.add_link("base");
  JointDescription joint;
  joint.name = "joint";
  joint.type = type;
  joint.parent = 0;
  joint.child = robot.add_link("bob", {mass, {type == JointType::revolute ? length : 0.0, 0.0, 0.0}, {}});
  joint.axis = type == JointType::revolute ? Vec3<double>{0.0, 0.0, 1.0} : Vec3<double>{1.0, 0.0, 0.0};
  joint.drive = drive;
  robot.add_joint(joint);
  return robot;
}
SimulationResult moved(const Robot& robot, TorqueLaw law, double q, double qd, const Values& times) {
  Simulation simulation(make_mechanism(robot), std::move(law), tight(1e-11));
  SimulationResult result = simulation.run(Values{q}, Values{qd}, times);
  EXPECT_TRUE(result.complete) << result.ended_by;
  EXPECT_LT(result.balance, 1e-8);
  return result;
}
double time_of(const SimulationResult& result, const std::string& what) {
  for (const EventRecord& event : result.events)
    if (event.what.find(what) != std::string::npos) return event.t;
  return -1.0;
}

TEST(Stribeck, HasTheTorqueTheSlopeAndTheEnergyItShould) {
  JointDrive drive = rubbing;
  drive.spring = 2.0, drive.spring_rest = 0.4;
  const Mechanism robot = make_mechanism(body(drive));
  const double q = 0.9, a = 1.7;
  const Values at{q}, faster{a};
  for (const double v : {-2.0, -0.3, -0.02, 0.0, 0.01, 0.25, 0.6}) {
    const Values rate{v};
    const double holds = 2.0 * (q - 0.4) - 0.7, rubs = 0.3 * v + (1.2 + rise(v)) * way(v);
    EXPECT_NEAR(result_of(robot, "inverse", {.q = at, .qd = rate, .qdd = faster})[0], inertia * a + holds + rubs, 1e-14)
        << v;
    EXPECT_NEAR(result_of(robot, "bias", {.q = at, .qd = rate})[0], holds + rubs, 1e-14) << v;
    EXPECT_NEAR(result_of(robot, "gravity", {.q = at})[0], holds, 1e-14);
    EXPECT_NEAR(result_of(robot, "forward", {.q = at, .qd = rate, .tau = faster})[0], (a - holds - rubs) / inertia,
                1e-13)
        << v;
    const double slope = 0.3 - 2.0 * std::abs(v) / (0.25 * 0.25) * rise(v);
    EXPECT_NEAR(result_of(robot, "damping", {.q = at, .qd = rate})[0], slope, 1e-13) << v;
    EXPECT_NEAR(result_of(robot, "linearize", {.q = at, .qd = rate, .qdd = faster})[1], slope, 1e-13) << v;
    EXPECT_NEAR(result_of(robot, "response", {.q = at, .qd = rate, .tau = faster})[1], -slope / inertia, 1e-12) << v;
    const Values Y = result_of(robot, "regressor", {.q = at, .qd = rate, .qdd = faster});
    EXPECT_NEAR(Y[12], rise(v) / 0.9 * way(v), 1e-15) << v;
    EXPECT_EQ(Y[15], 1.0);
    EXPECT_NEAR(result_of(robot, "energy", {.q = at, .qd = rate})[1], 0.5 * 2.0 * 0.25 - 0.7 * q, 1e-14);
  }
}

// It falls with speed and not with place: the same in both directions, and with a slope that differences see.
TEST(Stribeck, HasTheSlopesThatDifferencesSee) {
  for (const std::uint64_t seed : test::seeds(0, 40)) {
    SCOPED_TRACE(seed);
    Random random(seed);
    Robot robot = random_robot(random, {.joints = 1 + static_cast<int>(seed % 7),
                                        .shape = seed % 2 ? Shape::tree : Shape::chain,
                                        .massless_links = false,
                                        .drives = true});
    if (seed % 3 == 0) couple_some(random, robot);
    const Mechanism mechanism = make_mechanism(robot);
    const State x = random_state(random, mechanism.nv());
    const std::size_t n = x.q.size();
    const Values V = result_of(mechanism, "damping", {.q = x.q, .qd = x.qd});
    const double h = 1e-5;
    for (std::size_t k = 0; k < n; ++k) {
      Values more = x.qd, less = x.qd;
      more[k] += h, less[k] -= h;
      const Values up = result_of(mechanism, "inverse", {.q = x.q, .qd = more, .qdd = x.qdd}),
                   down = result_of(mechanism, "inverse", {.q = x.q, .qd = less, .qdd = x.qdd});
      for (std::size_t j = 0; j < n; ++j)
        EXPECT_NEAR(V[j * n + k], (up[j] - down[j]) / (2.0 * h), 1e-6 * (1.0 + std::abs(V[j * n + k])));
    }
  }
}

// At rest it holds as much as both dry parts; the offset moves the middle.
TEST(Stribeck, BreaksAwayAtItsHighestLevel) {
  for (const double side : {1.0, -1.0})
    for (const double part : {0.999, 1.001}) {
      const double tau = -0.7 + side * part * (1.2 + 0.9);
      const SimulationResult result = moved(body(), constant_torque({tau}), 0.2, 0.0, grid(60.0, 6));
      if (part < 1.0) {
        EXPECT_EQ(result.samples.back().q[0], 0.2);
        continue;
      }
      // The last speed is that of balance: fv v + fc + fs exp(-(v/vs)²) = τ - offset.
      const double v = side * result.samples.back().qd[0];
      EXPECT_GT(v, 1.0);
      EXPECT_NEAR(0.3 * v + 1.2 + rise(v), part * 2.1, 1e-8);
    }
}

// Between the levels of sliding and of rest a joint stays what it is: at rest, or on its way.
TEST(Stribeck, SlidesOnWhereItWouldNotBreakAway) {
  const double tau = -0.7 + 1.2 + 0.45;
  EXPECT_EQ(moved(body(), constant_torque({tau}), 0.0, 0.0, grid(20.0, 2)).samples.back().q[0], 0.0);
  const SimulationResult slides = moved(body(), constant_torque({tau}), 0.0, 0.8, grid(60.0, 2));
  EXPECT_NEAR(slides.samples.back().qd[0], 1.5, 1e-6);  // 0.45 / 0.3, and nothing is left of the rise
}

// A wheel that friction alone brings to rest: it takes ∫ J dv / (fc + fs exp(-(v/vs)²)), and all of its energy is lost.
TEST(Stribeck, ComesToRestWhenItShould) {
  const JointDrive dry{.coulomb = 0.5, .stribeck = 1.1, .stribeck_speed = 0.4};
  const double start = 1.3;
  double time = 0.0;
  const int steps = 2000;
  for (int k = 0; k <= steps; ++k) {
    const double weight = k == 0 || k == steps ? 1.0 : k % 2 == 1 ? 4.0 : 2.0;  // Simpson's rule
    time += weight * start / (3.0 * steps) * inertia / (0.5 + rise(start * k / steps, dry));
  }
  for (const JointType type : {JointType::revolute, JointType::prismatic}) {
    const bool turns = type == JointType::revolute;
    const SimulationResult result = moved(body(dry, type), constant_torque({0.0}), 0.0, start, grid(5.0, 5));
    EXPECT_NEAR(time_of(result, "comes to rest"), turns ? time : time * mass / inertia, 1e-8);
    EXPECT_EQ(result.samples.back().qd[0], 0.0);
    EXPECT_NEAR(result.samples.back().losses, 0.5 * (turns ? inertia : mass) * start * start, 1e-8);
  }
}

// A block that a spring pulls at a steady speed slips when the spring pulls as hard as friction at rest, sticks again,
// and goes on so; with the same friction at every speed it would come to slide. Every integrator finds the same times.
TEST(Stribeck, SticksAndSlips) {
  const JointDrive dry{.viscous = 0.05, .coulomb = 1.0, .stribeck = 1.0, .stribeck_speed = 0.3};
  const double k = 20.0, speed = 0.05;
  const TorqueLaw pull = [&](double t, std::span<const double> q, std::span<const double>, std::span<double> tau) {
    tau[0] = k * (speed * t - q[0]);
  };
  double second = 0.0;
  for (const char* name : {"verner", "dormand-prince", "adams", "bdf"}) {
    SimulationOptions options = tight(1e-11);
    options.integrator = *integrator_from_name(name);
    Simulation simulation(make_mechanism(body(dry, JointType::prismatic)), pull, options);
    const SimulationResult result = simulation.run(Values{0.0}, Values{0.0}, grid(8.0, 8));
    ASSERT_TRUE(result.complete) << result.ended_by;
    EXPECT_LT(result.balance, 1e-7) << name;
    Values slips;
    for (const EventRecord& event : result.events)
      if (event.what.find("slips") != std::string::npos) slips.push_back(event.t);
    ASSERT_GE(slips.size(), 3U) << name;
    EXPECT_NEAR(slips[0], 2.0 / (k * speed), 1e-9) << name;
    if (second == 0.0) second = slips[1];
    EXPECT_NEAR(slips[1], second, 1e-6) << name;
  }
}

// A joint that follows another rubs with it: at a times its speed, with a times its torque.
TEST(Stribeck, ActsThroughCouplings) {
  Robot robot = body();
  JointDescription other = robot.joints[0];
  other.name = "other";
  other.child = robot.add_link("second", {0.7, {0.1, 0.0, 0.0}, {}});
  other.drive = {.coulomb = 0.4, .offset = 0.3, .stribeck = 0.5, .stribeck_speed = 0.6};
  other.coupling = {{{"joint", -1.5}}, 0.4};
  robot.add_joint(other);
  const Mechanism mechanism = make_mechanism(robot);
  const double v = 0.2;
  const Values at{0.3}, rate{v}, zero{0.0};
  const double rubs = 0.3 * v + 1.2 + rise(v) + 1.5 * (0.4 + rise(1.5 * v, other.drive)), holds = -0.7 - 1.5 * 0.3;
  EXPECT_NEAR(result_of(mechanism, "bias", {.q = at, .qd = rate})[0], rubs + holds, 1e-13);
  EXPECT_NEAR(result_of(mechanism, "gravity", {.q = at})[0], holds, 1e-13);
  EXPECT_NEAR(result_of(mechanism, "damping", {.q = at, .qd = rate})[0],
              0.3 - 2.0 * v / (0.25 * 0.25) * rise(v) - 2.25 * 2.0 * 1.5 * v / (0.6 * 0.6) * rise(1.5 * v, other.drive),
              1e-12);
  const DriveConstants<double> drive = drives_by_coordinate(mechanism)[Coordinate(0)];
  EXPECT_NEAR(drive.coulomb + drive.stribeck, 2.1 + 1.5 * 0.9, 1e-14);
  EXPECT_NEAR(drive.offset, holds, 1e-14);
  for (const double part : {0.999, 1.001}) {
    const SimulationResult result =
        moved(robot, constant_torque({holds + part * (2.1 + 1.5 * 0.9)}), 0.3, 0.0, grid(1.0, 2));
    EXPECT_EQ(result.samples.back().q[0] == 0.3, part < 1.0);
  }
}

// The account of energy in trees, with joints that follow others, and in closed loops.
TEST(Stribeck, KeepsAccountOfEnergy) {
  for (const std::uint64_t seed : test::seeds(0, 16)) {
    SCOPED_TRACE(seed);
    Random random(seed);
    Robot robot;
    if (seed < 12) {
      robot = random_robot(random, {.joints = 2 + static_cast<int>(seed % 5),
                                    .shape = seed % 2 ? Shape::tree : Shape::chain,
                                    .massless_links = false});
    } else {
      robot = load_robot(find_model(seed % 2 == 0 ? "five_bar" : "fourbar_press"));
    }
    for (JointDescription& joint : robot.joints) {
      joint.drive = {.viscous = random.between(0.0, 0.2),
                     .coulomb = random.between(0.0, 0.1),
                     .offset = random.between(-1.0, 1.0),
                     .stribeck = random.between(0.0, 0.2),
                     .stribeck_speed = random.between(0.1, 1.0)};
    }
    if (seed % 3 == 0 && seed < 12) {
      couple_some(random, robot);
      for (JointDescription& joint : robot.joints)  // where such a joint sticks cannot be simulated
        if (joint.coupling.terms.size() > 1) joint.drive.coulomb = joint.drive.stribeck = 0.0;
    }
    const Mechanism mechanism = make_mechanism(robot);
    State x = random_state(random, mechanism.nv());
    if (seed >= 12) std::fill(x.q.begin(), x.q.end(), 0.0);
    Simulation simulation(mechanism, constant_torque(Values(index(mechanism.nv()), 0.5)), tight(1e-11));
    const SimulationResult result = simulation.run(x.q, x.qd, grid(0.5, 10));
    ASSERT_TRUE(result.complete) << result.ended_by;
    EXPECT_LT(result.balance, 1e-7);
    EXPECT_GT(result.samples.back().losses, 1e-4);
  }
}

// A pendulum that a constant torque holds aside.
TEST(Offsets, HoldAPendulumAside) {
  Robot robot = body({.offset = 2.0});
  robot.joints[0].axis = {0.0, 1.0, 0.0};
  robot.links[1].inertial.com = {0.0, 0.0, -length};
  robot.joints[0].passive = true;
  const Mechanism mechanism = make_mechanism(robot);
  const Equilibrium found = find_equilibrium(mechanism, Values{0.3});
  const double q = -std::asin(2.0 / (mass * 9.81 * length));
  EXPECT_NEAR(found.q[0], q, 1e-12);
  EXPECT_EQ(found.stability, Stability::stable);
  EXPECT_NEAR(found.potential, -mass * 9.81 * length * std::cos(q) + 2.0 * q, 1e-12);
  // It falls as an energy says that has the work of the offset in it.
  const SimulationResult result = moved(robot, constant_torque({0.0}), 0.9, 0.0, grid(2.0, 20));
  const double start = result.samples.front().kinetic + result.samples.front().potential;
  for (const Sample& s : result.samples) EXPECT_NEAR(s.kinetic + s.potential, start, 1e-9);
}

TEST(Offsets, GoWithTheirJoints) {
  const Robot robot = body();
  EXPECT_EQ(lock_joints(robot, {{"joint", 0.2}}).joints[0].drive.offset, 0.0);
  EXPECT_EQ(lock_joints(robot, {{"joint", 0.2}}).joints[0].drive.stribeck, 0.0);
  EXPECT_EQ(only_links(robot, {"bob"}).joints[0].drive.offset, 0.0);
  EXPECT_EQ(add_payload(robot, "bob", {1.0, {}, {}}).joints[0].drive.stribeck, 0.9);
  EXPECT_FALSE(make_mechanism(robot, {.rigid = true}).has_drives);
}

// Slower is not always easier: friction rises where a motion is slow. The scale that is found keeps the limit, a faster
// one does not.
TEST(Stribeck, CountsInLimits) {
  const Values times{0.0, 1.0};
  for (const double stribeck : {0.5, 2.0, 6.0})
    for (const double speed : {0.1, 1.0, 4.0}) {
      Robot robot = body({.coulomb = 1.0, .offset = 0.3, .stribeck = stribeck, .stribeck_speed = speed});
      robot.joints[0].limits.effort = 8.0;
      const Mechanism mechanism = make_mechanism(robot);
      const auto peak = [&](double slower) {
        const Values stretched{0.0, slower};
        double most = 0.0;
        const Trajectory motion = Trajectory::through(ProfileKind::cycloid, {{0.0}, {2.0}}, stretched);
        Values q(1), qd(1), qdd(1);
        for (int k = 0; k <= 4000; ++k) {
          motion.at(slower * (1e-7 + (1.0 - 2e-7) * k / 4000.0), q, qd, qdd);
          most = std::max(most, std::abs(result_of(mechanism, "inverse", {.q = q, .qd = qd, .qdd = qdd})[0]));
        }
        return most;
      };
      const LimitReport report =
          check_limits(Trajectory::through(ProfileKind::cycloid, {{0.0}, {2.0}}, times), mechanism);
      ASSERT_EQ(report.time_scale.outcome, TimeScale::Outcome::found) << stribeck << " " << speed;
      EXPECT_LT(peak(report.time_scale.factor), 8.0 * (1.0 + 1e-4)) << stribeck << " " << speed;
      EXPECT_GT(peak(0.99 * report.time_scale.factor), 8.0) << stribeck << " " << speed;
    }
  Robot stuck = body({.coulomb = 1.0, .stribeck = 8.0, .stribeck_speed = 0.1});
  stuck.joints[0].limits.effort = 8.0;
  EXPECT_EQ(check_limits(Trajectory::through(ProfileKind::cycloid, {{0.0}, {2.0}}, times), make_mechanism(stuck))
                .time_scale.outcome,
            TimeScale::Outcome::impossible);
}

}  // namespace
}  // namespace catena::test::stribeck_test
