// State space, sampling and regulators: against closed forms, against the nonlinear robot, and by what must hold.
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "catena/changes.hpp"
#include "catena/control.hpp"
#include "catena/inverse_kinematics.hpp"
#include "catena/kinematics.hpp"
#include "catena/robot_file.hpp"
#include "catena/trajectory.hpp"
#include "support/allocations.hpp"
#include "support/nightly.hpp"
#include "support/random_robot.hpp"
#include "support/tolerances.hpp"

namespace catena::test::control_test {
namespace {

// One joint without weight or friction: q̈ = δτ / inertia.
StateSpace double_integrator(double inertia = 1.0) { return {1, {0.0, 1.0, 0.0, 0.0}, {0.0, 1.0 / inertia}}; }

Robot random_arm(Random& random, int joints, bool drives) {
  RobotOptions options;
  options.joints = joints;
  options.shape = random.chance(0.5) ? Shape::tree : Shape::chain;
  options.massless_links = false;
  options.drives = drives;
  return random_robot(random, options);
}

Values times(const Values& A, const Values& x, std::size_t rows) {
  Values out(rows, 0.0);
  for (std::size_t i = 0; i < rows; ++i)
    for (std::size_t j = 0; j < x.size(); ++j) out[i] += A[i * x.size() + j] * x[j];
  return out;
}

// The model says where the robot will be a moment later, to the square of how far it starts from the nominal motion.
TEST(StateSpace, FollowsTheRobotNearby) {
  for (const std::uint64_t seed : test::seeds(0, 30)) {
    Random random(seed);
    const int n = 1 + static_cast<int>(seed % 6);
    const Mechanism robot = make_mechanism(random_arm(random, n, false));
    const State x = random_state(random, n);
    Linearization linearization(robot);
    const StateSpace model = linearization.along(x.q, x.qd, x.qdd);
    const TorqueLaw hold = constant_torque(to_values(linearization.torques()));
    SimulationOptions tight;
    tight.rtol = 1e-12, tight.atol = 1e-13;
    const double dt = 1e-3;
    const StateSpace sampled = discretize(model, dt);
    const auto after = [&](const Values& q, const Values& qd) {
      Simulation simulation(robot, hold, tight);
      const auto last = simulation.run(q, qd, Values{0.0, dt}).samples.back();
      Values state = last.q;
      state.insert(state.end(), last.qd.begin(), last.qd.end());
      return state;
    };
    const double size = 1e-5;
    Values q = x.q, qd = x.qd, offset(2 * x.q.size());
    for (double& v : offset) v = size * random.between(-1.0, 1.0);
    for (std::size_t j = 0; j < q.size(); ++j) q[j] += offset[j], qd[j] += offset[q.size() + j];
    const Values nominal = after(x.q, x.qd), moved = after(q, qd);
    Values change(moved.size());
    for (std::size_t k = 0; k < moved.size(); ++k) change[k] = moved[k] - nominal[k];
    // The model is frozen at the start of the step: what it neglects grows with dt as well.
    EXPECT_TRUE(near(change, times(sampled.A, offset, offset.size()), size, relative(2e-3))) << "robot " << seed;
  }
}

TEST(StateSpace, SamplesADoubleIntegratorExactlyAndTwoStepsAreOne) {
  const StateSpace sampled = discretize(double_integrator(2.0), 0.3);
  EXPECT_TRUE(near(sampled.A, {1.0, 0.3, 0.0, 1.0}, relative(1e-14)));
  EXPECT_TRUE(near(sampled.B, {0.3 * 0.3 / 4.0, 0.15}, relative(1e-14)));
  Random random(5);
  const Mechanism robot = make_mechanism(random_arm(random, 5, true));
  const State x = random_state(random, 5);
  const StateSpace model = Linearization(robot).along(x.q, x.qd, x.qdd);
  const StateSpace one = discretize(model, 0.01), two = discretize(model, 0.02);
  for (int trial = 0; trial < 10; ++trial) {
    Values state(10), input(5);
    for (double& v : state) v = random.between(-1.0, 1.0);
    for (double& v : input) v = random.between(-1.0, 1.0);
    const auto step = [&](const StateSpace& m, const Values& from) {
      Values to = times(m.A, from, 10);
      const Values pushed = times(m.B, input, 10);
      for (std::size_t k = 0; k < 10; ++k) to[k] += pushed[k];
      return to;
    };
    EXPECT_TRUE(near(step(one, step(one, state)), step(two, state), relative(1e-11)));
  }
  EXPECT_THROW(discretize(model, 0.0), std::invalid_argument);
}

TEST(Lqr, HasTheClosedFormOfADoubleIntegrator) {
  const double q = 5.0, v = 0.7, r = 0.3, inertia = 2.0;
  const Regulator regulator = lqr(double_integrator(inertia), diagonal_cost(1, Values{q}, Values{v}, Values{r}));
  const double k1 = std::sqrt(q / r), k2 = std::sqrt(v / r + 2.0 * inertia * k1);
  EXPECT_TRUE(near(regulator.K, {k1, k2}, relative(1e-12)));
  EXPECT_LT(regulator.residual, 1e-13);
}

TEST(Lqr, SolvesItsEquationOnRobotsOfManyJoints) {
  for (const std::uint64_t seed : test::seeds(0, 24)) {
    Random random(seed);
    const int n = 1 + static_cast<int>(seed % 12);
    const Mechanism robot = make_mechanism(random_arm(random, n, seed % 2 == 0));
    const State x = random_state(random, n, StateKind::still);
    const StateSpace model = Linearization(robot).along(x.q, x.qd, x.qdd);
    const QuadraticCost cost = diagonal_cost(n, Values{100.0}, Values{1.0}, Values{0.01});
    const Regulator regulator = lqr(model, cost);
    EXPECT_LT(regulator.residual, 1e-9) << "robot " << seed;
    for (const auto& pole : regulator.poles) EXPECT_LT(pole.real(), 0.0) << "robot " << seed;

    // The cost that is promised is the cost that is paid, sample by sample.
    const double dt = 0.002;
    const StateSpace sampled = discretize(model, dt);
    const Regulator stepwise = sampled_lqr(sampled, cost);
    EXPECT_LT(stepwise.residual, 1e-9) << "robot " << seed;
    Values state(2 * static_cast<std::size_t>(n));
    for (double& v : state) v = random.between(-0.1, 0.1);
    const auto quadratic = [](const Values& M, const Values& v) {
      const Values Mv = times(M, v, v.size());
      double sum = 0.0;
      for (std::size_t k = 0; k < v.size(); ++k) sum += v[k] * Mv[k];
      return sum;
    };
    const double promised = quadratic(stepwise.S, state);
    double paid = 0.0;
    for (int k = 0; k < 200'000 && quadratic(stepwise.S, state) > 1e-9 * promised; ++k) {
      Values tau = times(stepwise.K, state, static_cast<std::size_t>(n));
      for (double& t : tau) t = -t;
      paid += quadratic(cost.Q, state) + quadratic(cost.R, tau);
      const Values pushed = times(sampled.B, tau, state.size());
      state = times(sampled.A, state, state.size());
      for (std::size_t i = 0; i < state.size(); ++i) state[i] += pushed[i];
    }
    EXPECT_NEAR(paid, promised, 1e-6 * promised) << "robot " << seed;
  }
}

TEST(Lqr, AFarHorizonIsAsGoodAsNone) {
  const StateSpace sampled = discretize(double_integrator(), 0.01);
  const QuadraticCost cost = diagonal_cost(1, Values{1.0}, Values{0.1}, Values{0.5});
  const std::vector<StateSpace> motion(5000, sampled);
  const auto gains = finite_horizon_lqr(motion, cost, Values(4, 0.0));
  EXPECT_TRUE(near(gains.front(), sampled_lqr(sampled, cost).K, relative(1e-9)));
  EXPECT_TRUE(near(gains.back(), {0.0, 0.0}, 1.0, relative(1e-12)));  // nothing is left to be won
}

TEST(Lqr, NamesWhatCannotBeDone) {
  const auto message = [](const StateSpace& model, const QuadraticCost& cost) -> std::string {
    try {
      lqr(model, cost);
    } catch (const std::domain_error& e) {
      return e.what();
    } catch (const std::invalid_argument& e) {
      return e.what();
    }
    return {};
  };
  const QuadraticCost cost = diagonal_cost(1, Values{1.0}, Values{1.0}, Values{1.0});
  StateSpace falling{1, {0.0, 1.0, 4.0, 0.0}, {0.0, 0.0}};  // an inverted pendulum that nothing drives
  EXPECT_NE(message(falling, cost).find("no torque moves the pole 2.0"), std::string::npos) << message(falling, cost);
  // An oscillator that grows, beside a mass that is driven.
  const StateSpace swinging{2, {0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, -4.0, 0, 0.2}, {0.0, 0.0, 1.0, 0.0}};
  const std::string mode = message(swinging, diagonal_cost(swinging, Values{1.0}, Values{1.0}, Values{1.0}));
  EXPECT_NE(mode.find("no torque moves the pole 0.1"), std::string::npos) << mode;
  EXPECT_NE(message(double_integrator(), {Values(4, 0.0), {1.0}}).find("stable"), std::string::npos);
  EXPECT_NE(message(double_integrator(), {{1.0, 0.0, 0.0, 1.0}, {-1.0}}).find("R must be"), std::string::npos);
  EXPECT_NE(message(double_integrator(), {{1.0}, {1.0}}).find("Q 2n x 2n"), std::string::npos);
}

// Whatever the arm does, its tool moves as the oscillator that was asked for: critically damped here, 10/s.
TEST(OperationalSpace, TheToolOfAPandaIsALinearOscillator) {
  const Mechanism robot = make_mechanism(load_robot(std::string(CATENA_SOURCE_DIR) + "/models/panda.toml"));
  const Values q{0.2, 0.3, -0.1, -1.8, 0.2, 2.0, 0.4}, zeros(7);
  Call<double> pose(robot, "pose");
  const auto tool = [&](const Values& at) {
    Values T(16);
    pose({.q = at}, T);
    return Vec3<double>{T[3], T[7], T[11]};
  };
  const Vec3<double> start = tool(q), goal = start + Vec3<double>{0.05, -0.1, 0.08};
  SimulationOptions options;
  options.rtol = 1e-10, options.atol = 1e-12;
  Simulation simulation(robot, operational_space_control(robot, robot.tool, goal), options);
  Values times;
  for (int k = 0; k <= 20; ++k) times.push_back(0.05 * k);
  const SimulationResult result = simulation.run(q, zeros, times);
  ASSERT_TRUE(result.complete) << result.ended_by;
  for (const catena::Sample& s : result.samples) {
    const double left = (1.0 + 10.0 * s.t) * std::exp(-10.0 * s.t);
    const Vec3<double> x = tool(s.q), expected = goal - left * (goal - start);
    EXPECT_NEAR(x.x, expected.x, 1e-8) << s.t;
    EXPECT_NEAR(x.y, expected.y, 1e-8) << s.t;
    EXPECT_NEAR(x.z, expected.z, 1e-8) << s.t;
  }
  for (const double speed : result.samples.back().qd) EXPECT_LT(std::abs(speed), 0.1);  // the elbow comes to rest too
}

// A chain with 57 joints more than the frame needs: what they do by themselves only loses energy, and the frame is
// where it is to be. (With C q̇ taken from them as well they whip themselves to any speed, and no step is short enough.)
TEST(ResolvedAcceleration, ALongChainFollowsAndDoesNotWhip) {
  Robot chain;
  chain.add_link("base");
  for (int k = 0; k < 60; ++k) {
    chain.add_link("l" + std::to_string(k), {0.5, {0.05, 0.0, 0.0}, {1e-3, 1e-3, 1e-3, 0.0, 0.0, 0.0}});
    JointDescription joint;
    joint.name = "j" + std::to_string(k);
    joint.parent = k, joint.child = k + 1;
    joint.origin.p = {k == 0 ? 0.0 : 0.1, 0.0, 0.02 * (k % 2)};
    joint.axis = k % 3 == 0 ? Vec3<double>{0.0, 0.0, 1.0} : Vec3<double>{0.0, 1.0, 0.0};
    chain.add_joint(joint);
  }
  const Mechanism robot = make_mechanism(chain);
  const Values q(60, 0.05), zeros(60);
  Kinematics<double> kinematics(robot);
  kinematics.update(q);
  Pose<double> goal = kinematics.pose(robot.tool);
  goal.p += Vec3<double>{-0.5, 0.8, 0.3};
  const FrameReference path = frame_path({kinematics.pose(robot.tool), goal}, 1.0);
  Simulation simulation(robot, resolved_acceleration_control(robot, robot.tool, path, Directions::translation));
  const SimulationResult result = simulation.run(q, zeros, Values{0.0, 0.25, 0.5, 0.75, 1.0, 1.5});
  ASSERT_TRUE(result.complete) << result.ended_by;
  EXPECT_LT(result.steps, 5000);
  for (const catena::Sample& s : result.samples) {
    kinematics.update(s.q);
    const Vec3<double> off = kinematics.pose(robot.tool).p - path(s.t).pose.p;
    EXPECT_LT(std::sqrt(dot(off, off)), 1e-7) << s.t;
  }
  EXPECT_LT(result.samples.back().kinetic, 1e-2);  // it comes to rest
}

// Through three poses in equal times, at rest in each, and beyond the last one there.
TEST(FramePath, TakesTheTimeThatItIsGiven) {
  std::vector<Pose<double>> poses(3);
  poses[1].p = {1.0, 0.0, 0.0}, poses[2].p = {1.0, 2.0, 0.0};
  const FrameReference path = frame_path(poses, 3.0);
  const auto expect = [&](double t, const Vec3<double>& p, const Vec3<double>& velocity) {
    const FrameTarget at = path(t);
    const Vec3<double> off = at.pose.p - p, slip = at.velocity - velocity;
    EXPECT_LT(std::sqrt(dot(off, off)), 1e-12) << t;
    EXPECT_LT(std::sqrt(dot(slip, slip)), 1e-12) << t;
  };
  for (const std::size_t k : {0U, 1U, 2U}) expect(1.5 * static_cast<double>(k), poses[k].p, {0.0, 0.0, 0.0});
  expect(0.75, {0.5, 0.0, 0.0}, {2.0 / 1.5, 0.0, 0.0});  // a cycloid is twice as fast in its middle as on average
  expect(2.25, {1.0, 1.0, 0.0}, {0.0, 4.0 / 1.5, 0.0});
  expect(4.0, poses[2].p, {0.0, 0.0, 0.0});
}

// Resolved acceleration: the pose of a UR5 along two lines, turning, at rest at the corner. From a start on the path it
// stays there; from one beside it the distance decays as the oscillator does.
TEST(ResolvedAcceleration, ThePoseOfAUr5FollowsAPath) {
  const Mechanism robot = make_mechanism(load_robot(std::string(CATENA_SOURCE_DIR) + "/models/ur5.toml"));
  const Values q{0.2, -1.2, 1.4, -0.5, 1.0, 0.3}, zeros(6);
  Kinematics<double> kinematics(robot);
  const auto tool = [&](const Values& at) {
    kinematics.update(at);
    return kinematics.pose(robot.tool);
  };
  const Pose<double> start = tool(q);
  Pose<double> corner = start, end = start;
  corner.p = start.p + Vec3<double>{-0.1, 0.15, 0.05};
  corner.R = rotation_about({0.6, 0.0, 0.8}, 0.7) * start.R;
  end.p = corner.p + Vec3<double>{0.0, 0.1, -0.1};
  end.R = rotation_about({0.0, 1.0, 0.0}, -0.5) * corner.R;
  const auto along = Trajectory::through(ProfileKind::cycloid, {{0.0}, {1.0}, {2.0}}, Values{0.0, 1.0, 2.0});
  const FrameReference path = frame_path({start, corner, end}, [along](double t) {
    PathProgress at;
    along.at(t, {&at.s, 1}, {&at.rate, 1}, {&at.acceleration, 1});
    return at;
  });
  // The rates of the path are those of its poses.
  const double h = 1e-5;
  for (const double t : {0.3, 0.5, 1.4}) {
    const FrameTarget before = path(t - h), now = path(t), after = path(t + h);
    const Vec3<double> speed = (0.5 / h) * (after.pose.p - before.pose.p) - now.velocity;
    const Vec3<double> spin = (0.5 / h) * rotation_vector(after.pose.R * before.pose.R.transpose()) - now.omega;
    const Vec3<double> swing = (0.5 / h) * (after.omega - before.omega) - now.omega_dot;
    for (const Vec3<double>& off : {speed, spin, swing}) EXPECT_LT(std::sqrt(dot(off, off)), 1e-8) << t;
  }
  const TorqueLaw law = resolved_acceleration_control(robot, robot.tool, path);
  Values tau(6);
  {
    NoAlloc guard;
    law(0.3, q, zeros, tau);
  }
  SimulationOptions options;
  options.rtol = 1e-10, options.atol = 1e-12;
  Values times;
  for (int k = 0; k <= 40; ++k) times.push_back(0.05 * k);
  for (const double beside : {0.0, 0.02}) {
    const FrameReference shifted = [&](double t) {
      FrameTarget target = path(t);
      target.pose.p += Vec3<double>{beside, 0.0, 0.0};
      return target;
    };
    Simulation simulation(robot, resolved_acceleration_control(robot, robot.tool, shifted), options);
    const SimulationResult result = simulation.run(q, zeros, times);
    ASSERT_TRUE(result.complete) << result.ended_by;
    for (const catena::Sample& s : result.samples) {
      const Pose<double> is = tool(s.q), wanted = shifted(s.t).pose;
      const Vec3<double> off = wanted.p - is.p, turn = rotation_vector(wanted.R * is.R.transpose());
      EXPECT_NEAR(off.x, beside * (1.0 + 10.0 * s.t) * std::exp(-10.0 * s.t), 1e-8) << s.t;
      EXPECT_NEAR(off.y, 0.0, 1e-8);
      EXPECT_LT(std::sqrt(dot(turn, turn)), 1e-7) << s.t;
    }
  }
}

// Saha's Stanford arm along his trajectory, its load a fifth heavier than the model's and not where it should be at the
// start: feedforward and LQR against feedforward alone.
TEST(Tracking, FeedforwardAndLqrFollowTheStanfordTrajectory) {
  const Robot model = load_robot(std::string(CATENA_SOURCE_DIR) + "/models/stanford.toml");
  const Mechanism known = make_mechanism(add_payload(model, model.tool_name(), {2.0, {0.0, 0.0, 0.1}, {}}));
  const Mechanism actual = make_mechanism(add_payload(model, model.tool_name(), {2.4, {0.0, 0.0, 0.1}, {}}));
  constexpr double T = 10.0, pi = std::numbers::pi;
  const Values start{0.0, pi / 2, 0.0, 0.0, 0.0, 0.0},
      factor{1.0 / 6, -1.0 / 12, 0.1 / (2 * pi), 1.0 / 6, 1.0 / 6, 1.0 / 6};
  const Reference cycloid = [=](double t, std::span<double> q, std::span<double> qd, std::span<double> qdd) {
    const double w = 2.0 * pi / T, a = w * t;
    for (std::size_t j = 0; j < 6; ++j) {
      q[j] = start[j] + factor[j] * (a - std::sin(a));
      qd[j] = factor[j] * w * (1.0 - std::cos(a));
      qdd[j] = factor[j] * w * w * std::sin(a);
    }
  };
  const double dt = 0.02;
  std::vector<double> grid;
  std::vector<StateSpace> along;
  Linearization linearization(known);
  for (int k = 0; k * dt < T - 1e-9; ++k) {
    Values q(6), qd(6), qdd(6);
    grid.push_back(k * dt);
    cycloid(k * dt, q, qd, qdd);
    along.push_back(discretize(linearization.along(q, qd, qdd), dt));
  }
  const QuadraticCost cost = diagonal_cost(6, Values{1e4}, Values{100.0}, Values{1e-3});
  const auto gains = finite_horizon_lqr(along, cost, cost.Q);
  Values q0 = start, qd0(6, 0.0), samples;
  for (double& v : q0) v += 0.02;
  for (int k = 0; k <= 200; ++k) samples.push_back(T * k / 200.0);
  const auto error = [&](const TorqueLaw& law) {
    SimulationOptions options;
    options.rtol = 1e-7, options.atol = 1e-9;
    Simulation simulation(actual, law, options);
    const SimulationResult result = simulation.run(q0, qd0, samples);
    EXPECT_TRUE(result.complete) << result.ended_by;
    double sum = 0.0;
    for (const catena::Sample& s : result.samples) {
      Values q(6), qd(6), qdd(6);
      cycloid(s.t, q, qd, qdd);
      for (std::size_t j = 0; j < 6; ++j) sum += (s.q[j] - q[j]) * (s.q[j] - q[j]);
    }
    return std::sqrt(sum / static_cast<double>(result.samples.size()));
  };
  const double with = error(tracking_feedback(known, cycloid, grid, gains));
  const double without = error(feedforward_control(known, {{0.0}, {0.0}}, cycloid));
  EXPECT_LT(10.0 * with, without);
  EXPECT_LT(with, 0.05);
}

// The same motion two seconds later has the same gains two seconds later.
TEST(Tracking, GainsMoveWithTheMotion) {
  const Mechanism robot = make_mechanism(load_robot(std::string(CATENA_SOURCE_DIR) + "/models/planar2r.toml"));
  const auto gains_from = [&](double start) {
    const Reference wave = [start](double t, std::span<double> q, std::span<double> qd, std::span<double> qdd) {
      for (std::size_t j = 0; j < 2; ++j)
        q[j] = std::sin(t - start), qd[j] = std::cos(t - start), qdd[j] = -std::sin(t - start);
    };
    const QuadraticCost cost = diagonal_cost(2, Values{100.0}, Values{1.0}, Values{0.01});
    return regulated_gains(robot, wave, {start, start + 1.0, 0.05}, cost);
  };
  const GainSchedule now = gains_from(0.0), later = gains_from(2.0);
  ASSERT_EQ(now.times.size(), 21U);
  ASSERT_EQ(later.times.size(), 21U);
  for (std::size_t k = 0; k < 21; ++k) {
    EXPECT_NEAR(now.times[k], 0.05 * static_cast<double>(k), 1e-14);
    EXPECT_NEAR(later.times[k] - now.times[k], 2.0, 1e-14);
    EXPECT_TRUE(near(later.gains[k], now.gains[k], relative(1e-11))) << k;
  }
}

// A wrench at the frame itself is its own W, whatever the arm; elsewhere f is what elimination with J leaves of the
// torques.
TEST(CartesianModel, CarriesWrenchesToTheFrame) {
  const Mechanism robot = make_mechanism(load_robot(std::string(CATENA_SOURCE_DIR) + "/models/ur5.toml"));
  const auto expect_near = [](const Values& a, const Values& b, const char* what) {
    ASSERT_EQ(a.size(), b.size());
    for (std::size_t k = 0; k < a.size(); ++k) EXPECT_NEAR(a[k], b[k], 1e-9 * (1.0 + largest(b))) << what << k;
  };
  const auto call = [&](const char* job, const Inputs<double>& in) {
    Call<double> of(robot, job);
    Values out(of.size());
    of(in, out);
    return out;
  };
  Random random(5);
  CartesianDynamics dynamics(robot, robot.tool, FrameCoordinates::velocity);
  for (int k = 0; k < 50; ++k) {
    State x = random_state(random, 6);
    const double elbow_up[] = {0.1, -1.0, 1.0, 0.3, 1.0, 0.2};  // far from singular
    for (std::size_t j = 0; j < 6; ++j) x.q[j] = elbow_up[j] + random.between(-0.3, 0.3);
    const ExternalWrench<double> push{robot.tool, random.vector(20.0), random.vector(5.0), Axes::world};
    const ExternalWrench<double> elsewhere{2, random.vector(20.0), random.vector(5.0), Axes::frame};
    const CartesianModel own = dynamics.model(x.q, x.qd, x.qdd, {{push}});
    expect_near(own.W, {push.force.x, push.force.y, push.force.z, push.moment.x, push.moment.y, push.moment.z}, "W");
    const std::vector<ExternalWrench<double>> both{push, elsewhere};
    const CartesianModel all = dynamics.model(x.q, x.qd, x.qdd, both);
    const Values tau = call("inverse", {.q = x.q, .qd = x.qd, .qdd = x.qdd, .wrenches = both});
    Values back(6), sum(6);
    for (std::size_t j = 0; j < 6; ++j)
      for (std::size_t i = 0; i < 6; ++i) back[j] += all.J[i * 6 + j] * all.f[i];
    expect_near(back, tau, "Jᵀ f");
    for (std::size_t i = 0; i < 6; ++i) {
      sum[i] = all.C[i] + all.G[i] - all.W[i];
      for (std::size_t j = 0; j < 6; ++j) sum[i] += all.D[i * 6 + j] * all.acceleration[j];
    }
    expect_near(sum, all.f, "f");
    // The linearized model with wrenches is that of the joints with wrenches.
    const CartesianLinearization linear = dynamics.linearize(x.q, x.qd, x.qdd, both);
    const Values DVP = call("linearize", {.q = x.q, .qd = x.qd, .qdd = x.qdd, .wrenches = both});
    for (std::size_t i = 0; i < 6; ++i)
      for (std::size_t j = 0; j < 6; ++j) {
        double P = 0.0;  // P = P_hat J + V_hat J̇ + D_hat J̈
        for (std::size_t a = 0; a < 6; ++a)
          P += linear.P[i * 6 + a] * linear.J[a * 6 + j] + linear.V[i * 6 + a] * linear.J_dot[a * 6 + j] +
               linear.D[i * 6 + a] * linear.J_ddot[a * 6 + j];
        EXPECT_NEAR(P, DVP[72 + i * 6 + j], 1e-8 * largest(DVP)) << i << j;
      }
  }
}

}  // namespace
}  // namespace catena::test::control_test
