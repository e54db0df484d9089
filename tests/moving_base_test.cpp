// A base that moves as it is told: against robots that stand on a real track whose motion is prescribed, by all
// formulations; closed forms; and what comes back.
#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "catena/dynamics/around/moving_base.hpp"
#include "catena/dynamics/kinematics.hpp"
#include "catena/model/join.hpp"
#include "oracle/newton_world.hpp"
#include "support/allocations.hpp"
#include "support/factor_robots.hpp"
#include "support/formulations.hpp"
#include "support/tolerances.hpp"

namespace catena::test::moving_base_test {
namespace {

constexpr double bound = 1e-12;

using Motion = BaseMotion<double>;
Motion random_motion(Random& random) {
  return {random.vector(3.0), random.vector(3.0), random.vector(10.0), random.vector(5.0)};
}

// Joints one behind the other that carry something: slides, turntables, or both, anywhere.
Robot random_track(Random& random, int joints) {
  Robot track;
  track.add_link("ground");
  for (int k = 0; k < joints; ++k) {
    const int link = track.add_link("carriage" + std::to_string(k), random_inertial(random));
    JointDescription joint;
    joint.name = "track" + std::to_string(k);
    joint.type = random.chance(0.5) ? JointType::prismatic : JointType::revolute;
    joint.parent = link - 1, joint.child = link;
    joint.origin = {random.rotation(), random.vector(1.0)};
    joint.axis = random.direction();
    track.add_joint(joint);
  }
  track.gravity = 9.81 * random.direction();
  return track;
}

// An arm on a track in some state; the arm alone, with gravity as it is along the axes of its base link; and how that
// link moves.
struct OnTrack {
  Robot arm, whole;
  State x, all;  // of the arm, and with the track's joints before it
  Pose<double> base;
  Motion motion;
};
OnTrack put_on_track(Random& random, Robot arm, const State& x, int joints) {
  const Robot track = random_track(random, joints);
  OnTrack out{std::move(arm), {}, x, random_state(random, joints), {}, {}};
  const int carriage = static_cast<int>(track.links.size()) - 1;
  Kinematics<double> kinematics(make_mechanism(track));
  kinematics.update(out.all.q, out.all.qd, out.all.qdd);
  const Pose<double> at = kinematics.pose(carriage);
  const FrameMotion<double> moves = kinematics.motion(carriage);
  JointDescription mount;
  mount.type = JointType::fixed;
  mount.origin = {random.rotation(), random.vector(0.5)};
  out.base = at * mount.origin;
  const Vec3<double> arm_of = at.R * mount.origin.p;
  const Mat3<double> to_link = out.base.R.transpose();
  const Vec3<double> v = moves.velocity + cross(moves.omega, arm_of);
  const Vec3<double> a =
      moves.acceleration + cross(moves.omega_dot, arm_of) + cross(moves.omega, cross(moves.omega, arm_of));
  out.motion = {to_link * v, to_link * moves.omega, to_link * (a - cross(moves.omega, v)), to_link * moves.omega_dot};
  out.arm.gravity = to_link * track.gravity;
  out.whole = join(track, track.links.back().name, out.arm, mount, "arm_");
  for (auto [list, own] : {std::pair(&out.all.q, &x.q), {&out.all.qd, &x.qd}, {&out.all.qdd, &x.qdd}})
    list->insert(list->end(), own->begin(), own->end());
  return out;
}
OnTrack on_track(std::uint64_t seed, int joints, bool regular_inertia = false) {
  Random random(seed + 7'000'000);
  RobotSample arm = sample(seed, joints);
  if (regular_inertia) {
    Regular made = regular(seed, joints);
    arm = {made.robot, made.x};
  }
  return put_on_track(random, std::move(arm.robot), arm.state, 1 + random.below(4));
}
Values last(const Values& values, std::size_t n) {
  return {values.end() - static_cast<std::ptrdiff_t>(n), values.end()};
}
std::string label(std::uint64_t seed, std::string_view method) {
  return "robot " + std::to_string(seed) + ", " + (method.empty() ? "default" : std::string(method));
}

Values run_moving(const Mechanism& robot, std::string_view job, std::string_view method, const Inputs<double>& in,
                  const Motion& motion) {
  Call<double> call(robot, job, method);
  Values out(call.size());
  MovingBase<double>(robot).run(call, in, motion, out);
  return out;
}

TEST(MovingBase, TorquesAreThoseOfAnArmOnATrackWhoseMotionIsPrescribed) {
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    const OnTrack c = on_track(seed, 1 + static_cast<int>(seed % 8));
    const Mechanism robot = make_mechanism(c.arm);
    const std::size_t n = c.x.q.size();
    const oracle::Torques whole = oracle::inverse_dynamics(c.whole, c.all.q, c.all.qd, c.all.qdd);
    for (const std::string_view method : names_of("inverse")) {
      SCOPED_TRACE(label(seed, method));
      const Values tau = run_moving(robot, "inverse", method, {.q = c.x.q, .qd = c.x.qd, .qdd = c.x.qdd}, c.motion);
      EXPECT_TRUE(near(tau, last(whole.tau, n), last(whole.scale, n), relative(bound)));
    }
    State slow = c.all;
    std::fill(slow.qdd.end() - static_cast<std::ptrdiff_t>(n), slow.qdd.end(), 0.0);
    const oracle::Torques biased = oracle::inverse_dynamics(c.whole, slow.q, slow.qd, slow.qdd);
    for (const std::string_view method : names_of("bias")) {
      SCOPED_TRACE(label(seed, method));
      const Values b = run_moving(robot, "bias", method, {.q = c.x.q, .qd = c.x.qd}, c.motion);
      EXPECT_TRUE(near(b, last(biased.tau, n), last(biased.scale, n), relative(bound)));
    }
  }
}

TEST(MovingBase, TheTrackOfSixJointsIsTheOneItComputesWith) {
  for (std::uint64_t seed = 100; seed < 120; ++seed) {
    const auto [robot, x] = sample(seed, 1 + static_cast<int>(seed % 6));
    const Mechanism arm = make_mechanism(robot), six = on_moving_base(arm);
    ASSERT_EQ(six.n(), arm.n() + base_joints);
    // At zero every frame of the robot is where it was.
    Values q(index(six.n()));
    std::copy(x.q.begin(), x.q.end(), q.begin() + base_joints);
    Kinematics<double> alone(arm), carried(six);
    alone.update(x.q);
    carried.update(q);
    for (int k = 0; k < static_cast<int>(arm.frames.size()); ++k) {
      const Pose<double> a = alone.pose(k), b = carried.pose(k);
      const Vec3<double> p = a.p - b.p, r = a.R.column_x() - b.R.column_x();
      EXPECT_LT(std::sqrt(dot(p, p)) + std::sqrt(dot(r, r)), 1e-13) << seed << ", frame " << k;
    }
  }
}

TEST(MovingBase, WrenchesAlongTheWorldsAxesAreAlongThoseOfTheBaseLink) {
  for (std::uint64_t seed = 200; seed < 220; ++seed) {
    const OnTrack c = on_track(seed, 1 + static_cast<int>(seed % 8));
    const Mechanism robot = make_mechanism(c.arm), whole = make_mechanism(c.whole);
    Random random(seed);
    const auto wrenches = random_wrenches(random, c.arm, 3);
    auto on_whole = wrenches;
    for (auto& w : on_whole) {
      const std::string& name = robot.frames[index(w.frame)].name;
      const int prefixed = whole.frame_index("arm_" + name);
      w.frame = prefixed < 0 ? whole.frame_index(name) : prefixed;
      ASSERT_GE(w.frame, 0);
      if (w.axes == Axes::world) w.force = c.base.R * w.force, w.moment = c.base.R * w.moment;
    }
    const Values expected = torques(whole, "luh-walker-paul", c.all, on_whole);
    const Values tau =
        run_moving(robot, "inverse", {}, {.q = c.x.q, .qd = c.x.qd, .qdd = c.x.qdd, .wrenches = wrenches}, c.motion);
    EXPECT_TRUE(near(tau, last(expected, tau.size()), relative(bound))) << seed;
  }
}

TEST(MovingBase, ALinearAccelerationIsAChangeOfGravity) {
  for (std::uint64_t seed = 300; seed < 320; ++seed) {
    auto [robot, x] = sample(seed, 1 + static_cast<int>(seed % 10));
    Random random(seed);
    const Motion motion{random.vector(2.0), {}, random.vector(5.0), {}};
    const Mechanism arm = make_mechanism(robot);
    const Values tau = run_moving(arm, "inverse", {}, {.q = x.q, .qd = x.qd, .qdd = x.qdd}, motion);
    robot.gravity -= motion.acceleration;
    EXPECT_TRUE(near(tau, torques(make_mechanism(robot), {}, x), relative(bound))) << seed;
  }
}

// The base turns about the axis of the first joint, through its origin: nothing but that joint's rate is another.
TEST(MovingBase, ARotationAboutTheFirstAxisIsARateOfThatJoint) {
  for (std::uint64_t seed = 400; seed < 420; ++seed) {
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
    const Values tau = run_moving(arm, "inverse", {}, {.q = x.q, .qd = x.qd, .qdd = x.qdd}, motion);
    x.qd[0] += rate, x.qdd[0] += acceleration;
    EXPECT_TRUE(near(tau, torques(arm, {}, x), relative(bound))) << seed;
  }
}

TEST(MovingBase, ABaseAtRestChangesNothing) {
  const auto [robot, x] = sample(3, 7);
  const Mechanism arm = make_mechanism(robot);
  const Values tau = run_moving(arm, "inverse", {}, {.q = x.q, .qd = x.qd, .qdd = x.qdd}, {});
  EXPECT_TRUE(near(tau, torques(arm, {}, x), relative(1e-14)));
}

TEST(MovingBase, ForwardDynamicsReturnsTheAcceleration) {
  for (std::uint64_t seed = 500; seed < 540; ++seed) {
    const OnTrack c = on_track(seed, 1 + static_cast<int>(seed % 8), true);
    const Mechanism robot = make_mechanism(c.arm);
    Random random(seed);
    const auto wrenches = random_wrenches(random, c.arm, 1);
    const Values tau =
        run_moving(robot, "inverse", {}, {.q = c.x.q, .qd = c.x.qd, .qdd = c.x.qdd, .wrenches = wrenches}, c.motion);
    for (const std::string_view method : names_of("forward")) {
      SCOPED_TRACE(label(seed, method));
      const Values qdd =
          run_moving(robot, "forward", method, {.q = c.x.q, .qd = c.x.qd, .tau = tau, .wrenches = wrenches}, c.motion);
      EXPECT_TRUE(
          near(qdd, c.x.qdd, std::max(1.0, largest(c.x.qdd)), relative(method == "conjugate-gradient" ? 1e-6 : 1e-8)));
    }
  }
}

TEST(MovingBase, HybridDynamicsGivesBothHalvesAndKeepsTorquesThatWereGiven) {
  for (std::uint64_t seed = 600; seed < 640; ++seed) {
    OnTrack c = on_track(seed, 1 + static_cast<int>(seed % 8), true);
    Random random(seed);
    for (JointDescription& joint : c.arm.joints) joint.passive = joint.type != JointType::fixed && random.chance(0.4);
    const Mechanism robot = make_mechanism(c.arm);
    const std::size_t n = c.x.q.size();
    const Values needed = run_moving(robot, "inverse", {}, {.q = c.x.q, .qd = c.x.qd, .qdd = c.x.qdd}, c.motion);
    for (const std::string_view method : names_of("hybrid")) {
      SCOPED_TRACE(label(seed, method));
      const Values out =
          run_moving(robot, "hybrid", method, {.q = c.x.q, .qd = c.x.qd, .qdd = c.x.qdd, .tau = needed}, c.motion);
      const Values qdd(out.begin(), out.begin() + static_cast<std::ptrdiff_t>(n)), tau = last(out, n);
      EXPECT_TRUE(near(qdd, c.x.qdd, std::max(1.0, largest(c.x.qdd)), relative(1e-8)));
      EXPECT_TRUE(near(tau, needed, relative(1e-8)));
      for (std::size_t j = 0; j < n; ++j) EXPECT_TRUE(robot.passive[j] == 0 || tau[j] == needed[j]);
    }
  }
}

TEST(MovingBase, FloatAgreesWithDouble) {
  for (std::uint64_t seed = 700; seed < 710; ++seed) {
    const auto [robot, x] = sample(seed, 5);
    const Mechanism arm = make_mechanism(robot);
    const auto q = as<float>(x.q), qd = as<float>(x.qd);
    MovingBase<float> single(arm);
    MovingBase<double> whole(arm);
    const Values expected = to_values(whole.forces(x.q, x.qd, {{1, 2, 3}, {-1, 0.5, 2}, {3, 2, 1}, {1, -1, 1}}));
    const Values found = to_values(single.forces(q, qd, {{1, 2, 3}, {-1, 0.5F, 2}, {3, 2, 1}, {1, -1, 1}}));
    EXPECT_TRUE(near(found, expected, std::max(1.0, largest(expected)), {1e-4})) << seed;
  }
}

TEST(MovingBase, WhatCannotBeIsSaid) {
  const Mechanism robot = make_mechanism(sample(1, 3).robot);
  MovingBase<double> base(robot);
  const Values three(3), two(2);
  EXPECT_THROW(base.forces(two, three, {}), std::invalid_argument);
  EXPECT_THROW(base.forces(three, two, {}), std::invalid_argument);
  for (int k = 0; k < 4; ++k) {
    Motion motion;
    (k == 0   ? motion.velocity
     : k == 1 ? motion.angular_velocity
     : k == 2 ? motion.acceleration
              : motion.angular_acceleration)
        .y = std::nan("");
    try {
      base.forces(three, three, motion);
      FAIL();
    } catch (const std::domain_error& error) {
      EXPECT_STREQ(error.what(), "the motion of the base is not a finite number");
    }
  }
  for (const JobInfo& job : jobs()) {
    Call<double> call(robot, job.name);
    Values out(call.size());
    const bool follows = job.name == "inverse" || job.name == "bias" || job.name == "forward" || job.name == "hybrid";
    EXPECT_EQ(follows_base(job), follows) << job.name;
    if (follows) continue;
    EXPECT_THROW(base.run(call, {.q = three, .qd = three}, {}, out), std::invalid_argument) << job.name;
  }
  Call<double> other(make_mechanism(sample(1, 4).robot), "bias");
  Values out(other.size());
  EXPECT_THROW(base.run(other, {.q = three, .qd = three}, {}, out), std::invalid_argument);
}

TEST(MovingBase, CallsAllocateNothing) {
  for (std::uint64_t seed = 800; seed < 810; ++seed) {
    const auto [robot, mechanism, x] = regular(seed, 1 + static_cast<int>(seed % 12));
    Random random(seed);
    const Motion motion = random_motion(random);
    for (const char* job : {"inverse", "bias", "forward", "hybrid"}) {
      Call<double> call(mechanism, job);
      MovingBase<double> base(mechanism);
      Values out(call.size());
      const NoAlloc guard;
      for (int repeat = 0; repeat < 3; ++repeat)
        base.run(call, {.q = x.q, .qd = x.qd, .qdd = x.qdd, .tau = x.qdd}, motion, out);
    }
  }
}

}  // namespace
}  // namespace catena::test::moving_base_test
