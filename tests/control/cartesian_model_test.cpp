// Models in the coordinates of a frame: rates of the Jacobian against differences, the model against that of the
// joints, the linearized model against differences of τ(χ, χ̇, χ̈) through inverse kinematics.
#include "catena/control.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <numbers>
#include <stdexcept>

#include "catena/call.hpp"
#include "catena/inverse_kinematics.hpp"
#include "catena/kinematics.hpp"
#include "catena/robot_file.hpp"
#include "support/nightly.hpp"
#include "support/random_robot.hpp"
#include "support/small_matrices.hpp"

namespace catena::test::cartesian_model_test {
namespace {

Mechanism model(const std::string& name) {
  return make_mechanism(load_robot(CATENA_SOURCE_DIR "/models/" + name + ".toml"));
}

double size_of(const Vector& v) {
  double size = 0.0;
  for (const double x : v) size = std::max(size, std::abs(x));
  return size;
}
void expect_near(const Vector& a, const Vector& b, double tolerance, const std::string& what) {
  ASSERT_EQ(a.size(), b.size()) << what;
  const double scale = std::max(1.0, size_of(b));
  for (std::size_t k = 0; k < a.size(); ++k) EXPECT_NEAR(a[k], b[k], tolerance * scale) << what << ", entry " << k;
}
Vector call(const Mechanism& robot, const char* job, const Inputs<double>& in) {
  Call<double> of(robot, job);
  Vector out(of.size());
  of(in, out);
  return out;
}
Vector torques(const Mechanism& robot, const State& x) {
  return call(robot, "inverse", {.q = x.q, .qd = x.qd, .qdd = x.qdd});
}
// Where the motion through x is at time t.
State moved(const State& x, double t) {
  State y = x;
  for (std::size_t j = 0; j < x.q.size(); ++j) {
    y.q[j] += t * x.qd[j] + 0.5 * t * t * x.qdd[j];
    y.qd[j] += t * x.qdd[j];
  }
  return y;
}
Robot arm(std::uint64_t seed, const std::string& types) {
  Random random(seed);
  Robot robot = random_robot(random, {.joints = static_cast<int>(types.size()),
                                      .mix = JointMix::revolute,
                                      .fixed_links = false,
                                      .massless_links = false,
                                      .aligned_axes = false,
                                      .shuffled = false,
                                      .drives = true});
  for (JointDescription& joint : robot.joints)  // has no derivative where a speed is 0
    joint.drive.coulomb = joint.drive.stribeck = 0.0;
  const std::vector<int> moving = robot.moving_joints();
  for (std::size_t k = 0; k < types.size(); ++k)
    if (types[k] == 'P') robot.joints[index(moving[k])].type = JointType::prismatic;
  robot.add_frame("tip", robot.joints[index(moving.back())].child, {random.rotation(), random.vector(0.5)});
  robot.tool = "tip";
  return robot;
}
// A state where the frame can be moved every way, and angles are far from having no rates.
State regular_state(Random& random, CartesianDynamics& dynamics, int joints, double worst = 100.0, double least = 0.0) {
  for (int k = 0; k < 10000; ++k) {
    const State x = random_state(random, joints);
    try {
      const CartesianMotion motion = dynamics.motion(x.q, x.qd, x.qdd);
      const bool angles = motion.position.size() == 6;
      const double middle = angles ? motion.position[4] : 0.0;
      const bool rpy = angles && motion.names[4] == "pitch";
      if (motion.condition < worst && motion.smallest_singular_value > least &&
          (!angles || (rpy ? std::cos(middle) : std::sin(middle)) > 0.2))
        return x;
    } catch (const std::domain_error&) {
    }
  }
  throw std::logic_error("this robot is singular everywhere");
}

constexpr FrameCoordinates all_coordinates[] = {FrameCoordinates::position, FrameCoordinates::velocity,
                                                FrameCoordinates::rpy, FrameCoordinates::zyz};

// J̇, J̈, χ̇ and χ̈ are derivatives along the motion.
TEST(CartesianModel, RatesAreDerivatives) {
  for (const FrameCoordinates coordinates : all_coordinates)
    for (const std::uint64_t seed : test::seeds(0, 10)) {
      SCOPED_TRACE(std::to_string(static_cast<int>(coordinates)) + " of robot " + std::to_string(seed));
      const Mechanism robot = make_mechanism(arm(seed, "RRPRRRR"));
      CartesianDynamics dynamics(robot, robot.tool, coordinates);
      Random random(seed);
      const State x = regular_state(random, dynamics, 7, 1000.0);
      constexpr double h = 1e-4;
      const auto at = [&](double t) {
        const State y = moved(x, t);
        return dynamics.motion(y.q, y.qd, y.qdd);
      };
      const CartesianMotion here = at(0.0), after = at(h), before = at(-h);
      const auto rate = [&](const Vector& a, const Vector& b) { return combined(0.5 / h, a, -0.5 / h, b); };
      expect_near(here.J_dot, rate(after.J, before.J), 1e-5, "J_dot");
      expect_near(here.J_ddot, rate(after.J_dot, before.J_dot), 1e-5, "J_ddot");
      expect_near(here.acceleration, rate(after.velocity, before.velocity), 1e-5, "acceleration");
      Vector velocity = here.velocity;
      velocity.resize(here.position.size());
      expect_near(velocity, rate(after.position, before.position), 1e-5, "velocity");
    }
}

TEST(CartesianModel, GeometricRowsAreThoseOfKinematics) {
  const Mechanism robot = model("ur5");
  Random random(1);
  Kinematics<double> kinematics(robot);
  std::vector<JacobianColumn<double>> columns(6);
  CartesianDynamics dynamics(robot, robot.tool, FrameCoordinates::velocity);
  for (int k = 0; k < 20; ++k) {
    const State x = regular_state(random, dynamics, 6, 1e4);
    const CartesianMotion motion = dynamics.motion(x.q, x.qd, x.qdd);
    kinematics.update(x.q, x.qd, x.qdd);
    kinematics.jacobian_derivative(robot.tool, columns);
    for (std::size_t j = 0; j < 6; ++j) {
      EXPECT_NEAR(motion.J_dot[1 * 6 + j], columns[j].linear.y, 1e-13);
      EXPECT_NEAR(motion.J_dot[5 * 6 + j], columns[j].angular.z, 1e-13);
    }
    const FrameMotion<double> expected = kinematics.motion(robot.tool);
    EXPECT_NEAR(motion.velocity[0], expected.velocity.x, 1e-13);
    EXPECT_NEAR(motion.acceleration[4], expected.omega_dot.y, 1e-12);
  }
}

// ur5 at 100 states, in every kind of coordinates: D_χ, C_χ, G_χ and f by elimination with J and by what must hold.
TEST(CartesianModel, MatchesTheModelOfTheJoints) {
  const Mechanism robot = model("ur5");
  for (const FrameCoordinates coordinates :
       {FrameCoordinates::velocity, FrameCoordinates::rpy, FrameCoordinates::zyz}) {
    Random random(2);
    CartesianDynamics dynamics(robot, robot.tool, coordinates);
    for (int k = 0; k < 100; ++k) {
      const State x = regular_state(random, dynamics, 6, 1000.0);
      const CartesianModel m = dynamics.model(x.q, x.qd, x.qdd);
      const Vector Jt = transposed(m.J, 6), tau = torques(robot, x), M = call(robot, "inertia", {.q = x.q});
      const Vector b = call(robot, "bias", {.q = x.q, .qd = x.qd}), g = call(robot, "gravity", {.q = x.q});
      expect_near(m.f, solved(Jt, tau), 1e-10, "f");
      expect_near(m.G, solved(Jt, g), 1e-10, "G");
      expect_near(times(Jt, times(m.D, m.J, 6), 6), M, 1e-10, "JᵀDJ");
      const Vector drift = solved(m.J, times(m.J_dot, x.qd, 6));
      expect_near(m.C, solved(Jt, combined(1.0, combined(1.0, b, -1.0, g), -1.0, times(M, drift, 6))), 1e-9, "C");
      const Vector sum = combined(1.0, times(m.D, m.acceleration, 6), 1.0, combined(1.0, m.C, 1.0, m.G));
      expect_near(sum, m.f, 1e-9, "f = D χ̈ + C + G");
      EXPECT_FALSE(m.damped());
      EXPECT_GT(m.manipulability, 0.0);
    }
  }
}

// More joints than coordinates: J^# is the dynamically consistent inverse. What it leaves of a torque does not move the
// frame, and f is what accelerates it.
TEST(CartesianModel, RedundantArmsAreConsistent) {
  for (const char* name : {"panda", "iiwa14"}) {
    const Mechanism robot = model(name);
    CartesianDynamics dynamics(robot, robot.tool, FrameCoordinates::velocity);
    Random random(3);
    for (int k = 0; k < 20; ++k) {
      const State x = regular_state(random, dynamics, 7);
      const CartesianModel m = dynamics.model(x.q, x.qd, x.qdd);
      const Vector JJ = times(m.J, m.inverse, 7);
      for (std::size_t i = 0; i < 36; ++i) EXPECT_NEAR(JJ[i], i % 7 == 0 ? 1.0 : 0.0, 1e-10);
      const Vector sum = combined(1.0, times(m.D, m.acceleration, 6), 1.0, combined(1.0, m.C, 1.0, m.G));
      expect_near(sum, m.f, 1e-9, "f = D χ̈ + C + G");
      const Vector push = random_state(random, 7).q, tau = torques(robot, x);
      const Vector kept = times(transposed(m.J, 7), times(transposed(m.inverse, 6), push, 7), 6);
      const Vector more = combined(1.0, tau, 1.0, combined(1.0, push, -1.0, kept));
      const Vector qdd = call(robot, "forward", {.q = x.q, .qd = x.qd, .tau = more});
      expect_near(times(m.J, qdd, 7), times(m.J, x.qdd, 7), 1e-8, "acceleration of the frame");
    }
  }
}

// τ(χ, χ̇, χ̈): where χ is, by inverse kinematics from q; then q̇ and q̈ by elimination.
struct ThroughTheFrame {
  const Mechanism& robot;
  CartesianDynamics& dynamics;
  InverseKinematics& solver;
  FrameCoordinates coordinates;
  const State& x;

  Vector operator()(const Vector& chi, const Vector& velocity, const Vector& acceleration) {
    const bool position = coordinates == FrameCoordinates::position;
    const Pose<double> target = position ? Pose<double>{.p = {chi[0], chi[1], chi[2]}} : pose_of(chi, coordinates);
    const InverseKinematicsResult& found = solver.solve(
        target, x.q, {.position_tolerance = 2e-14, .rotation_tolerance = 2e-14, .starts = 1, .limits = false});
    EXPECT_LT(found.position_error, 1e-12);
    State y{found.q, x.qd, x.qdd};
    y.qd = solved(dynamics.motion(y.q, y.qd, y.qdd).J, velocity);
    const CartesianMotion there = dynamics.motion(y.q, y.qd, y.qdd);
    y.qdd = solved(there.J, combined(1.0, acceleration, -1.0, times(there.J_dot, y.qd, y.qd.size())));
    return torques(robot, y);
  }
};
void expect_linearized(const Mechanism& robot, FrameCoordinates coordinates, std::uint64_t seed) {
  CartesianDynamics dynamics(robot, robot.tool, coordinates);
  InverseKinematics solver(robot, robot.tool, coordinates == FrameCoordinates::position ? Aim::position : Aim::pose);
  Random random(seed);
  // Next to a singular position differences would need steps too small for their digits.
  const State x = regular_state(random, dynamics, robot.nv(), 30.0, 0.1);
  const CartesianLinearization m = dynamics.linearize(x.q, x.qd, x.qdd);
  ThroughTheFrame tau{robot, dynamics, solver, coordinates, x};
  const std::size_t n = x.q.size();
  constexpr double h = 2e-4;
  const auto column = [&](const Vector& a, std::size_t k) {
    Vector c(n);
    for (std::size_t i = 0; i < n; ++i) c[i] = a[i * n + k];
    return c;
  };
  for (std::size_t k = 0; k < n; ++k) {
    const auto difference = [&](auto of) {  // of the fourth order
      const Vector near = combined(1.0, of(h), -1.0, of(-h)), wide = combined(1.0, of(2.0 * h), -1.0, of(-2.0 * h));
      return combined(8.0 / (12.0 * h), near, -1.0 / (12.0 * h), wide);
    };
    const auto shifted = [&](Vector v, double by) { return v[k] += by, v; };
    const std::string what = " by coordinate " + std::to_string(k);
    const Vector &p = m.position, &v = m.velocity, &a = m.acceleration;
    expect_near(column(m.D, k), difference([&](double s) { return tau(p, v, shifted(a, s)); }), 1e-8, "D" + what);
    expect_near(column(m.V, k), difference([&](double s) { return tau(p, shifted(v, s), a); }), 1e-8, "V" + what);
    expect_near(column(m.P, k), difference([&](double s) { return tau(shifted(p, s), v, a); }), 1e-7, "P" + what);
  }
}
TEST(CartesianModel, LinearizedMatchesTheNonlinearModelOfAPoint) {
  for (const char* types : {"RRR", "RRP", "PRR", "RPR"})
    for (const std::uint64_t seed : test::seeds(0, 5)) {
      SCOPED_TRACE(types + std::to_string(seed));
      expect_linearized(make_mechanism(arm(seed, types)), FrameCoordinates::position, seed);
    }
}
TEST(CartesianModel, LinearizedMatchesTheNonlinearModelOfAPose) {
  for (const FrameCoordinates coordinates : {FrameCoordinates::rpy, FrameCoordinates::zyz})
    for (const std::uint64_t seed : test::seeds(0, 3)) {
      SCOPED_TRACE(seed);
      expect_linearized(model("ur5"), coordinates, seed);
      expect_linearized(make_mechanism(arm(seed, "RRRRRR")), coordinates, seed);
      expect_linearized(make_mechanism(arm(seed, "RRPRRR")), coordinates, seed);
    }
}

// More joints than rows: the linearized model is that of the motion which the same inverse gives the joints.
TEST(CartesianModel, LinearizedRedundantArmsMoveByTheSameInverse) {
  const Mechanism robot = model("panda");
  for (const FrameCoordinates coordinates : {FrameCoordinates::position, FrameCoordinates::rpy}) {
    CartesianDynamics dynamics(robot, robot.tool, coordinates);
    Random random(5);
    const State x = regular_state(random, dynamics, 7), random_variation = random_state(random, 6);
    const CartesianLinearization m = dynamics.linearize(x.q, x.qd, x.qdd);
    const std::size_t rows = m.names.size();
    Vector p = random_variation.q, v = random_variation.qd, a = random_variation.qdd;
    p.resize(rows), v.resize(rows), a.resize(rows);
    const Vector dq = times(m.inverse, p, rows);
    const Vector dqd = times(m.inverse, combined(1.0, v, -1.0, times(m.J_dot, dq, 7)), rows);
    const Vector less = combined(2.0, times(m.J_dot, dqd, 7), 1.0, times(m.J_ddot, dq, 7));
    const Vector dqdd = times(m.inverse, combined(1.0, a, -1.0, less), rows);
    constexpr double h = 1e-6;
    const auto shifted = [&](double s) {
      return torques(robot, {combined(1.0, x.q, s, dq), combined(1.0, x.qd, s, dqd), combined(1.0, x.qdd, s, dqdd)});
    };
    const Vector predicted =
        combined(1.0, times(m.D, a, rows), 1.0, combined(1.0, times(m.V, v, rows), 1.0, times(m.P, p, rows)));
    expect_near(predicted, combined(0.5 / h, shifted(h), -0.5 / h, shifted(-h)), 1e-6, "torques");
  }
}

// Angular velocities are no rates of coordinates: the differences that are measured must be converted, and then the
// linearized model is exact; as they are, they give something else.
TEST(CartesianModel, VariationsOfAngularVelocityAreConverted) {
  for (const std::uint64_t seed : test::seeds(0, 10)) {
    const Mechanism robot = make_mechanism(arm(seed, "RRRRRR"));
    CartesianDynamics dynamics(robot, robot.tool, FrameCoordinates::velocity);
    Random random(seed);
    const State x = regular_state(random, dynamics, 6, 50.0), d = random_state(random, 6);
    constexpr double h = 1e-5;
    const auto shifted = [&](double s) {
      return State{combined(1.0, x.q, s, d.q), combined(1.0, x.qd, s, d.qd), combined(1.0, x.qdd, s, d.qdd)};
    };
    const State plus = shifted(h), minus = shifted(-h);
    Kinematics<double> kinematics(robot);
    const auto seen = [&](const State& y) {
      kinematics.update(y.q, y.qd, y.qdd);
      return std::pair(kinematics.pose(robot.tool), kinematics.motion(robot.tool));
    };
    const auto [pose_plus, motion_plus] = seen(plus);
    const auto [pose_minus, motion_minus] = seen(minus);
    const FrameMotion<double> here = seen(x).second;
    const auto rate = [&](const Vec3<double>& a, const Vec3<double>& b) { return (0.5 / h) * (a - b); };
    const Vec3<double> turn = (0.5 / h) * rotation_vector(pose_plus.R * pose_minus.R.transpose());
    const Vec3<double> omega = rate(motion_plus.omega, motion_minus.omega);
    const Vec3<double> omega_dot = rate(motion_plus.omega_dot, motion_minus.omega_dot);
    const RotationVariation v = rotation_variation(turn, omega, omega_dot, here.omega, here.omega_dot);
    const auto six = [](const Vec3<double>& a, const Vec3<double>& b) { return Vector{a.x, a.y, a.z, b.x, b.y, b.z}; };
    const CartesianLinearization m = dynamics.linearize(x.q, x.qd, x.qdd);
    const Vec3<double> p = rate(pose_plus.p, pose_minus.p), pd = rate(motion_plus.velocity, motion_minus.velocity),
                       pdd = rate(motion_plus.acceleration, motion_minus.acceleration);
    const auto predicted = [&](const Vec3<double>& turn_rate, const Vec3<double>& turn_acceleration) {
      return combined(1.0, times(m.D, six(pdd, turn_acceleration), 6), 1.0,
                      combined(1.0, times(m.V, six(pd, turn_rate), 6), 1.0, times(m.P, six(p, turn), 6)));
    };
    const Vector measured = combined(0.5 / h, torques(robot, plus), -0.5 / h, torques(robot, minus));
    expect_near(predicted(v.rate, v.acceleration), measured, 1e-6, "robot " + std::to_string(seed));
    const Vector raw = predicted(omega, omega_dot);
    EXPECT_GT(size_of(combined(1.0, raw, -1.0, measured)), 1e-3);
  }
}

std::string refusal(const std::function<void()>& act) {
  try {
    act();
  } catch (const std::domain_error& error) {
    return error.what();
  }
  return "";
}
TEST(CartesianModel, NamesTheDirectionsThatAreLost) {
  const Vector zero6(6), q6{0.1, -1.0, 1.0, 0.3, 0.0, 0.2};  // wrist stretched
  const Mechanism six = model("ur5");
  const std::string wrist =
      refusal([&] { CartesianDynamics(six, six.tool, FrameCoordinates::velocity).model(q6, zero6, zero6); });
  EXPECT_NE(wrist.find("the Jacobian of frame 'tool0' is singular: no joint can move it along "), std::string::npos)
      << wrist;
  const Mechanism two = model("planar2r");
  const Vector zero2(2), bent{0.3, 0.7}, stretched{0.0, 0.0};
  const std::string plane =
      refusal([&] { CartesianDynamics(two, two.tool, FrameCoordinates::velocity).model(bent, zero2, zero2); });
  for (const char* lost : {"along z, wx, wy, ", " x"}) EXPECT_NE(plane.find(lost), std::string::npos) << plane;
  const std::string straight = refusal([&] {
    CartesianDynamics(two, two.tool, FrameCoordinates::position, {.rows = {0, 1}}).model(stretched, zero2, zero2);
  });
  EXPECT_NE(straight.find("along x;"), std::string::npos) << straight;
  CartesianDynamics in_plane(two, two.tool, FrameCoordinates::position, {.rows = {0, 1}});
  EXPECT_EQ(in_plane.model(bent, zero2, zero2).names, (std::vector<std::string>{"x", "y"}));
}

TEST(CartesianModel, RobotsThatDoNotMove) {
  Robot robot;
  robot.add_link("base");
  const Mechanism still = make_mechanism(robot);
  const Vector none;
  const std::string words =
      refusal([&] { CartesianDynamics(still, 0, FrameCoordinates::position).model(none, none, none); });
  EXPECT_NE(words.find("along x, y, z;"), std::string::npos) << words;
  EXPECT_TRUE(CartesianDynamics(still, 0, FrameCoordinates::rpy, {.damping = 0.1}).model(none, none, none).damped());
  EXPECT_TRUE(InverseKinematics(still, 0, Aim::pose).solve({}).reached);
  EXPECT_FALSE(InverseKinematics(still, 0, Aim::pose).solve({.p = {0.0, 0.0, 1.0}}).reached);
}

TEST(CartesianModel, AnglesWithoutRatesAreRefused) {
  const Mechanism robot = model("planar3r");  // turns about z only: beta is 0
  const Vector q{0.1, 0.7, -0.4}, zero(3);
  const std::string words = refusal(
      [&] { CartesianDynamics(robot, robot.tool, FrameCoordinates::zyz, {.damping = 0.1}).model(q, zero, zero); });
  EXPECT_NE(words.find("beta is 0°"), std::string::npos) << words;
  CartesianDynamics yaw(robot, robot.tool, FrameCoordinates::rpy, {.rows = {0, 1, 5}});
  EXPECT_NEAR(yaw.model(q, zero, zero).position[2], 0.4, 1e-12);
}

// Far from singular positions damping does nothing; near them it is said, and results stay of a size; they are
// continuous.
TEST(CartesianModel, DampingIsSaid) {
  const Mechanism robot = model("ur5");
  const Vector qd{0.1, 0.2, 0.3, -0.1, 0.2, 0.1}, zero(6);
  CartesianDynamics plain(robot, robot.tool, FrameCoordinates::velocity),
      damped(robot, robot.tool, FrameCoordinates::velocity, {.damping = 0.02});
  const Vector far{0.1, -1.0, 1.0, 0.3, 1.2, 0.2}, at{0.1, -1.0, 1.0, 0.3, 0.0, 0.2};
  EXPECT_EQ(plain.model(far, qd, zero).D, damped.model(far, qd, zero).D);
  EXPECT_FALSE(damped.model(far, qd, zero).damped());
  const CartesianModel singular = damped.model(at, qd, zero);
  EXPECT_TRUE(singular.damped());
  EXPECT_NEAR(singular.damping, 0.02, 1e-12);
  EXPECT_GT(singular.condition, 1e12);
  EXPECT_NEAR(singular.manipulability, 0.0, 1e-12);
  EXPECT_LT(size_of(singular.inverse), 1.0 / 0.02);
  EXPECT_TRUE(damped.linearize(at, qd, zero).damped());
  // Where damping sets in, both sides agree.
  Vector low = at, high = far;
  for (int k = 0; k < 60; ++k) {
    const Vector middle = combined(0.5, low, 0.5, high);
    (damped.motion(middle, qd, zero).damped() ? low : high) = middle;
  }
  const CartesianModel below = damped.model(low, qd, zero), above = damped.model(high, qd, zero);
  EXPECT_TRUE(below.damped());
  EXPECT_FALSE(above.damped());
  expect_near(below.D, above.D, 1e-9, "D");
}

// (6): the square of the damping and that of the smallest singular value make up that of the damping that is allowed.
// Of two rods of length 1 in a plane, σ₁σ₂ = |sin q₂| and σ₁² + σ₂² = 3 + 2 cos q₂.
TEST(CartesianModel, DampingGrowsAsTheSmallestSingularValueFalls) {
  const Mechanism robot = model("planar2r");
  const double allowed = 0.3;
  CartesianDynamics damped(robot, robot.tool, FrameCoordinates::position, {.damping = allowed, .rows = {0, 1}});
  const Vector zero(2);
  for (const double q2 : {0.0, 0.02, 0.1, -0.2, 0.5}) {
    const double squares = 3.0 + 2.0 * std::cos(q2), twice = 2.0 * std::abs(std::sin(q2));
    const double smallest = 0.5 * (std::sqrt(squares + twice) - std::sqrt(squares - twice));
    ASSERT_LT(smallest, allowed);
    const double expected = std::sqrt(allowed * allowed - smallest * smallest);
    EXPECT_NEAR(damped.motion(Vector{0.7, q2}, zero, zero).damping, expected, 1e-9) << q2;
  }
}

TEST(CartesianModel, RefusesWhatMakesNoSense) {
  const Mechanism robot = model("ur5");
  EXPECT_THROW(CartesianDynamics(robot, 99, FrameCoordinates::position), std::invalid_argument);
  EXPECT_THROW(CartesianDynamics(robot, 0, FrameCoordinates::position, {.rows = {3}}), std::invalid_argument);
  EXPECT_THROW(CartesianDynamics(robot, 0, FrameCoordinates::rpy, {.rows = {1, 0}}), std::invalid_argument);
  EXPECT_THROW(CartesianDynamics(robot, 0, FrameCoordinates::rpy, {.damping = -1.0}), std::invalid_argument);
  CartesianDynamics dynamics(robot, robot.tool, FrameCoordinates::position);
  const Vector three(3), six(6);
  EXPECT_THROW(dynamics.model(three, six, six), std::invalid_argument);
  EXPECT_THROW(dynamics.linearize(six, six, three), std::invalid_argument);
}

// Coordinates and poses are each other's inverse.
TEST(CartesianModel, CoordinatesOfPoses) {
  Random random(6);
  for (const FrameCoordinates coordinates : {FrameCoordinates::rpy, FrameCoordinates::zyz})
    for (int k = 0; k < 50; ++k) {
      const Pose<double> pose{random.rotation(), random.vector(1.0)};
      const Pose<double> back = pose_of(coordinates_of(pose, coordinates), coordinates);
      const Vec3<double> turn = rotation_vector(back.R * pose.R.transpose());
      EXPECT_LT(std::sqrt(dot(turn, turn)), 1e-13);
      EXPECT_EQ(back.p, pose.p);
    }
}

}  // namespace
}  // namespace catena::test::cartesian_model_test
