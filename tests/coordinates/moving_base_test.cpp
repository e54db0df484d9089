// A base that moves as it is told: against robots that stand on a real track whose motion is prescribed, by all
// formulations that serve; closed forms; and what comes back. Other jobs: moving_base_jobs_test.cpp.
#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "catena/base_motion.hpp"
#include "catena/call.hpp"
#include "catena/dynamics.hpp"
#include "catena/kinematics.hpp"
#include "oracle/newton_world.hpp"
#include "support/allocations.hpp"
#include "support/formulations.hpp"
#include "support/nightly.hpp"
#include "support/on_track.hpp"
#include "support/tolerances.hpp"

namespace catena::test::moving_base_test {
namespace {

constexpr double bound = 1e-12;

using Motion = BaseMotion<double>;
Motion random_motion(Random& random) {
  return {random.vector(3.0), random.vector(3.0), random.vector(10.0), random.vector(5.0)};
}

TEST(MovingBase, TorquesAreThoseOfAnArmOnATrackWhoseMotionIsPrescribed) {
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    const OnTrack c = on_track(seed, 1 + static_cast<int>(seed % 8));
    const Mechanism robot = make_mechanism(c.arm);
    const std::size_t n = c.x.q.size();
    const oracle::Torques whole = oracle::inverse_dynamics(c.whole, c.all.q, c.all.qd, c.all.qdd);
    for (const std::string_view method : serving(robot, "inverse")) {
      SCOPED_TRACE(label_of(seed, method));
      const Values tau = call_moving(robot, "inverse", method, {.q = c.x.q, .qd = c.x.qd, .qdd = c.x.qdd}, c.motion);
      EXPECT_TRUE(near(tau, last_of(whole.tau, n), last_of(whole.scale, n), relative(bound)));
    }
    State slow = c.all;
    std::fill(slow.qdd.end() - static_cast<std::ptrdiff_t>(n), slow.qdd.end(), 0.0);
    const oracle::Torques biased = oracle::inverse_dynamics(c.whole, slow.q, slow.qd, slow.qdd);
    for (const std::string_view method : serving(robot, "bias")) {
      SCOPED_TRACE(label_of(seed, method));
      const Values b = call_moving(robot, "bias", method, {.q = c.x.q, .qd = c.x.qd}, c.motion);
      EXPECT_TRUE(near(b, last_of(biased.tau, n), last_of(biased.scale, n), relative(bound)));
    }
  }
}

TEST(MovingBase, TheTrackOfSixJointsIsTheOneItComputesWith) {
  for (const std::uint64_t seed : test::seeds(100, 120)) {
    const auto [robot, x] = sample(seed, 1 + static_cast<int>(seed % 6));
    const Mechanism arm = make_mechanism(robot), six = on_moving_base(arm);
    ASSERT_EQ(six.joints(), arm.joints() + base_joints);
    ASSERT_EQ(six.nv(), arm.nv());
    EXPECT_EQ(coordinate_names(six), coordinate_names(arm));
    // At zero every frame of the robot is where it was.
    Kinematics<double> alone(arm), carried(six);
    alone.update(x.q);
    carried.update(x.q);
    for (int k = 0; k < static_cast<int>(arm.frames.size()); ++k) {
      const Pose<double> a = alone.pose(k), b = carried.pose(k);
      const Vec3<double> p = a.p - b.p, r = a.R.column_x() - b.R.column_x();
      EXPECT_LT(std::sqrt(dot(p, p)) + std::sqrt(dot(r, r)), 1e-13) << seed << ", frame " << k;
    }
  }
}

TEST(MovingBase, WrenchesAlongTheWorldsAxesAreAlongThoseOfTheBaseLink) {
  for (const std::uint64_t seed : test::seeds(200, 220)) {
    const OnTrack c = on_track(seed, 1 + static_cast<int>(seed % 8));
    const Mechanism robot = make_mechanism(c.arm), whole = make_mechanism(c.whole);
    Random random(seed);
    const auto wrenches = random_wrenches(random, c.arm, 3);
    const auto pushes = on_whole(c, robot, whole, wrenches);
    const Values expected = torques(whole, "luh-walker-paul", c.all, pushes);
    const Values tau =
        call_moving(robot, "inverse", {}, {.q = c.x.q, .qd = c.x.qd, .qdd = c.x.qdd, .wrenches = wrenches}, c.motion);
    EXPECT_TRUE(near(tau, last_of(expected, tau.size()), relative(bound))) << seed;
  }
}

TEST(MovingBase, ALinearAccelerationIsAChangeOfGravity) {
  for (const std::uint64_t seed : test::seeds(300, 320)) {
    auto [robot, x] = sample(seed, 1 + static_cast<int>(seed % 10));
    Random random(seed);
    const Motion motion{random.vector(2.0), {}, random.vector(5.0), {}};
    const Mechanism arm = make_mechanism(robot);
    const Values tau = call_moving(arm, "inverse", {}, {.q = x.q, .qd = x.qd, .qdd = x.qdd}, motion);
    robot.gravity -= motion.acceleration;
    EXPECT_TRUE(near(tau, torques(make_mechanism(robot), {}, x), relative(bound))) << seed;
  }
}

// The base turns about the axis of the first joint, through its origin: nothing but that joint's rate is another.
TEST(MovingBase, ARotationAboutTheFirstAxisIsARateOfThatJoint) {
  for (const std::uint64_t seed : test::seeds(400, 420)) {
    Random random(seed);
    Robot robot = random_robot(
        random,
        {.joints = 1 + static_cast<int>(seed % 7), .mix = JointMix::revolute, .fixed_links = false, .shuffled = false});
    robot.joints.front().origin.p = {};
    State x = random_state(random, robot.dof());
    const Vec3<double> axis = robot.joints.front().origin.R * robot.joints.front().axis;
    const double rate = random.between(-3.0, 3.0), acceleration = random.between(-3.0, 3.0);
    const Motion motion{{}, rate * axis, {}, acceleration * axis};
    const Mechanism arm = make_mechanism(robot);
    const Values tau = call_moving(arm, "inverse", {}, {.q = x.q, .qd = x.qd, .qdd = x.qdd}, motion);
    x.qd[0] += rate, x.qdd[0] += acceleration;
    EXPECT_TRUE(near(tau, torques(arm, {}, x), relative(bound))) << seed;
  }
}

TEST(MovingBase, ABaseAtRestChangesNothing) {
  const auto [robot, arm, x] = regular(3, 7);
  const Values tau = torques(arm, {}, x);
  const Inputs<double> in = with_others<double>({.q = x.q, .qd = x.qd, .qdd = x.qdd, .tau = tau}, x.qdd);
  for (const JobInfo& job : jobs()) {
    const Values told = call_moving(arm, job.name, {}, in, {});
    EXPECT_EQ(told, call_job(on_moving_base(arm), job.name, {}, in)) << job.name;  // nothing is told
    if (job.gives(Kind::rows) || job.gives(Kind::factors)) continue;  // more columns; another order of elimination
    EXPECT_TRUE(near(told, call_job(arm, job.name, {}, in), relative(job.inverts_inertia ? 1e-9 : 1e-12))) << job.name;
  }
}

TEST(MovingBase, ForwardDynamicsReturnsTheAcceleration) {
  for (const std::uint64_t seed : test::seeds(500, 540)) {
    const OnTrack c = on_track(seed, 1 + static_cast<int>(seed % 8), true);
    const Mechanism robot = make_mechanism(c.arm);
    Random random(seed);
    const auto wrenches = random_wrenches(random, c.arm, 1);
    const Values tau =
        call_moving(robot, "inverse", {}, {.q = c.x.q, .qd = c.x.qd, .qdd = c.x.qdd, .wrenches = wrenches}, c.motion);
    for (const std::string_view method : serving(robot, "forward")) {
      SCOPED_TRACE(label_of(seed, method));
      const Values qdd =
          call_moving(robot, "forward", method, {.q = c.x.q, .qd = c.x.qd, .tau = tau, .wrenches = wrenches}, c.motion);
      EXPECT_TRUE(
          near(qdd, c.x.qdd, std::max(1.0, largest(c.x.qdd)), relative(method == "conjugate-gradient" ? 1e-6 : 1e-8)));
    }
  }
}

TEST(MovingBase, HybridDynamicsGivesBothHalvesAndKeepsTorquesThatWereGiven) {
  for (const std::uint64_t seed : test::seeds(600, 640)) {
    OnTrack c = on_track(seed, 1 + static_cast<int>(seed % 8), true);
    Random random(seed);
    for (JointDescription& joint : c.arm.joints) joint.passive = joint.type != JointType::fixed && random.chance(0.4);
    const Mechanism robot = make_mechanism(c.arm);
    const std::size_t n = c.x.q.size();
    const Values needed = call_moving(robot, "inverse", {}, {.q = c.x.q, .qd = c.x.qd, .qdd = c.x.qdd}, c.motion);
    for (const std::string_view method : serving(robot, "hybrid")) {
      SCOPED_TRACE(label_of(seed, method));
      const Values out = call_moving(
          robot, "hybrid", method,
          with_others<double>({.q = c.x.q, .qd = c.x.qd, .qdd = c.x.qdd, .tau = needed}, c.x.qdd), c.motion);
      const Values qdd(out.begin(), out.begin() + static_cast<std::ptrdiff_t>(n)), tau = last_of(out, n);
      EXPECT_TRUE(near(qdd, c.x.qdd, std::max(1.0, largest(c.x.qdd)), relative(1e-8)));
      EXPECT_TRUE(near(tau, needed, relative(1e-8)));
      for (std::size_t j = 0; j < n; ++j) EXPECT_TRUE(!robot.is_passive(Coordinate(j)) || tau[j] == needed[j]);
    }
  }
}

TEST(MovingBase, FloatAgreesWithDouble) {
  for (const std::uint64_t seed : test::seeds(770, 780)) {
    const auto [robot, x] = sample(seed, 5);
    const Mechanism arm = make_mechanism(robot);
    const auto q = as<float>(x.q), qd = as<float>(x.qd);
    Call<float> single(on_moving_base(arm), "bias");
    const auto told = BaseMotion<float>{{1, 2, 3}, {-1, 0.5F, 2}, {3, 2, 1}, {1, -1, 1}}.numbers();
    std::vector<float> found(q.size());
    single({.q = q, .qd = qd, .base = told}, found);
    const Values expected =
        call_moving(arm, "bias", {}, {.q = x.q, .qd = x.qd}, {{1, 2, 3}, {-1, 0.5, 2}, {3, 2, 1}, {1, -1, 1}});
    EXPECT_TRUE(near(to_values(found), expected, std::max(1.0, largest(expected)), {1e-4})) << seed;
  }
}

TEST(MovingBase, WhatCannotBeIsSaid) {
  const Mechanism robot = on_moving_base(make_mechanism(sample(1, 3).robot));
  EXPECT_THROW(on_moving_base(robot), std::invalid_argument);
  const Values three(3), two(2), eleven(11);
  Values out(3);
  Call<double> bias(robot, "bias");
  EXPECT_THROW(bias({.q = two, .qd = three}, out), std::invalid_argument);
  EXPECT_THROW(bias({.q = three, .qd = two}, out), std::invalid_argument);
  EXPECT_THROW(bias({.q = three, .qd = three, .base = eleven}, out), std::invalid_argument);
  EXPECT_THROW(ForwardDynamics<double>(robot).factor(three, three), std::invalid_argument);  // in two halves
  for (const std::size_t k : {1U, 4U, 7U, 10U}) {
    auto told = Motion{}.numbers();
    told[k] = std::nan("");
    EXPECT_EQ(message_of<std::domain_error>([&] { bias({.q = three, .qd = three, .base = told}, out); }),
              "base[" + std::to_string(k) + "] is not a finite number");
  }
}

TEST(MovingBase, CallsAllocateNothing) {
  for (const std::uint64_t seed : test::seeds(800, 810)) {
    const auto [robot, mechanism, x] = regular(seed, 1 + static_cast<int>(seed % 12));
    Random random(seed);
    const auto told = random_motion(random).numbers();
    for (const JobInfo& job : jobs()) {
      Call<double> call(on_moving_base(mechanism), job.name);
      Values out(call.size());
      const NoAlloc guard;
      for (int repeat = 0; repeat < 3; ++repeat)
        call(with_others<double>({.q = x.q, .qd = x.qd, .qdd = x.qdd, .tau = x.qdd, .base = told}, x.qdd), out);
    }
  }
}

}  // namespace
}  // namespace catena::test::moving_base_test
