// Springs at joints against closed forms: equilibria, frequencies, periods, energies, stops, couplings, limits.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <numbers>

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

namespace catena::test::springs_test {
namespace {

constexpr double pi = std::numbers::pi;
constexpr double mass = 1.5, length = 0.4, inertia = mass * length * length, weight = mass * 9.81;

// A point of 1.5 kg, at 0.4 m from a joint about y, below it at q = 0; or on a vertical rail.
Robot body(JointType type, double stiffness, double rest) {
  Robot robot;
  robot.name = "body";
  robot.add_link("base");
  JointDescription joint;
  joint.name = "joint";
  joint.type = type;
  joint.parent = 0;
  joint.child = robot.add_link("bob", {mass, {0.0, 0.0, type == JointType::revolute ? -length : 0.0}, {}});
  joint.axis = type == JointType::revolute ? Vec3<double>{0.0, 1.0, 0.0} : Vec3<double>{0.0, 0.0, 1.0};
  joint.drive.spring = stiffness;
  joint.drive.spring_rest = rest;
  joint.passive = true;
  robot.add_joint(joint);
  return robot;
}

TEST(Springs, HoldAWeightOnARail) {
  const double k = 600.0, rest = 0.3;
  const Mechanism robot = make_mechanism(body(JointType::prismatic, k, rest));
  for (const double start : {0.0, 2.0, -5.0}) {
    const Equilibrium found = find_equilibrium(robot, Values{start});
    EXPECT_NEAR(found.q[0], rest - weight / k, 1e-12);
    EXPECT_EQ(found.stability, Stability::stable);
    EXPECT_NEAR(found.stiffness[0], k, 1e-9);
    EXPECT_NEAR(found.potential, weight * found.q[0] + 0.5 * weight * weight / k, 1e-10);
  }
  const StateSpace model = Linearization(robot).under(Values{0.1}, Values{0.0}, Values{0.0});
  for (const std::complex<double>& pole : eigenvalues(model.A)) {
    EXPECT_NEAR(pole.real(), 0.0, 1e-12);
    EXPECT_NEAR(std::abs(pole.imag()), std::sqrt(k / mass), 1e-10);
  }
}

// Nothing but springs holds a robot without weight.
TEST(Springs, HaveEquilibriaWithoutGravity) {
  Robot weightless = body(JointType::revolute, 3.0, 0.7);
  weightless.gravity = {};
  EXPECT_NEAR(find_equilibrium(make_mechanism(weightless), Values{-2.0}).q[0], 0.7, 1e-12);
}

// Upright against its weight a spring of less than m g l gives way to either side; a stiffer one does not.
TEST(Springs, CarryAPendulumUpright) {
  const double moment = weight * length;
  const auto equilibria = [&](double stiffness) {
    return find_equilibria(make_mechanism(body(JointType::revolute, stiffness, pi)), Values{pi});
  };
  ASSERT_EQ(equilibria(1.2 * moment).size(), 1U);
  EXPECT_NEAR(equilibria(1.2 * moment)[0].q[0], pi, 1e-9);
  const std::vector<Equilibrium> soft = equilibria(0.8 * moment);
  ASSERT_EQ(soft.size(), 3U);
  for (const Equilibrium& one : soft) {
    const double lean = one.q[0] - pi;
    EXPECT_NEAR(0.8 * lean, std::sin(lean), 1e-9);
    EXPECT_EQ(one.stability, std::abs(lean) < 1e-6 ? Stability::unstable : Stability::stable);
  }
}

// A full turn is a difference where there is a spring.
TEST(Springs, AreWoundByFullTurns) {
  const double k = 2.0, rest = 3.0 * pi;
  const Mechanism robot = make_mechanism(body(JointType::revolute, k, rest));
  const std::vector<Equilibrium> all = find_equilibria(robot, Values{0.0}, 100);
  EXPECT_EQ(all.size(), 3U);
  bool wound = false;
  for (const Equilibrium& one : all) {
    EXPECT_NEAR(k * (one.q[0] - rest) + weight * length * std::sin(one.q[0]), 0.0, 1e-9);
    wound = wound || one.q[0] > 2.0 * pi + 1.0;
  }
  EXPECT_TRUE(wound);
}

TEST(Springs, MakeThePeriodsTheyShould) {
  const double k = 2.0;
  Robot wheel = body(JointType::revolute, k, 0.5);
  wheel.gravity = {};
  Simulation simulation(make_mechanism(wheel), constant_torque({0.0}), tight(1e-12));
  const double period = 2.0 * pi * std::sqrt(inertia / k);
  const SimulationResult result = simulation.run(Values{1.7}, Values{0.0}, grid(3.0 * period, 60));
  ASSERT_TRUE(result.complete) << result.ended_by;
  for (const Sample& s : result.samples) {
    EXPECT_NEAR(s.q[0], 0.5 + 1.2 * std::cos(2.0 * pi * s.t / period), 1e-9);
    EXPECT_NEAR(s.kinetic + s.potential, 0.5 * k * 1.2 * 1.2, 1e-9);
  }
  // Under gravity, about where it hangs: √((k + m g l) / m l²).
  const Mechanism pendulum = make_mechanism(body(JointType::revolute, k, 0.0));
  const StateSpace model = Linearization(pendulum).under(Values{0.0}, Values{0.0}, Values{0.0});
  for (const std::complex<double>& pole : eigenvalues(model.A))
    EXPECT_NEAR(std::abs(pole.imag()), std::sqrt((k + weight * length) / inertia), 1e-10);
}

// The first law, in trees with springs, friction and rotors; some of their joints follow others.
TEST(Springs, KeepAccountOfEnergy) {
  for (const std::uint64_t seed : test::seeds(0, 12)) {
    SCOPED_TRACE(seed);
    Random random(seed);
    Robot robot = random_robot(random, {.joints = 2 + static_cast<int>(seed % 5),
                                        .shape = seed % 2 ? Shape::tree : Shape::chain,
                                        .massless_links = false});
    for (JointDescription& joint : robot.joints)
      joint.drive = {random.between(0.1, 0.5), 0.0, 1e-3, 20.0, random.between(0.0, 50.0), random.between(-1.0, 1.0)};
    if (seed % 3 == 0) couple_some(random, robot);
    const Mechanism mechanism = make_mechanism(robot);
    const State x = random_state(random, mechanism.nv());
    Simulation simulation(mechanism, constant_torque(Values(index(mechanism.nv()), 0.5)), tight(1e-12));
    const SimulationResult result = simulation.run(x.q, x.qd, grid(1.0, 20));
    ASSERT_TRUE(result.complete) << result.ended_by;
    EXPECT_LT(result.balance, 1e-8);
    const auto [least, most] =
        std::minmax_element(result.samples.begin(), result.samples.end(),
                            [](const Sample& a, const Sample& b) { return a.potential < b.potential; });
    EXPECT_GT(most->potential - least->potential, 1e-3);
  }
}

// A spring that pulls a body onto its stop holds it there, and one that does not lets it come back.
TEST(Springs, WorkAgainstStops) {
  for (const double rest : {0.0, -1.0}) {
    Robot robot = body(JointType::prismatic, 100.0, rest);
    robot.gravity = {};
    robot.joints[0].limits.lower = -0.2;
    SimulationOptions options = tight(1e-12);
    options.stops = true;
    Simulation simulation(make_mechanism(robot), constant_torque({0.0}), options);
    const SimulationResult result = simulation.run(Values{0.3}, Values{0.0}, grid(3.0, 30));
    ASSERT_TRUE(result.complete) << result.ended_by;
    EXPECT_LT(result.balance, 1e-8);
    for (const Sample& s : result.samples) EXPECT_GE(s.q[0], -0.2 - 1e-9);
    const bool held = std::all_of(result.samples.end() - 5, result.samples.end(),
                                  [](const Sample& s) { return std::abs(s.q[0] + 0.2) < 1e-9; });
    EXPECT_EQ(held, rest < -0.2);
  }
}

// A joint that follows another turns its spring with it: the torques, stiffness and energy of factor q + offset.
TEST(Springs, ActThroughCouplings) {
  Robot robot = body(JointType::revolute, 4.0, 0.3);
  robot.gravity = {};
  JointDescription second = robot.joints[0];
  second.name = "second";
  second.child = robot.add_link("other", {0.7, {0.1, 0.0, 0.0}, {}});
  second.drive = {.spring = 9.0, .spring_rest = -0.2};
  second.passive = false;
  second.coupling = {{{"joint", -1.5}}, 0.4};
  robot.add_joint(second);
  const Mechanism mechanism = make_mechanism(robot);
  const double q = 0.8, other = -1.5 * q + 0.4;
  const Values at{q}, zero{0.0};
  EXPECT_NEAR(result_of(mechanism, "gravity", {.q = at})[0], 4.0 * (q - 0.3) - 1.5 * 9.0 * (other + 0.2), 1e-12);
  EXPECT_NEAR(result_of(mechanism, "stiffness", {.q = at, .qd = zero, .qdd = zero})[0], 4.0 + 2.25 * 9.0, 1e-12);
  EXPECT_NEAR(result_of(mechanism, "energy", {.q = at, .qd = zero})[1],
              0.5 * 4.0 * (q - 0.3) * (q - 0.3) + 0.5 * 9.0 * (other + 0.2) * (other + 0.2), 1e-12);
  const DriveConstants<double> drive = drives_by_coordinate(mechanism)[Coordinate(0)];
  EXPECT_NEAR(drive.stiffness * (q - drive.rest), result_of(mechanism, "gravity", {.q = at})[0], 1e-12);
  EXPECT_NEAR(find_equilibrium(mechanism, zero).q[0], drive.rest, 1e-12);
}

// Locked joints have none, and neither have models of links alone or of what is rigid.
TEST(Springs, GoWithTheirJoints) {
  const Robot robot = body(JointType::revolute, 4.0, 0.3);
  EXPECT_EQ(lock_joints(robot, {{"joint", 0.2}}).joints[0].drive.spring, 0.0);
  EXPECT_EQ(only_links(robot, {"bob"}).joints[0].drive.spring, 0.0);
  EXPECT_EQ(add_payload(robot, "bob", {1.0, {}, {}}).joints[0].drive.spring, 4.0);
  EXPECT_FALSE(make_mechanism(robot, {.rigid = true}).has_drives);
}

// A clamped beam as 40 rigid links on springs of EI/h, the first of twice that at half a link from its end: the two
// lowest frequencies of bending, (1.8751/L)² √(EI/ρA) and (4.6941/L)² √(EI/ρA), and its sag under its weight, ρA g
// L⁴/8EI.
TEST(Springs, MakeABeamOfLinks) {
  const int n = 40;
  const double beam = 1.2, EI = 30.0, density = 0.8, h = beam / n;
  Robot robot;
  robot.name = "beam";
  robot.gravity = {};
  robot.add_link("base");
  for (int k = 0; k < n; ++k) {
    JointDescription joint;
    joint.name = "j" + std::to_string(k);
    joint.parent = k;
    joint.child =
        robot.add_link("l" + std::to_string(k),
                       {density * h, {0.5 * h, 0.0, 0.0}, {0.0, density * h * h * h / 12, density * h * h * h / 12}});
    joint.axis = {0.0, 1.0, 0.0};
    joint.origin.p = {k == 0 ? 0.0 : h, 0.0, 0.0};
    joint.drive.spring = k == 0 ? 2.0 * EI / h : EI / h;
    joint.passive = true;
    robot.add_joint(joint);
  }
  const Values zeros(index(n), 0.0);
  const StateSpace model = Linearization(make_mechanism(robot)).under(zeros, zeros, zeros);
  Values frequencies;
  for (const std::complex<double>& pole : eigenvalues(model.A))
    if (pole.imag() > 0.0) frequencies.push_back(pole.imag());
  std::sort(frequencies.begin(), frequencies.end());
  ASSERT_GE(frequencies.size(), 2U);
  for (const auto& [mode, root] : {std::pair{0U, 1.875104}, {1U, 4.694091}}) {
    const double expected = root * root / (beam * beam) * std::sqrt(EI / density);
    EXPECT_NEAR(frequencies[mode] / expected, 1.0, 2e-3) << mode;
  }
  robot.gravity = {0.0, 0.0, -0.01};  // little, so that it stays linear
  const Equilibrium sags = find_equilibrium(make_mechanism(robot), zeros);
  double slope = 0.0, sag = 0.0;
  for (const double q : sags.q) sag -= h * std::sin(slope += q);
  EXPECT_NEAR(sag / (-density * 0.01 * std::pow(beam, 4) / (8.0 * EI)), 1.0, 2e-3);
}

// The force of a spring depends on the place alone, however slowly it is passed.
TEST(Springs, CountInLimits) {
  Robot robot = body(JointType::prismatic, 100.0, 0.0);
  robot.gravity = {};
  robot.joints[0].limits.effort = 70.0;
  const auto outcome = [&](double end) {
    const Values times{0.0, 20.0};
    const Trajectory motion = Trajectory::through(ProfileKind::cycloid, {{0.0}, {end}}, times);
    return check_limits(motion, make_mechanism(robot)).time_scale.outcome;
  };
  EXPECT_EQ(outcome(0.69), TimeScale::Outcome::found);
  EXPECT_EQ(outcome(0.71), TimeScale::Outcome::impossible);
}

}  // namespace
}  // namespace catena::test::springs_test
