// Gripping and letting go while moving: momentum, energy, and the run against one that was changed by hand.
#include "catena/progressive.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "catena/call.hpp"
#include "catena/kinematics.hpp"
#include "catena/robot_file.hpp"
#include "catena/simulation.hpp"
#include "support/nightly.hpp"
#include "support/random_robot.hpp"
#include "support/tolerances.hpp"

namespace catena::test::progressive_test {
namespace {

using Handle = Assembly::Handle;

Robot shipped(const std::string& name) { return load_robot(CATENA_SOURCE_DIR "/models/" + name + ".toml"); }
JointDescription joint_of(JointType type, const Vec3<double>& axis = {0.0, 0.0, 1.0}) {
  JointDescription joint;
  joint.type = type;
  joint.axis = axis;
  joint.name = "grip";
  return joint;
}
Values times(double end, int count) {
  Values out;
  for (int k = 0; k <= count; ++k) out.push_back(end * k / count);
  return out;
}

// Where the gripper is and how it moves.
FrameMotion<double> motion_of(const Mechanism& robot, int frame, const Values& q, const Values& qd) {
  Kinematics<double> kinematics(robot);
  const Values still(q.size());
  kinematics.update(q, qd, still);
  return kinematics.motion(frame);
}

struct Grip {
  Robot robot;
  Assembly assembly;
  State x;
  std::string frame;
  Grip(std::uint64_t seed, Random& random)
      : robot(random_robot(random, {.joints = 1 + static_cast<int>(seed % 7),
                                    .shape = seed % 2 ? Shape::tree : Shape::chain,
                                    .massless_links = false,
                                    .drives = seed % 3 == 0})),
        assembly(robot),
        x(random_state(random, assembly.joints())) {
    const auto& frames = assembly.mechanism().frames;
    frame = frames[static_cast<std::size_t>(random.below(static_cast<int>(frames.size())))].name;
  }
};

// What moves with the gripper already is gripped without a jerk; anything else costs energy, and momentum stays.
TEST(Grip, KeepsMomentumAndNeverGainsEnergy) {
  for (const std::uint64_t seed : test::seeds(0, 400)) {
    Random random(seed);
    Grip g(seed, random);
    const Mechanism before = g.assembly.mechanism();
    const JointType types[] = {JointType::fixed, JointType::revolute, JointType::prismatic};
    const auto part =
        std::make_shared<Part>("load", random_inertial(random), joint_of(types[seed % 3], random.direction()));
    const FrameMotion<double> m = motion_of(before, before.frame_index(g.frame), g.x.q, g.x.qd);
    const Handle handle = g.assembly.attach(g.frame, part);
    const std::size_t n = index(g.assembly.joints());
    Values q = g.x.q, along(n), hit(n);
    q.resize(n);
    const ChangeRecord smooth =
        grip(before, g.assembly, handle, q, g.x.qd, {.velocity = m.velocity, .omega = m.omega}, along);
    Values expected = g.x.qd;
    expected.resize(n);  // nothing moves in the new joint
    EXPECT_TRUE(near(along, expected, largest(expected) + 1.0, relative(1e-9))) << "robot " << seed;
    const double size = smooth.kinetic_before + smooth.kinetic_of_part;
    EXPECT_NEAR(smooth.lost, 0.0, 1e-11 * (size + 1.0)) << "robot " << seed;
    const ChangeRecord impact =
        grip(before, g.assembly, handle, q, g.x.qd, {.velocity = random.vector(2.0), .omega = random.vector(3.0)}, hit);
    EXPECT_GE(impact.lost, -1e-11 * size) << "robot " << seed;
    EXPECT_TRUE(near(impact.momentum, impact.momentum_before, relative(1e-10))) << "robot " << seed;
  }
}

// Without gravity and friction, drives at rest, a spinning arm keeps its moment of momentum about its first joint,
// whatever it grips that stands still or moves along; and the energy account closes.
TEST(ProgressiveSimulation, KeepsMomentumAboutAFreeAxis) {
  Robot robot = shipped("pelican");
  robot.gravity = {};
  Assembly assembly(robot);
  const auto load = std::make_shared<Part>("load", Inertial{1.0, {0.1, 0.02, 0.0}, {0.01, 0.02, 0.03, 0.0, 0.0, 0.0}},
                                           joint_of(JointType::revolute));
  ProgressiveSimulation simulation(assembly, [](const Mechanism&) { return zero_torque(); });
  Handle handle = 0;
  simulation.at_time(0.5, "grip", [&](Change& change) { handle = change.attach("link2", load); });
  const Values q{0.3, 0.9}, qd{2.0, -1.0};
  const ProgressiveResult result = simulation.run(q, qd, times(1.5, 30));
  ASSERT_TRUE(result.complete) << result.ended_by;
  ASSERT_EQ(result.segments.size(), 2u);
  ASSERT_EQ(result.changes.size(), 1u);
  EXPECT_EQ(result.segments[1].joints.size(), 3u);
  const auto about_first_joint = [](const Mechanism& m, const Sample&, const Values& at, const Values& speed) {
    Values M(at.size() * at.size());
    Call<double>(m, "inertia")({.q = at}, M);
    double sum = 0.0;
    for (std::size_t j = 0; j < at.size(); ++j) sum += M[j] * speed[j];
    return sum;
  };
  const Mechanism empty = make_mechanism(robot);
  const double start = about_first_joint(empty, {}, q, qd);
  for (const auto& s : result.segments[0].result.samples)
    EXPECT_NEAR(about_first_joint(empty, {}, s.q, s.qd), start, 1e-8);
  for (const auto& s : result.segments[1].result.samples)
    EXPECT_NEAR(about_first_joint(assembly.mechanism(), {}, s.q, s.qd), start, 1e-8);
  EXPECT_GT(result.changes[0].lost, 0.01);
  EXPECT_LT(result.balance, 1e-8);
  // The old joints are continuous in position.
  const auto& last = result.segments[0].result.samples.back();
  const auto& first = result.segments[1].result.samples.front();
  EXPECT_EQ(last.t, first.t);
  for (std::size_t j = 0; j < 2; ++j) EXPECT_EQ(last.q[j], first.q[j]);
  EXPECT_EQ(first.q[2], 0.0);
}

// Gripped at rest, carried, let go, gripped again: what happens between is what a model written from scratch does.
TEST(ProgressiveSimulation, IsTheRunOfAModelFromScratchBetweenChanges) {
  for (const std::uint64_t seed : test::seeds(0, 6)) {
    Random random(seed);
    Grip g(2 + seed, random);
    const auto part = std::make_shared<Part>("load", random_inertial(random),
                                             joint_of(seed % 2 ? JointType::revolute : JointType::fixed));
    ProgressiveSimulation simulation(g.assembly, [](const Mechanism&) { return zero_torque(); });
    Handle handle = 0;
    Robot loaded;
    simulation.at_time(0.1, "grip", [&](Change& change) {
      handle = change.attach(g.frame, part, "a_", {.velocity = {0.1, 0.2, -0.1}, .omega = {0.5, 0.0, 0.1}});
      loaded = change.assembly().robot();
    });
    simulation.at_time(0.15, "heavier", [&](Change& change) {
      Inertial more = random_inertial(random);
      change.replace_inertia(handle, "", more);
    });
    simulation.at_time(0.2, "let go", [&](Change& change) { change.detach(handle); });
    const ProgressiveResult result = simulation.run(g.x.q, g.x.qd, times(0.3, 30));
    ASSERT_TRUE(result.complete) << result.ended_by;
    ASSERT_EQ(result.segments.size(), 4u);
    double size = 1.0;
    for (const Segment& segment : result.segments) size = std::max(size, segment.result.largest_energy);
    EXPECT_LT(result.balance, 1e-7 * size) << seed;
    const auto& run = result.segments[1].result.samples;
    Values at;
    for (const auto& s : run) at.push_back(s.t);
    Simulation scratch(make_mechanism(loaded), zero_torque());
    const SimulationResult expected = scratch.run(run.front().q, run.front().qd, at);
    EXPECT_TRUE(near(run.back().q, expected.samples.back().q, relative(1e-6))) << seed;
    EXPECT_EQ(result.segments[3].joints, result.segments[0].joints);
  }
}

TEST(ProgressiveSimulation, SaysWhatCannotBeDone) {
  Assembly assembly(shipped("pelican"));
  ProgressiveSimulation simulation(assembly, [](const Mechanism&) { return zero_torque(); });
  simulation.at_time(0.2, "grip", [&](Change& change) {
    change.attach("nowhere", std::make_shared<Part>("load", Inertial{1.0, {}, {}}));
  });
  const ProgressiveResult result = simulation.run(Values{0.0, 0.0}, Values{0.0, 0.0}, times(1.0, 10));
  EXPECT_FALSE(result.complete);
  EXPECT_NE(result.ended_by.find("no link or frame 'nowhere'"), std::string::npos) << result.ended_by;
  EXPECT_EQ(assembly.joints(), 2);
  EXPECT_NEAR(result.segments.back().result.samples.back().t, 0.2, 1e-9);
}

}  // namespace
}  // namespace catena::test::progressive_test
