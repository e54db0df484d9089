// Control laws do what they promise.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <memory>

#include "catena/dynamics.hpp"
#include "support/law_trials.hpp"
#include "support/random_robot.hpp"

namespace catena::test {
namespace law_promises_test {

// The largest error of any joint from `from` to `to`.
double tracking_error(const SimulationResult& result, const Reference& reference, double from, double to) {
  double largest = 0.0;
  for (const Sample& s : result.samples) {
    if (s.t < from || s.t > to) continue;
    std::vector<double> q(s.qd.size()), qd(q.size()), qdd(q.size());
    reference(s.t, q, qd, qdd);
    for (std::size_t j = 0; j < q.size(); ++j) largest = std::max(largest, std::abs(s.q[j] - q[j]));
  }
  return largest;
}

const std::vector<double> ur5_place{0.1, -1.0, 1.2, 0.3, 0.8, 0.2};
Inertial load(double mass) { return {mass, {0.02, 0.0, 0.06}, {0.01, 0.01, 0.01, 0.0, 0.0, 0.0}}; }

TEST(Laws, ComputedTorqueIsTheOneOfSimulations) {
  for (const char* name : {"ur5", "pelican_crucible"}) {
    const Mechanism robot = make_mechanism(shipped_robot(name));
    LawOptions options;
    options.saturate = false;
    Controller controller(robot, options);
    Random random(3);
    const State x = random_state(random, robot.nv());
    const std::vector<double> about(x.q.size());
    std::vector<double> measurement = x.q, reference(3 * x.q.size()), torque(x.q.size()), other(x.q.size());
    measurement.insert(measurement.end(), x.qd.begin(), x.qd.end());
    const std::span<double> r(reference);
    const std::size_t n = x.q.size();
    waves(about)(1.5, r.first(n), r.subspan(n, n), r.last(n));
    controller.step(measurement, reference, 1e-3, torque);
    computed_torque_control(robot, {{100.0}, {20.0}}, waves(about))(1.5, x.q, x.qd, other);
    for (std::size_t j = 0; j < n; ++j)
      EXPECT_NEAR(torque[j], robot.is_passive(Coordinate(static_cast<int>(j))) ? 0.0 : other[j], 1e-11);
  }
}

// τ of two velocities, by the matrices.
TEST(Laws, PassivityHasTheMatrixThatLeavesAPowerOfNothing) {
  for (const char* name : {"ur5", "panda", "palletizer", "gripper", "stanford"}) {
    SCOPED_TRACE(name);
    Robot described = shipped_robot(name);
    for (JointDescription& joint : described.joints) joint.drive.viscous = joint.drive.coulomb = 0.0;
    const Mechanism robot = make_mechanism(described);
    const std::size_t n = index(robot.nv());
    Random random(11);
    const State x = random_state(random, robot), seen = with_all_positions(robot, x);
    LawOptions options{.law = "passivity", .parameters = {{"kd", {0.0}}, {"rate", {3.0}}}, .saturate = false};
    Controller controller(robot, options);
    std::vector<double> measurement = seen.q, reference = x.q, torque(n), M(n * n), C(n * n), g(n), qd_r(n), qdd_r(n);
    measurement.insert(measurement.end(), x.qd.begin(), x.qd.end());
    for (std::size_t j = 0; j < 2 * n; ++j) reference.push_back(random.between(-1.0, 1.0));
    for (std::size_t j = 0; j < n; ++j) {
      reference[j] += 0.1;
      qd_r[j] = reference[n + j] + 3.0 * 0.1;
      qdd_r[j] = reference[2 * n + j] + 3.0 * (reference[n + j] - x.qd[j]);
    }
    controller.step(measurement, reference, 1e-3, torque);
    Call<double>(robot, "inertia")({.q = x.q}, M);
    Call<double>(robot, "coriolis")({.q = x.q, .qd = x.qd}, C);
    Call<double>(robot, "gravity")({.q = x.q}, g);
    for (std::size_t i = 0; i < n; ++i) {
      double expected = g[i];
      for (std::size_t j = 0; j < n; ++j) expected += M[i * n + j] * qdd_r[j] + C[i * n + j] * qd_r[j];
      EXPECT_NEAR(torque[i], expected, 1e-10 * (1.0 + std::abs(expected)));
    }
  }
}

TEST(Laws, OperationalSpaceAcceleratesTheFrameAsAsked) {
  const Mechanism robot = make_mechanism(shipped_robot("panda"));
  Random random(12);
  for (const Directions directions : {Directions::translation, Directions::all}) {
    const State x = random_state(random, robot.nv());
    Controller controller(robot, {.law = "operational", .directions = directions, .saturate = false});
    const std::size_t m = directions == Directions::all ? 6 : 3;
    std::vector<double> measurement = x.q, reference, torque(7), qdd(7), J(42), drift(6), T(16);
    measurement.insert(measurement.end(), x.qd.begin(), x.qd.end());
    Call<double>(robot, "pose")({.q = x.q}, T);
    Call<double>(robot, "jacobian")({.q = x.q}, J);
    Call<double>(robot, "drift")({.q = x.q, .qd = x.qd}, drift);
    reference = {T[3] + 0.1, T[7], T[11]};  // away by 0.1 m, not turned
    for (const std::size_t k : {0, 1, 2, 4, 5, 6, 8, 9, 10})
      if (m == 6) reference.push_back(T[k]);
    reference.resize(reference.size() + 2 * m, 0.5);
    controller.step(measurement, reference, 1e-3, torque);
    Call<double>(robot, "forward")({.q = x.q, .qd = x.qd, .tau = torque}, qdd);
    for (std::size_t a = 0; a < m; ++a) {
      double speed = 0.0, found = drift[a];
      for (std::size_t j = 0; j < 7; ++j) speed += J[7 * a + j] * x.qd[j], found += J[7 * a + j] * qdd[j];
      EXPECT_NEAR(found, 0.5 + 20.0 * (0.5 - speed) + (a == 0 ? 100.0 * 0.1 : 0.0), 1e-8);
    }
  }
}

TEST(Laws, AdaptiveLearnsAPayloadThatIsHalfWrong) {
  const Robot arm = shipped_robot("ur5");
  const Mechanism known = make_mechanism(add_payload(arm, "", load(2.0)));  // of 4 kg
  Trial run{make_mechanism(add_payload(arm, "", load(4.0))), {}, {waves(ur5_place)}, ur5_place, 40.0};
  run.options.law = "adaptive";
  run.options.saturate = false;
  const auto controller = std::make_shared<Controller>(known, run.options);
  const SimulationResult result = run.run(sampled_law(known, controller, run.reference, run.period), 4001);
  const double before = tracking_error(result, run.reference.joints, 0.0, 4.0),
               after = tracking_error(result, run.reference.joints, 34.0, 40.0);
  std::printf("adaptive: error %.2e at first, %.2e after 34 s; mass %.3f kg\n", before, after, controller->state()[9]);
  EXPECT_LT(after, 0.1 * before);
  run.options.law = "passivity";
  const SimulationResult unlearned =
      run.run(sampled_law(known, std::make_shared<Controller>(known, run.options), run.reference, run.period), 4001);
  EXPECT_GT(tracking_error(unlearned, run.reference.joints, 34.0, 40.0), 0.5 * before);
}

TEST(Laws, PidLeavesNoErrorUnderALoadAndDoesNotWindUp) {
  const Robot arm = shipped_robot("ur5");
  const Mechanism known = make_mechanism(arm);
  Trial run{
      make_mechanism(add_payload(arm, "", load(3.0))), {}, {hold_at({0.3, -1.3, 1.4, 0.2, 0.8, 0.2})}, ur5_place, 8.0};
  run.options.law = "pid";
  const SimulationResult result =
      run.run(sampled_law(known, std::make_shared<Controller>(known, run.options), run.reference, run.period));
  EXPECT_LT(tracking_error(result, run.reference.joints, 7.0, 8.0), 1e-3);
  // A drive that is far too weak stays at its limit; the integral waits.
  Controller controller(known, run.options);
  std::vector<double> torque(6), reference(12, 0.0), measurement(12, 0.0);
  for (std::size_t j = 0; j < 6; ++j) reference[j] = 3.0;
  for (int k = 0; k < 5000; ++k) controller.step(measurement, reference, 1e-3, torque);
  for (const Coordinate c : known.coordinates.all()) {
    EXPECT_LE(std::abs(torque[index(c)]), known.limits(c).effort);
    EXPECT_LT(std::abs(controller.state()[index(c)]), 15.0);  // 5 s of 3 rad
  }
}

TEST(Laws, ImpedanceYieldsAsAsked) {
  const Mechanism robot = make_mechanism(shipped_robot("ur5"));
  Trial run{robot, {}, {}, ur5_place, 8.0};
  run.options.law = "impedance";
  run.options.parameters["stiffness"] = {400.0, 500.0, 800.0, 20.0, 30.0, 40.0};
  run.options.parameters["damper"] = {80.0, 80.0, 80.0, 2.0, 2.0, 2.0};
  Kinematics<double> kinematics(robot);
  kinematics.update(ur5_place);
  FrameTarget target;
  target.pose = kinematics.pose(robot.tool);
  run.reference.frame = [target](double) { return target; };
  const double force[3] = {6.0, -4.0, 9.0};
  SimulationOptions set;
  set.integrator = Integrator::runge_kutta_4;
  set.period = set.step = run.period;
  set.wrenches =
      constant_wrench({robot.frames[index(robot.tool)].name, {force[0], force[1], force[2]}, {}, Axes::world});
  const std::vector<double> still(6), times{0.0, run.time};
  const SimulationResult result =
      Simulation(robot, sampled_law(robot, std::make_shared<Controller>(robot, run.options), run.reference, run.period),
                 set)
          .run(run.start, still, times);
  kinematics.update(result.samples.back().q);
  const Vec3<double> moved = kinematics.pose(robot.tool).p - target.pose.p;
  const double found[3] = {moved.x, moved.y, moved.z};
  for (int a = 0; a < 3; ++a) {
    const double asked = force[a] / run.options.parameters["stiffness"][index(a)];
    EXPECT_NEAR(found[a] / asked, 1.0, 0.01) << a;
  }
}

TEST(Laws, HybridPushesWithTheForceAskedForAndMovesBesideIt) {
  const Mechanism robot = make_mechanism(shipped_robot("ur5"));
  Trial run{robot, {}, {}, ur5_place, 10.0};
  run.options.law = "hybrid";
  run.options.parameters["along"] = {0.0, 0.0, 1.0, 0.0, 0.0, 0.0};
  Kinematics<double> kinematics(robot);
  kinematics.update(ur5_place);
  const Pose<double> place = kinematics.pose(robot.tool);
  run.reference.frame = [place](double t) {
    FrameTarget target;
    target.pose = place;
    target.pose.p.x += 0.03 * (1.0 - std::cos(t));
    target.velocity.x = 0.03 * std::sin(t);
    target.acceleration.x = 0.03 * std::cos(t);
    return target;
  };
  // A floor 5 mm below the frame, 10 kN/m.
  const double floor = place.p.z - 0.005;
  const auto pressing = std::make_shared<Kinematics<double>>(robot);
  const int tool = robot.tool;
  const auto push = [=](std::span<const double> q, std::span<const double>) {
    pressing->update(q);
    return std::max(0.0, 1e4 * (floor - pressing->pose(tool).p.z));
  };
  run.reference.force = {0.0, 0.0, -12.0};
  run.reference.measured_force = [=](double, std::span<const double> q, std::span<const double> qd) {
    return std::array<double, 6>{0.0, 0.0, -push(q, qd)};
  };
  SimulationOptions set;
  set.integrator = Integrator::runge_kutta_4;
  set.period = set.step = run.period;
  set.wrenches = wrench_function(
      robot.frames[index(tool)].name,
      [=](double, std::span<const double> q, std::span<const double> qd, Vec3<double>& force, Vec3<double>&) {
        force.z = push(q, qd);
      },
      Axes::world);
  const std::vector<double> still(6), times{0.0, run.time};
  const SimulationResult result =
      Simulation(robot, sampled_law(robot, std::make_shared<Controller>(robot, run.options), run.reference, run.period),
                 set)
          .run(run.start, still, times);
  ASSERT_TRUE(result.complete) << result.ended_by;
  EXPECT_NEAR(push(result.samples.back().q, still), 12.0, 0.1);
  kinematics.update(result.samples.back().q);
  EXPECT_NEAR(kinematics.pose(tool).p.x, place.p.x + 0.03 * (1.0 - std::cos(10.0)), 1e-3);
}

TEST(Laws, NullSpaceHoldsTheFrameWhileThePostureMoves) {
  const Mechanism robot = make_mechanism(shipped_robot("panda"));
  const std::vector<double> q{0.1, -0.5, 0.2, -1.8, 0.1, 1.5, 0.3};
  Trial run{robot, {}, {}, q, 6.0};
  run.options.law = "null-space";
  Kinematics<double> kinematics(robot);
  kinematics.update(q);
  FrameTarget target;
  target.pose = kinematics.pose(robot.tool);
  run.reference.frame = [target](double) { return target; };
  std::vector<double> posture = q;
  posture[2] += 0.4;
  run.reference.joints = hold_at(posture);
  const SimulationResult result = run.run();
  EXPECT_GT(std::abs(result.samples.back().q[2] - q[2]), 0.05);
  kinematics.update(result.samples.back().q);
  const Vec3<double> moved = kinematics.pose(robot.tool).p - target.pose.p;
  EXPECT_LT(std::sqrt(dot(moved, moved)), 1e-4);
}

TEST(Laws, SlidingModeBearsAWrongModelBetterThanComputedTorque) {
  const Robot arm = shipped_robot("ur5");
  const Mechanism known = make_mechanism(arm);
  Trial run{make_mechanism(add_payload(arm, "", load(3.0))), {}, {waves(ur5_place)}, ur5_place, 6.0};
  const auto error_of = [&](const char* law) {
    run.options.law = law;
    run.options.parameters.clear();
    if (run.options.law == "sliding")
      run.options.parameters = {{"strength", {60.0, 60.0, 40.0, 6.0, 6.0, 3.0}},
                                {"layer", {0.2, 0.2, 0.2, 0.5, 0.5, 0.5}}};
    return tracking_error(
        run.run(sampled_law(known, std::make_shared<Controller>(known, run.options), run.reference, run.period)),
        run.reference.joints, 2.0, 6.0);
  };
  const double sliding = error_of("sliding"), computed = error_of("computed");
  std::printf("3 kg not known: sliding mode %.2e, computed torque %.2e rad\n", sliding, computed);
  EXPECT_LT(sliding, 0.5 * computed);
}

// --- the observer ---

// All masses and inertias another tenth more or less.
Robot tenth_wrong(Robot robot, Random& random) {
  for (LinkDescription& link : robot.links) {
    const double by = 1.0 + random.between(-0.1, 0.1);
    link.inertial.mass *= by;
    link.inertial.inertia = by * link.inertial.inertia;
  }
  return robot;
}

struct Watched {
  double alarm = -1.0;  // when
};
Watched watch(const Mechanism& real, const Mechanism& known, const Reference& reference, double time, double push_at,
              int joint, double push, Random& random) {
  LawOptions options;
  options.law = "observer";
  const auto controller = std::make_shared<Controller>(known, options);
  const auto noise = std::make_shared<Random>(random);
  Watched out;
  // Encoders of 1e-5 rad and rates with noise of 1 mrad/s.
  const TorqueLaw law = sampled_law(
      known, *controller,
      [&, noise](std::span<const double> m, std::span<const double> r, double dt, std::span<double> tau) {
        std::vector<double> seen(m.begin(), m.end());
        const std::size_t n = tau.size();
        for (std::size_t j = 0; j < n; ++j) seen[j] = 1e-5 * std::round(seen[j] / 1e-5);
        for (std::size_t j = 0; j < n; ++j)
          seen[n + j] += 1e-3 * (noise->unit() + noise->unit() + noise->unit() + noise->unit() - 2.0) * std::sqrt(3.0);
        controller->step(seen, r, dt, tau);
      },
      [controller] { controller->reset(); }, {reference}, 1e-3);
  SimulationOptions set;
  set.integrator = Integrator::runge_kutta_4;
  set.period = set.step = 1e-3;
  std::vector<double> q(index(real.nv())), qd(q.size()), qdd(q.size()), times;
  reference(0.0, q, qd, qdd);
  for (int k = 0; k <= static_cast<int>(time / 2e-3); ++k) times.push_back(2e-3 * k);
  const TorqueLaw pushed = [&](double t, std::span<const double> at, std::span<const double> rates,
                               std::span<double> tau) {
    law(t, at, rates, tau);
    if (out.alarm < 0.0 && controller->state()[2 * at.size()] > 0.5) out.alarm = t;
    if (push_at >= 0.0 && t >= push_at) tau[index(joint)] += push;
  };
  const SimulationResult result = Simulation(real, pushed, set).run(q, qd, times);
  EXPECT_TRUE(result.complete) << result.ended_by;
  return out;
}

Reference random_motion(Random& random) {
  std::vector<double> from = ur5_place, amplitude(6), rate(6);
  for (std::size_t j = 0; j < 6; ++j)
    from[j] += random.between(-0.5, 0.5), amplitude[j] = random.between(0.2, 0.6), rate[j] = random.between(0.5, 1.5);
  return [=](double t, std::span<double> q, std::span<double> qd, std::span<double> qdd) {
    for (std::size_t j = 0; j < 6; ++j) {
      const double w = rate[j];
      q[j] = from[j] + amplitude[j] * (1.0 - std::cos(w * t));
      qd[j] = amplitude[j] * w * std::sin(w * t);
      qdd[j] = amplitude[j] * w * w * std::cos(w * t);
    }
  };
}

TEST(MomentumObserver, FindsAPushInTwentyMillisecondsAndNothingElse) {
  const Robot arm = shipped_robot("ur5");
  const Mechanism known = make_mechanism(arm);
  Random random(5);
  double slowest = 0.0;
  int false_alarms = 0;
  for (int k = 0; k < 100; ++k) {
    const Mechanism real = make_mechanism(tenth_wrong(arm, random));
    if (watch(real, known, random_motion(random), 3.0, -1.0, 0, 0.0, random).alarm >= 0.0) ++false_alarms;
  }
  for (int k = 0; k < 24; ++k) {
    const Mechanism real = make_mechanism(tenth_wrong(arm, random));
    const double at = random.between(0.5, 2.0);
    const Watched seen = watch(real, known, random_motion(random), 2.2, at, k % 6, k % 2 == 0 ? 5.0 : -5.0, random);
    slowest = std::max(slowest, seen.alarm < at ? 1.0 : seen.alarm - at);
  }
  std::printf("observer: %d false alarms in 100 motions; slowest of 24 pushes found after %.1f ms\n", false_alarms,
              1e3 * slowest);
  EXPECT_EQ(false_alarms, 0);
  EXPECT_LE(slowest, 0.02);
}

}  // namespace law_promises_test
}  // namespace catena::test
