// Runs on a base that moves as it is told: as on real tracks, with gravity that turns, friction, stops and changes.
#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "catena/changes.hpp"
#include "catena/dynamics.hpp"
#include "catena/kinematics.hpp"
#include "catena/progressive.hpp"
#include "catena/simulation.hpp"
#include "support/random_robot.hpp"
#include "support/runs.hpp"
#include "support/tolerances.hpp"

namespace catena::test::moving_base_run_test {
namespace {

using Motion = BaseMotion<double>;
Values last(const Values& values, std::size_t n) {
  return {values.end() - static_cast<std::ptrdiff_t>(n), values.end()};
}

// An arm of three joints, some friction, swinging freely.
Robot swinging_arm() {
  Random random(17);
  Robot arm = random_robot(
      random,
      {.joints = 3, .mix = JointMix::revolute, .fixed_links = false, .massless_links = false, .shuffled = false});
  arm.gravity = {0.0, 0.0, -9.81};
  for (JointDescription& joint : arm.joints) joint.drive.viscous = 0.1;
  return arm;
}

// One real joint behind the other, from the ground to the base link.
Robot track_of(const std::vector<JointDescription>& joints, const Vec3<double>& gravity) {
  Robot track;
  track.add_link("ground");
  track.gravity = gravity;
  for (JointDescription joint : joints) {
    joint.parent = static_cast<int>(track.links.size()) - 1;
    joint.child = track.add_link("carriage" + std::to_string(joint.parent), {1.0, {}, {1.0, 1.0, 1.0, 0.0, 0.0, 0.0}});
    joint.name = "track" + std::to_string(joint.parent);
    track.add_joint(joint);
  }
  return track;
}

// The arm on such a track, whose accelerations are a function of its positions: hybrid dynamics with the torques of the
// arm given.
SimulationResult run_on_track(const Robot& arm, const Robot& track, const Values& rates,
                              const std::function<double(double)>& acceleration, const Values& times) {
  JointDescription mount;
  mount.type = JointType::fixed;
  Robot whole = join(track, track.links.back().name, arm, mount, "arm_");
  for (JointDescription& joint : whole.joints)
    joint.passive = joint.type != JointType::fixed && !joint.name.starts_with("track");
  SimulationOptions options = tight(1e-12);
  options.forward = [&](const Mechanism& robot) -> ForwardCall {
    return [call = std::make_shared<HybridDynamics<double>>(robot), at = acceleration, joints = rates.size()](
               auto q, auto qd, auto tau, auto qdd) {
      Values given(q.size()), found(q.size());
      for (std::size_t j = 0; j < joints; ++j) given[j] = at(q[j]);
      call->operator()(q, qd, given, tau, qdd, found);
    };
  };
  Simulation simulation(make_mechanism(whole), zero_torque(), options);
  Values q(index(whole.dof())), qd(q.size());
  std::copy(rates.begin(), rates.end(), qd.begin());
  return simulation.run(q, qd, times);
}

SimulationResult run_moving_base(const Robot& arm, const BaseLaw& law, const Values& times,
                                 SimulationOptions options = tight(1e-12)) {
  options.base_motion = law;
  Simulation simulation(make_mechanism(arm), zero_torque(), options);
  const Values still(index(arm.dof()));
  return simulation.run(still, still, times);
}

void expect_same_motion(const SimulationResult& moving, const SimulationResult& track) {
  ASSERT_TRUE(moving.complete) << moving.ended_by;
  ASSERT_TRUE(track.complete) << track.ended_by;
  const std::size_t n = moving.samples.front().q.size();
  for (std::size_t k = 0; k < moving.samples.size(); ++k) {
    const auto& [a, b] = std::pair(moving.samples[k], track.samples[k]);
    EXPECT_TRUE(near(a.q, last(b.q, n), 1.0, relative(1e-8))) << "at t = " << a.t;
    EXPECT_TRUE(near(a.qd, last(b.qd, n), 1.0, relative(1e-8))) << "at t = " << a.t;
  }
  EXPECT_GT(largest(moving.samples.back().q), 0.1);
  EXPECT_LT(moving.balance, 1e-9 * std::max(1.0, moving.largest_energy));
}

TEST(MovingBaseRun, OnAnAcceleratingCartAnArmSwingsAsOnARealOne) {
  const Robot arm = swinging_arm();
  JointDescription rail;
  rail.type = JointType::prismatic;
  rail.axis = {0.6, 0.0, 0.8};
  const Values times = grid(2.0, 20);
  const auto track = run_on_track(
      arm, track_of({rail}, arm.gravity), {1.5}, [](double) { return 2.0; }, times);
  const auto moving =
      run_moving_base(arm, constant_base_acceleration({0.9, 0, 1.2, 0, 0, 0}, {1.2, 0, 1.6, 0, 0, 0}), times);
  expect_same_motion(moving, track);
  EXPECT_NE(moving.samples.back().base_work, 0.0);
}

// A ship that rolls, φ = A sin wt about an axis that does not go through the base: gravity turns with it.
TEST(MovingBaseRun, OnARollingShipAnArmSwingsAsOnARealOne) {
  const Robot arm = swinging_arm();
  const double w = 2.0, amplitude = 0.7;
  const Vec3<double> axis{1.0, 0.0, 0.0}, place{0.3, 0.5, 1.0};  // of the base link's origin, from the axis
  JointDescription roll;
  roll.type = JointType::revolute;
  roll.axis = axis;
  roll.child_frame.p = place;
  const BaseLaw ship = [=](double t) {
    const Vec3<double> omega = amplitude * w * std::cos(w * t) * axis;
    const Vec3<double> alpha = -amplitude * w * w * std::sin(w * t) * axis;
    return Motion{cross(omega, place), omega, cross(alpha, place), alpha};
  };
  const Values times = grid(3.0, 30);
  const auto track = run_on_track(
      arm, track_of({roll}, arm.gravity), {amplitude * w}, [=](double phi) { return -w * w * phi; }, times);
  const auto moving = run_moving_base(arm, ship, times);
  expect_same_motion(moving, track);
  for (const catena::Sample& s : moving.samples) {
    const double half = 0.5 * amplitude * std::sin(w * s.t);
    EXPECT_NEAR(s.base_orientation[0], std::sin(half), 1e-9);
    EXPECT_NEAR(s.base_orientation[3], std::cos(half), 1e-9);
  }
}

// The same with roll and pitch, one on the other, each φ = A sin wt: the axis of rotation turns in the base link, and
// components of v change otherwise than v.
TEST(MovingBaseRun, OnAShipThatRollsAndPitchesAnArmSwingsAsOnARealOne) {
  const Robot arm = swinging_arm();
  const double w = 2.0, roll_by = 0.8, pitch_by = -0.6;
  JointDescription roll, pitch;
  roll.axis = {1.0, 0.0, 0.0};
  pitch.axis = {0.0, 0.8, 0.6};
  pitch.origin.p = {0.5, -0.2, 0.3};
  pitch.child_frame.p = {0.1, 0.4, 0.7};
  const Robot ship = track_of({roll, pitch}, arm.gravity);
  const auto kinematics = std::make_shared<Kinematics<double>>(make_mechanism(ship));
  const auto place = [=](double t) {
    const double sine = std::sin(w * t), cosine = w * std::cos(w * t);
    const Values q{roll_by * sine, pitch_by * sine}, qd{roll_by * cosine, pitch_by * cosine};
    const Values qdd{-w * w * q[0], -w * w * q[1]};
    kinematics->update(q, qd, qdd);
    return kinematics->pose(2).R.transpose();
  };
  const BaseLaw law = [=](double t) {
    const Mat3<double> to_link = place(t);
    const FrameMotion<double> moves = kinematics->motion(2);
    const Vec3<double> rate = moves.acceleration - cross(moves.omega, moves.velocity);
    return Motion{to_link * moves.velocity, to_link * moves.omega, to_link * rate, to_link * moves.omega_dot};
  };
  const Values times = grid(3.0, 30);
  const auto track = run_on_track(
      arm, ship, {roll_by * w, pitch_by * w}, [=](double phi) { return -w * w * phi; }, times);
  const auto moving = run_moving_base(arm, law, times);
  expect_same_motion(moving, track);
  for (const catena::Sample& s : moving.samples) {
    const auto& [x, y, z, real] = s.base_orientation;
    const Vec3<double> first = place(s.t).column_x();  // the ground's, in the base link
    EXPECT_NEAR(first.x, 1.0 - 2.0 * (y * y + z * z), 1e-9);
    EXPECT_NEAR(first.y, 2.0 * (x * y - z * real), 1e-9);
    EXPECT_NEAR(first.z, 2.0 * (x * z + y * real), 1e-9);
  }
}

// Coarse steps shrink the quaternion, each a little; after a hundred thousand it is still one.
TEST(MovingBaseRun, CoarseStepsDoNotWearTheOrientationOut) {
  Robot wheel;
  wheel.add_link("base");
  wheel.add_link("wheel", {1.0, {}, {1.0, 1.0, 1.0, 0.0, 0.0, 0.0}});
  JointDescription axle;
  axle.name = "axle";
  axle.parent = 0, axle.child = 1;
  wheel.add_joint(axle);
  SimulationOptions options;
  options.integrator = Integrator::runge_kutta_4;
  options.step = 0.1;
  const auto run = run_moving_base(wheel, constant_base_acceleration({0, 0, 0, 20, 0, 0}), grid(13000.0, 2), options);
  ASSERT_TRUE(run.complete) << run.ended_by;
  const auto& [x, y, z, w] = run.samples.back().base_orientation;
  EXPECT_NEAR(x * x + y * y + z * z + w * w, 1.0, 1e-14);
}

// Two hundred turns about an oblique axis: the orientation stays a rotation, and the right one, with every integrator.
TEST(MovingBaseRun, TheOrientationOfATumblingBaseStaysARotation) {
  Robot arm = swinging_arm();
  for (JointDescription& joint : arm.joints) joint.drive.viscous = 5.0;
  const Vec3<double> omega{3.0, -2.0, 6.0};  // 7 rad/s
  for (const Integrator integrator : {Integrator::verner, Integrator::adams, Integrator::runge_kutta_4}) {
    SimulationOptions options;
    options.integrator = integrator;
    const double end = integrator == Integrator::verner ? 180.0 : 20.0;
    const auto run = run_moving_base(arm, constant_base_acceleration({0, 0, 0, 3, -2, 6}), grid(end, 10), options);
    ASSERT_TRUE(run.complete) << run.ended_by;
    for (const catena::Sample& s : run.samples) {
      const auto& [x, y, z, w] = s.base_orientation;
      EXPECT_NEAR(x * x + y * y + z * z + w * w, 1.0, 1e-15 * 8);
      const double sine = std::sin(3.5 * s.t), sign = w * std::cos(3.5 * s.t) < 0.0 ? -1.0 : 1.0;
      const double near_enough = 1e-4;
      EXPECT_NEAR(sign * x, sine * omega.x / 7.0, near_enough) << s.t;
      EXPECT_NEAR(sign * y, sine * omega.y / 7.0, near_enough) << s.t;
      EXPECT_NEAR(sign * z, sine * omega.z / 7.0, near_enough) << s.t;
    }
  }
}

// A block of 2 kg with 4 N of dry friction: it is taken along up to 2 m/s², and beyond slides back.
TEST(MovingBaseRun, DryFrictionHoldsUpToItsLimit) {
  Robot block;
  block.add_link("cart");
  block.add_link("block", {2.0, {}, {0.1, 0.1, 0.1, 0.0, 0.0, 0.0}});
  JointDescription rail;
  rail.name = "rail";
  rail.type = JointType::prismatic;
  rail.axis = {1.0, 0.0, 0.0};
  rail.parent = 0, rail.child = 1;
  rail.drive.coulomb = 4.0;
  block.add_joint(rail);
  const auto held = run_moving_base(block, constant_base_acceleration({}, {1.9, 0, 0, 0, 0, 0}), grid(1.0, 4));
  EXPECT_EQ(held.samples.back().q[0], 0.0);
  const auto slides = run_moving_base(block, constant_base_acceleration({}, {3.0, 0, 0, 0, 0, 0}), grid(1.0, 4));
  EXPECT_NEAR(slides.samples.back().q[0], -0.5, 1e-10);
  EXPECT_NEAR(slides.samples.back().base_work, 3.0, 1e-9);  // 6 N over half a metre
  EXPECT_NEAR(slides.samples.back().losses, 2.0, 1e-9);
  EXPECT_LT(slides.balance, 1e-10);
}

TEST(MovingBaseRun, ATableIsStraightLinesOrCubicsWhoseRatesAreTheirDerivatives) {
  const std::vector<BaseRow> rows{{0.0, {1, 0, 0, 0, 0, 2}, {0, 3, 0, 0, 0, 0}},
                                  {0.5, {2, 1, 0, -1, 0, 0}, {1, 0, 0, 0, 2, 0}},
                                  {2.0, {0, 1, 4, 0, 1, 1}, {0, 0, -1, 0, 0, 5}}};
  for (const bool with_rates : {false, true}) {
    const BaseLaw law = base_motion_table(rows, with_rates);
    for (const BaseRow& row : rows) {
      const Motion at = law(row.t);
      EXPECT_NEAR(at.velocity.x, row.twist[0], 1e-15);
      EXPECT_NEAR(at.angular_velocity.z, row.twist[5], 1e-15);
      if (!with_rates) continue;
      EXPECT_NEAR(at.acceleration.y, row.acceleration[1], 1e-14);
      EXPECT_NEAR(at.angular_acceleration.z, row.acceleration[5], 1e-14);
    }
    for (const double t : {0.1, 0.3, 0.6, 1.2, 1.9}) {
      const double h = 1e-5;
      const Motion at = law(t), before = law(t - h), after = law(t + h);
      const Vec3<double> v = (0.5 / h) * (after.velocity - before.velocity) - at.acceleration;
      const Vec3<double> w = (0.5 / h) * (after.angular_velocity - before.angular_velocity) - at.angular_acceleration;
      EXPECT_LT(std::sqrt(dot(v, v) + dot(w, w)), 1e-8);
    }
    EXPECT_EQ(law(3.0).velocity.z, 4.0);
    EXPECT_EQ(law(3.0).acceleration.z, 0.0);
    EXPECT_EQ(law(-1.0).angular_velocity.z, 2.0);
  }
  EXPECT_THROW(base_motion_table({}, false), std::invalid_argument);
  EXPECT_THROW(base_motion_table({{1.0, {}, {}}, {1.0, {}, {}}}, false), std::invalid_argument);
}

TEST(MovingBaseRun, ALawThatGivesNoNumberEndsTheRunWithItsTime) {
  const BaseLaw breaks = [](double t) { return t < 0.5 ? Motion{} : Motion{{std::nan(""), 0.0, 0.0}, {}, {}, {}}; };
  const auto run = run_moving_base(swinging_arm(), breaks, grid(1.0, 4));
  EXPECT_FALSE(run.complete);
  EXPECT_NE(run.ended_by.find("the motion of the base is not a finite number at t = "), std::string::npos)
      << run.ended_by;
  SimulationOptions wrong;
  wrong.base_orientation = {0.0, 0.0, 0.0, 2.0};
  EXPECT_THROW(Simulation(make_mechanism(swinging_arm()), zero_torque(), wrong), std::invalid_argument);
}

// With wrenches, stops and a robot that changes while it moves: every joule is accounted for, and the base turns on.
TEST(MovingBaseRun, ItActsBesideWrenchesStopsAndChanges) {
  Robot arm = swinging_arm();
  for (JointDescription& joint : arm.joints) joint.limits = {-0.5, 0.5, 10.0, 100.0}, joint.drive.coulomb = 0.05;
  SimulationOptions options;
  options.rtol = 1e-11, options.atol = 1e-13;
  options.stops = true, options.restitution = 0.5;
  options.wrenches = constant_wrench({arm.links.back().name, {1.0, 2.0, -3.0}, {0.1, 0.2, 0.3}});
  options.base_motion = constant_base_acceleration({0, 0, 0, 0.5, -1, 1}, {1, 0, 0, 0, 0, 0.5});
  Assembly assembly(arm, Assembly::Capacity{});
  ProgressiveSimulation simulation(
      assembly, [](const Mechanism&) { return zero_torque(); }, options);
  const Inertial load{0.5, {0.0, 0.1, 0.0}, {0.01, 0.01, 0.01, 0.0, 0.0, 0.0}};
  Assembly::Handle handle{};
  const std::string tip = arm.links.back().name;
  simulation.at_time(0.4, "grips", [&](Change& change) {
    handle = change.attach(tip, std::make_shared<const Part>("load", load), "load_");
  });
  simulation.at_time(0.8, "drops", [&](Change& change) { change.detach(handle); });
  const Values still(index(arm.dof()));
  const ProgressiveResult run = simulation.run(still, still, grid(1.2, 12));
  ASSERT_TRUE(run.complete) << run.ended_by;
  EXPECT_LT(run.balance, 1e-6);
  // The same base with nothing gripped stands the same at the end.
  options.stops = false;
  const auto plain = run_moving_base(arm, options.base_motion, grid(1.2, 12), options);
  const auto& a = run.segments.back().result.samples.back().base_orientation;
  const auto& b = plain.samples.back().base_orientation;
  for (std::size_t k = 0; k < 4; ++k) EXPECT_NEAR(a[k], b[k], 1e-8);
  EXPECT_LT(b[3], 0.9);
}

}  // namespace
}  // namespace catena::test::moving_base_run_test
