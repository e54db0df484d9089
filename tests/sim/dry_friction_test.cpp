// Dry friction under laws that jump where a joint turns back: closed forms first, then whole arms whose law makes up
// for their friction, which follow their motion exactly, then mixes in which integrators must agree.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <utility>

#include "catena/changes.hpp"
#include "catena/control.hpp"
#include "catena/kinematics.hpp"
#include "catena/robot_file.hpp"
#include "catena/simulation.hpp"
#include "catena/trajectory.hpp"
#include "model/free_base.hpp"

namespace catena::test::dry_friction_test {
namespace {

using Values = std::vector<double>;

Values grid(double end, int count) {
  Values times;
  for (int k = 0; k <= count; ++k) times.push_back(end * k / count);
  return times;
}

// A wheel with moment of inertia 1 on an axle with dry friction: q̈ = τ - friction.
Robot wheel(double coulomb, const JointLimits& limits = {}) {
  Robot robot;
  robot.add_link("base");
  robot.add_link("wheel", {1.0, {}, {0.5, 0.5, 1.0, 0.0, 0.0, 0.0}});
  JointDescription axle;
  axle.name = "axle";
  axle.parent = 0;
  axle.child = 1;
  axle.drive.coulomb = coulomb;
  axle.limits = limits;
  robot.add_joint(axle);
  return robot;
}

// push(t) + jump · sign(q̇)
template <class Push>
TorqueLaw jumping(Push push, double jump) {
  return
      [=](double t, auto, std::span<const double> qd, std::span<double> tau) { tau[0] = push(t) + jump * sign(qd[0]); };
}

// Gives up where events follow each other without end.
TorqueLaw bounded(TorqueLaw law) {
  return [law = std::move(law), calls = 0](double t, std::span<const double> q, std::span<const double> qd,
                                           std::span<double> tau) mutable {
    if (++calls > 1'000'000) throw std::runtime_error("the law was asked too often");
    law(t, q, qd, tau);
  };
}

class JumpingLaw : public ::testing::TestWithParam<Integrator> {
 protected:
  SimulationResult run(const Robot& robot, const TorqueLaw& law, double qd, double end, double q = 0.0) {
    options.integrator = GetParam();
    options.rtol = 1e-12, options.atol = 1e-13;
    const SimulationResult result =
        Simulation(make_mechanism(robot), bounded(law), options).run({&q, 1}, {&qd, 1}, grid(end, 50));
    EXPECT_TRUE(result.complete) << result.ended_by;
    EXPECT_LT(result.balance, 1e-9);
    return result;
  }
  static void expect_event(const SimulationResult& result, std::size_t k, double t, const std::string& what) {
    ASSERT_LT(k, result.events.size());
    EXPECT_NEAR(result.events[k].t, t, 1e-9);
    EXPECT_EQ(result.events[k].what, "joint 'axle' " + what);
  }
  static void expect_end(const SimulationResult& result, double q, double qd) {
    EXPECT_NEAR(result.samples.back().q[0], q, 1e-9);
    EXPECT_NEAR(result.samples.back().qd[0], qd, 1e-9);
  }

  SimulationOptions options;
};

// Friction 0.5 and a law that makes up for all of it: as if there were none, q̇ = sin t.
TEST_P(JumpingLaw, ThatMakesUpForFrictionLeavesNone) {
  const SimulationResult result = run(wheel(0.5), jumping([](double t) { return std::cos(t); }, 0.5), 0.0, 10.0);
  for (const Sample& s : result.samples) {
    EXPECT_NEAR(s.q[0], 1.0 - std::cos(s.t), 1e-9) << s.t;
    EXPECT_NEAR(s.qd[0], std::sin(s.t), 1e-9) << s.t;
  }
  ASSERT_EQ(result.events.size(), 3U);
  for (std::size_t k = 0; k < 3; ++k) expect_event(result, k, (1.0 + static_cast<double>(k)) * M_PI, "turns back");
  EXPECT_NEAR(result.samples.back().losses, 0.5 * (6.0 + 1.0 + std::cos(10.0)), 1e-8);  // 0.5 ∫|sin t| dt
}

// Makes up for 0.3 of 0.5: slips where the push has grown to 0.2, at 0.8 s, then q̈ = (t - 0.8)/4.
TEST_P(JumpingLaw, ThatMakesUpForSomeLetsGoEarlier) {
  const SimulationResult result = run(wheel(0.5), jumping([](double t) { return 0.25 * t; }, 0.3), 0.0, 5.0);
  ASSERT_EQ(result.events.size(), 1U);
  expect_event(result, 0, 0.8, "slips");
  expect_end(result, 4.2 * 4.2 * 4.2 / 24.0, 4.2 * 4.2 / 8.0);
}

// Brakes with 0.3 beside friction of 0.5: slips at 3.2 s.
TEST_P(JumpingLaw, ThatBrakesHoldsLonger) {
  const SimulationResult result = run(wheel(0.5), jumping([](double t) { return 0.25 * t; }, -0.3), 0.0, 5.0);
  ASSERT_EQ(result.events.size(), 1U);
  expect_event(result, 0, 3.2, "slips");
  expect_end(result, 1.8 * 1.8 * 1.8 / 24.0, 1.8 * 1.8 / 8.0);
}

// A push of -0.3 against the 0.2 that is left of friction slows a wheel down by 0.5 and then turns it back with -0.1;
// one of -0.1 slows it down by 0.3, and then friction holds it.
TEST_P(JumpingLaw, DecidesWhetherAJointTurnsBackOrRests) {
  const SimulationResult turned = run(wheel(0.5), jumping([](double) { return -0.3; }, 0.3), 2.0, 10.0);
  ASSERT_EQ(turned.events.size(), 1U);
  expect_event(turned, 0, 4.0, "turns back");
  expect_end(turned, 4.0 - 0.05 * 36.0, -0.6);
  const SimulationResult rested = run(wheel(0.5), jumping([](double) { return -0.1; }, 0.3), 2.0, 10.0);
  ASSERT_EQ(rested.events.size(), 1U);
  expect_event(rested, 0, 2.0 / 0.3, "comes to rest");
  expect_end(rested, 2.0 / 0.3, 0.0);
}

// More than friction takes: the least push sends the wheel off, q̈ = t/4 + 0.2.
TEST_P(JumpingLaw, ThatMakesUpForTooMuchDrivesTheJointOff) {
  const SimulationResult result = run(wheel(0.5), jumping([](double t) { return 0.25 * t; }, 0.7), 0.0, 5.0);
  ASSERT_EQ(result.events.size(), 1U);
  expect_event(result, 0, 0.0, "slips");
  expect_end(result, 0.1 * 25.0 + 125.0 / 24.0, 1.0 + 25.0 / 8.0);
}

// The drive gives 0.4 at most: q̈ = (t - 0.2)/4 from 0.2 s on, and 0.1 from 0.6 s on.
TEST_P(JumpingLaw, IsCutAtTheEffortLimitOnBothSides) {
  JointLimits limits;
  limits.effort = 0.4;
  options.saturate = true;
  const SimulationResult result = run(wheel(0.3, limits), jumping([](double t) { return 0.25 * t; }, 0.25), 0.0, 5.0);
  ASSERT_EQ(result.events.size(), 1U);
  expect_event(result, 0, 0.2, "slips");
  expect_end(result, 0.4 * 0.4 * 0.4 / 24.0 + 0.02 * 4.4 + 0.05 * 4.4 * 4.4, 0.02 + 0.1 * 4.4);
}

// Pressed against its upper stop by 1 - t/2; as it starts down the law takes 0.3 off and friction adds 0.5: at 2.4 s.
TEST_P(JumpingLaw, DecidesWhenAJointLeavesItsStop) {
  JointLimits limits;
  limits.upper = 1.0;
  options.stops = true;
  const SimulationResult result =
      run(wheel(0.5, limits), jumping([](double t) { return 1.0 - 0.5 * t; }, 0.3), 0.0, 4.0, 1.0);
  ASSERT_EQ(result.events.size(), 1U);
  expect_event(result, 0, 2.4, "leaves its stop");
  expect_end(result, 1.0 - 1.6 * 1.6 * 1.6 / 12.0, -1.6 * 1.6 / 4.0);
}

INSTANTIATE_TEST_SUITE_P(Located, JumpingLaw,
                         ::testing::Values(Integrator::verner, Integrator::dormand_prince, Integrator::adams,
                                           Integrator::bdf));

// An arm with friction of every kind in every joint, and a motion of it.
struct Arm {
  std::string model;
  Values from, to, goal;
};
void PrintTo(const Arm& arm, std::ostream* out) { *out << arm.model; }

const std::vector<Arm> arms{
    {"puma560", {0.0, 0.7, -2.8, 0.0, 0.8, 0.0}, {1.0, 0.5, -1.0, 0.5, 0.5, 0.5}, {0.5, 0.2, 0.9}},
    {"ur5", {0.0, -1.0, 1.0, 0.0, 1.0, 0.0}, {1.0, -0.5, 0.5, 0.5, -1.0, 1.0}, {0.5, 0.2, 0.4}},
    {"panda", {0.0, 0.0, 0.0, -1.5, 0.0, 1.5, 0.0}, {0.5, 0.5, -0.5, -1.0, 0.5, 1.0, 1.0}, {0.4, 0.2, 0.5}}};

Robot with_friction(const std::string& model) {
  Robot robot = load_robot(std::string(CATENA_SOURCE_DIR) + "/models/" + model + ".toml");
  double coulomb = 5.0;
  for (JointDescription& joint : robot.joints)
    if (joint.moves() && joint.drive.coulomb == 0.0)
      joint.drive.coulomb = coulomb *= 0.7, joint.drive.viscous = 0.5 * coulomb;
  return robot;
}

Reference along(const Trajectory& motion) {
  return [motion](double t, std::span<double> q, std::span<double> qd, std::span<double> qdd) {
    motion.at(t, q, qd, qdd);
  };
}

// There and back again in two seconds.
Trajectory there_and_back(const Arm& arm) {
  return Trajectory::through(ProfileKind::quintic, {arm.from, arm.to, arm.from}, Values{0.0, 1.0, 2.0});
}
Trajectory there(const Arm& arm) {
  return Trajectory::through(ProfileKind::quintic, {arm.from, arm.to}, Values{0.0, 1.5});
}

const Gains usual{{100.0}, {20.0}};

SimulationResult run(const Mechanism& robot, const TorqueLaw& law, const Values& q, SimulationOptions options = {}) {
  return Simulation(robot, bounded(law), options).run(q, Values(static_cast<std::size_t>(robot.nv())), grid(2.0, 40));
}

void expect_sound(const SimulationResult& result) {
  EXPECT_TRUE(result.complete) << result.ended_by;
  EXPECT_LT(result.events.size(), 200U);
  EXPECT_LT(result.balance, 1e-6 * result.largest_energy);
}

class ArmsWithFriction : public ::testing::TestWithParam<Arm> {};

// The law knows the robot: what it makes up for and friction cancel, and the arm is where it should be.
TEST_P(ArmsWithFriction, FollowTheirMotion) {
  const Mechanism robot = make_mechanism(with_friction(GetParam().model));
  for (const auto law_of : {computed_torque_control, feedforward_control})
    for (const Trajectory& motion : {there(GetParam()), there_and_back(GetParam())}) {
      const SimulationResult result = run(robot, law_of(robot, usual, along(motion)), GetParam().from);
      expect_sound(result);
      Values q(GetParam().from), qd(q), qdd(q);
      for (const Sample& s : result.samples) {
        motion.at(s.t, q, qd, qdd);
        for (std::size_t j = 0; j < q.size(); ++j) EXPECT_NEAR(s.q[j], q[j], 1e-7) << s.t << " s, joint " << j;
      }
    }
}

TEST_P(ArmsWithFriction, FollowTheirLineUnderResolvedAcceleration) {
  const Mechanism robot = make_mechanism(with_friction(GetParam().model));
  Kinematics<double> kinematics(robot);
  kinematics.update(GetParam().from);
  const Pose<double> start = kinematics.pose(robot.tool);
  Pose<double> goal = start;
  goal.p = {GetParam().goal[0], GetParam().goal[1], GetParam().goal[2]};
  const FrameReference path = frame_path({start, goal}, 2.0);
  const TorqueLaw law = resolved_acceleration_control(robot, robot.tool, path, Directions::translation);
  const SimulationResult result = run(robot, law, GetParam().from);
  expect_sound(result);
  for (const Sample& s : result.samples) {
    kinematics.update(s.q);
    const Vec3<double> off = kinematics.pose(robot.tool).p - path(s.t).pose.p;
    EXPECT_LT(std::sqrt(dot(off, off)), 1e-7) << s.t;
  }
}

INSTANTIATE_TEST_SUITE_P(Shipped, ArmsWithFriction, ::testing::ValuesIn(arms),
                         [](const auto& tested) { return tested.param.model; });

// What acts on the arm beside its law, whose model may be another one.
struct Mix {
  std::string name;
  Robot robot, known;
  Values q;
  SimulationOptions options;
};

Robot scaled_friction(Robot robot, double factor) {
  for (JointDescription& joint : robot.joints) joint.drive.coulomb *= factor;
  return robot;
}

std::vector<Mix> mixes() {
  const Robot puma = with_friction("puma560");
  const Values q = arms.front().from, q5{q.begin(), q.end() - 1};
  std::vector<Mix> all{{"payload", add_payload(puma, "", {2.0, {0.0, 0.0, 0.05}, {}}), puma, q, {}},
                       {"half of the friction known", puma, scaled_friction(puma, 0.5), q, {}},
                       {"twice the friction known", puma, scaled_friction(puma, 2.0), q, {}},
                       {"friction unknown", puma, scaled_friction(puma, 0.0), q, {}},
                       {"effort limits", puma, puma, q, {}},
                       {"stops", puma, puma, q, {}}};
  all[4].options.saturate = true;
  for (JointDescription& joint : all[4].robot.joints) joint.limits.effort *= 0.3;
  all[5].options.stops = true;
  all[5].robot.joints[1].limits.upper = 0.75;
  const Robot locked = lock_joints(puma, {{"joint6", 0.3}});
  all.push_back({"a locked joint", locked, locked, q5, {}});
  Robot coupled = puma;
  coupled.joints[5].coupling = {{{"joint4", -0.5}}, 0.1};
  all.push_back({"a coupled joint", coupled, coupled, q5, {}});
  Robot passive = puma;
  passive.joints[4].passive = true;
  all.push_back({"a passive joint", passive, passive, q, {}});
  return all;
}

// At rest, moving and turning back, whatever is mixed: all integrators that locate events find the same motion.
TEST(DryFriction, MixesWithWhatElseActs) {
  for (const Mix& mix : mixes()) {
    SCOPED_TRACE(mix.name);
    const Mechanism robot = make_mechanism(mix.robot), known = make_mechanism(mix.known);
    Values to = arms.front().to;
    to.resize(mix.q.size());
    const Trajectory motion = there_and_back({"", mix.q, to, {}});
    const TorqueLaw law = computed_torque_control(known, usual, along(motion));
    const SimulationResult usually = run(robot, law, mix.q, mix.options);
    expect_sound(usually);
    for (const Integrator other : {Integrator::dormand_prince, Integrator::adams, Integrator::bdf}) {
      SimulationOptions options = mix.options;
      options.integrator = other;
      options.rtol = 1e-10, options.atol = 1e-12;
      const SimulationResult result = run(robot, law, mix.q, options);
      expect_sound(result);
      ASSERT_EQ(result.samples.size(), usually.samples.size());
      for (std::size_t k = 0; k < result.samples.size(); ++k)
        for (std::size_t j = 0; j < mix.q.size(); ++j)
          ASSERT_NEAR(result.samples[k].q[j], usually.samples[k].q[j], 2e-6)
              << result.samples[k].t << " s, joint " << j;
    }
  }
}

}  // namespace
}  // namespace catena::test::dry_friction_test
