// Kinematics in the user's frames, against the oracle and against exact derivatives of the library's own poses.
#include "run/kinematics_of.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "catena/call.hpp"
#include "catena/scalar/dual.hpp"
#include "oracle/newton_world.hpp"
#include "support/formulations.hpp"
#include "support/nightly.hpp"
#include "support/tolerances.hpp"

namespace catena::test::kinematics_test {
namespace {

using D = Dual<double>;

// Lengths grow with the robot; so does rounding.
double size_of(const Robot& robot, const State& x) {
  double size = 1.0;
  for (const JointDescription& j : robot.joints)
    size += std::sqrt(dot(j.origin.p, j.origin.p)) + std::sqrt(dot(j.child_frame.p, j.child_frame.p));
  return size + largest(x.q);
}

template <class Check>
void for_each_sample(std::uint64_t first, int count, Check check) {
  for (const std::uint64_t seed : test::seeds(first, first + static_cast<std::uint64_t>(count))) {
    SCOPED_TRACE("robot " + std::to_string(seed));
    const auto [robot, x] = sample(seed, 1 + static_cast<int>(seed) % 20, false);
    const Mechanism mechanism = make_mechanism(robot);
    check(robot, mechanism, x);
  }
}

Values rows_of(const Mat3<double>& m) { return {m.xx, m.xy, m.xz, m.yx, m.yy, m.yz, m.zx, m.zy, m.zz}; }
Values list(const Vec3<double>& v) { return {v.x, v.y, v.z}; }
Vec3<double> derivative(const Vec3<D>& v) { return {v.x.derivative, v.y.derivative, v.z.derivative}; }
Vec3<double> value(const Vec3<D>& v) { return {v.x.value, v.y.value, v.z.value}; }
// ω from Ṙ = ω~ R
Vec3<double> spin(const Mat3<D>& r) {
  const Mat3<double> R{r.xx.value, r.xy.value, r.xz.value, r.yx.value, r.yy.value,
                       r.yz.value, r.zx.value, r.zy.value, r.zz.value};
  const Mat3<double> rate{r.xx.derivative, r.xy.derivative, r.xz.derivative, r.yx.derivative, r.yy.derivative,
                          r.yz.derivative, r.zx.derivative, r.zy.derivative, r.zz.derivative};
  const Mat3<double> skew = rate * R.transpose();
  return {0.5 * (skew.zy - skew.yz), 0.5 * (skew.xz - skew.zx), 0.5 * (skew.yx - skew.xy)};
}

constexpr Tolerance pose_agreement = ulps<double>(64);  // of the robot's size
constexpr Tolerance rate_agreement = ulps<double>(64);

TEST(Kinematics, PosesOfEveryFrameMatchTheOracle) {
  for_each_sample(100, 200, [](const Robot& robot, const Mechanism& mechanism, const State& x) {
    Kinematics<double> kinematics(mechanism);
    kinematics.update(x.q);
    ASSERT_EQ(mechanism.frames.size(), robot.links.size() + robot.frames.size());
    for (int k = 0; k < static_cast<int>(mechanism.frames.size()); ++k) {
      const oracle::FramePlace expected = oracle::frame_place(robot, x.q, k);
      const Pose<double> pose = kinematics.pose(k);
      const auto& [r0, r1, r2] = expected.rotation;
      const Values rotation{r0[0], r0[1], r0[2], r1[0], r1[1], r1[2], r2[0], r2[1], r2[2]};
      EXPECT_TRUE(near(rows_of(pose.R), rotation, 1.0, relative(1e-12))) << mechanism.frames[index(k)].name;
      EXPECT_TRUE(near(list(pose.p), to_values(expected.origin), size_of(robot, x), pose_agreement))
          << mechanism.frames[index(k)].name;
    }
  });
}

// Made from a robot that is gone: it owns what it reads.
TEST(Kinematics, OwnsItsRobot) {
  const auto [robot, x] = sample(11, 5);
  const Mechanism mechanism = make_mechanism(robot);
  Kinematics<double> of_mechanism(mechanism), of_temporary(make_mechanism(robot));
  EXPECT_EQ(of_temporary.nv(), 5);
  of_mechanism.update(x.q, x.qd);
  of_temporary.update(x.q, x.qd);
  for (int k = 0; k < static_cast<int>(mechanism.frames.size()); ++k)
    EXPECT_EQ(of_temporary.pose(k), of_mechanism.pose(k));
  EXPECT_EQ(of_temporary.kinetic_energy(), of_mechanism.kinetic_energy());
}

// Column j is the derivative of the pose by q_j.
TEST(Kinematics, JacobianIsTheDerivativeOfThePose) {
  for_each_sample(300, 60, [](const Robot& robot, const Mechanism& mechanism, const State& x) {
    Kinematics<double> kinematics(mechanism);
    kinematics.update(x.q);
    Kinematics<D> moved(mechanism);
    std::vector<JacobianColumn<double>> columns(x.q.size());
    std::vector<D> q = as<D>(x.q);
    const double size = size_of(robot, x);
    for (int k = 0; k < static_cast<int>(mechanism.frames.size()); k += 3) {
      kinematics.jacobian(k, columns);
      for (std::size_t j = 0; j < q.size(); ++j) {
        q[j].derivative = 1.0;
        moved.update(q);
        q[j].derivative = 0.0;
        EXPECT_TRUE(near(list(columns[j].linear), list(derivative(moved.pose(k).p)), size, rate_agreement));
        EXPECT_TRUE(near(list(columns[j].angular), list(spin(moved.pose(k).R)), 1.0, relative(1e-13)));
      }
    }
  });
}

// The three routes of Laus, Simoni and Martins, eqs 22-31, to every frame.
TEST(Kinematics, RoutesToTheJacobianAgree) {
  for_each_sample(500, 60, [](const Robot& robot, const Mechanism& mechanism, const State& x) {
    Kinematics<double> kinematics(mechanism);
    kinematics.update(x.q);
    const std::size_t n = x.q.size();
    std::vector<JacobianColumn<double>> columns(n);
    EXPECT_EQ(formulations("jacobian").size(), 3U);
    for (const FormulationInfo& route : formulations("jacobian")) {
      Call<double> call(mechanism, "jacobian", route.name);
      Values J(call.size());
      for (int k = 0; k < static_cast<int>(mechanism.frames.size()); ++k) {
        call({.q = x.q, .frame = k}, J);
        kinematics.jacobian(k, columns);
        for (std::size_t j = 0; j < n; ++j) {
          const Values linear{J[j], J[n + j], J[2 * n + j]}, angular{J[3 * n + j], J[4 * n + j], J[5 * n + j]};
          EXPECT_TRUE(near(linear, list(columns[j].linear), size_of(robot, x), rate_agreement)) << route.name;
          EXPECT_TRUE(near(angular, list(columns[j].angular), 1.0, relative(1e-13))) << route.name;
        }
      }
    }
  });
}

TEST(Kinematics, JacobianDerivativeIsTheDerivativeOfTheJacobian) {
  for_each_sample(400, 60, [](const Robot& robot, const Mechanism& mechanism, const State& x) {
    Kinematics<double> kinematics(mechanism);
    kinematics.update(x.q, x.qd);
    Kinematics<D> moving(mechanism);
    std::vector<D> q;
    for (std::size_t j = 0; j < x.q.size(); ++j) q.emplace_back(x.q[j], x.qd[j]);
    moving.update(q);
    std::vector<JacobianColumn<double>> rates(q.size());
    std::vector<JacobianColumn<D>> columns(q.size());
    double speed = 1.0;
    for (const double rate : x.qd) speed += std::abs(rate);
    const double size = size_of(robot, x);
    for (int k = 0; k < static_cast<int>(mechanism.frames.size()); ++k) {
      kinematics.jacobian_derivative(k, rates);
      moving.jacobian(k, columns);
      for (std::size_t j = 0; j < q.size(); ++j) {
        EXPECT_TRUE(near(list(rates[j].linear), list(derivative(columns[j].linear)), size * speed, rate_agreement));
        EXPECT_TRUE(near(list(rates[j].angular), list(derivative(columns[j].angular)), speed, rate_agreement));
      }
    }
  });
}

// v = J q̇ and a = J q̈ + J̇ q̇, and both are derivatives along the motion.
TEST(Kinematics, MotionIsTheJacobianTimesTheRates) {
  for_each_sample(500, 80, [](const Robot& robot, const Mechanism& mechanism, const State& x) {
    Kinematics<double> kinematics(mechanism);
    kinematics.update(x.q, x.qd, x.qdd);
    Kinematics<D> moving(mechanism);
    std::vector<D> q, qd;
    double speed = 1.0, acceleration = 1.0;
    for (std::size_t j = 0; j < x.q.size(); ++j) {
      q.emplace_back(x.q[j], x.qd[j]), qd.emplace_back(x.qd[j], x.qdd[j]);
      speed += std::abs(x.qd[j]), acceleration += std::abs(x.qdd[j]);
    }
    acceleration += speed * speed;
    moving.update(q, qd);
    const double size = size_of(robot, x);
    std::vector<JacobianColumn<double>> J(q.size()), J_dot(q.size());
    for (int k = 0; k < static_cast<int>(mechanism.frames.size()); ++k) {
      kinematics.jacobian(k, J);
      kinematics.jacobian_derivative(k, J_dot);
      FrameMotion<double> expected;
      for (std::size_t j = 0; j < q.size(); ++j) {
        expected.velocity += x.qd[j] * J[j].linear;
        expected.omega += x.qd[j] * J[j].angular;
        expected.acceleration += x.qdd[j] * J[j].linear + x.qd[j] * J_dot[j].linear;
        expected.omega_dot += x.qdd[j] * J[j].angular + x.qd[j] * J_dot[j].angular;
      }
      const FrameMotion<double> m = kinematics.motion(k);
      EXPECT_TRUE(near(list(m.velocity), list(expected.velocity), size * speed, rate_agreement));
      EXPECT_TRUE(near(list(m.omega), list(expected.omega), speed, rate_agreement));
      EXPECT_TRUE(near(list(m.acceleration), list(expected.acceleration), size * acceleration, rate_agreement));
      EXPECT_TRUE(near(list(m.omega_dot), list(expected.omega_dot), acceleration, rate_agreement));
      const FrameMotion<D> d = moving.motion(k);
      EXPECT_TRUE(near(list(m.velocity), list(derivative(moving.pose(k).p)), size * speed, rate_agreement));
      EXPECT_TRUE(near(list(m.omega), list(spin(moving.pose(k).R)), speed, rate_agreement));
      EXPECT_TRUE(near(list(m.acceleration), list(derivative(d.velocity)), size * acceleration, rate_agreement));
      EXPECT_TRUE(near(list(m.omega_dot), list(derivative(d.omega)), acceleration, rate_agreement));
      EXPECT_TRUE(near(list(m.velocity), list(value(d.velocity)), size * speed, rate_agreement));
    }
  });
}

TEST(Kinematics, EnergiesMatchTheOracle) {
  for_each_sample(600, 200, [](const Robot& robot, const Mechanism& mechanism, const State& x) {
    Kinematics<double> kinematics(mechanism);
    kinematics.update(x.q, x.qd);
    const double kinetic = oracle::kinetic_energy(robot, x.q, x.qd);
    EXPECT_TRUE(near(kinematics.kinetic_energy(), kinetic, kinetic, ulps<double>(1024)));
    double weight = 0.0;
    for (const LinkDescription& link : robot.links) weight += 9.81 * link.inertial.mass;
    EXPECT_TRUE(near(kinematics.potential_energy(), oracle::potential_energy(robot, x.q), weight * size_of(robot, x),
                     pose_agreement));
  });
}

// Σ m v and Σ c x m v + I ω over the user's links, seen from the base.
TEST(Kinematics, MomentumMatchesTheOracle) {
  for_each_sample(900, 60, [](const Robot& robot, const Mechanism& mechanism, const State& x) {
    Kinematics<double> kinematics(mechanism);
    kinematics.update(x.q, x.qd);
    Vec3<double> linear, angular;
    for (int k = 0; k < static_cast<int>(robot.links.size()); ++k) {
      const Inertial& body = robot.links[index(k)].inertial;
      const Pose<double> pose = kinematics.pose(k);
      const FrameMotion<double> motion = kinematics.motion(k);
      const Vec3<double> arm = pose.R * body.com;
      const Vec3<double> momentum = body.mass * (motion.velocity + cross(motion.omega, arm));
      linear += momentum;
      angular += cross(pose.p + arm, momentum) + congruence(pose.R, body.inertia) * motion.omega;
    }
    const oracle::Momentum expected = oracle::momentum(robot, x.q, x.qd);
    double speed = 1.0;
    for (const double rate : x.qd) speed += std::abs(rate);
    const double size = size_of(robot, x), scale = robot.mass() * size * speed;
    EXPECT_TRUE(near(list(linear), to_values(expected.linear), scale, rate_agreement));
    EXPECT_TRUE(near(list(angular), to_values(expected.angular), scale * size, rate_agreement));
  });
}

TEST(Kinematics, TheGradientOfThePotentialIsTheGravityTorque) {
  for_each_sample(800, 60, [](const Robot& robot, const Mechanism& mechanism, const State& x) {
    const Values zero(x.q.size(), 0.0);
    const oracle::Torques gravity = oracle::inverse_dynamics(robot, x.q, zero, zero);
    Kinematics<D> kinematics(mechanism);
    std::vector<D> q = as<D>(x.q);
    Values gradient;
    for (std::size_t j = 0; j < q.size(); ++j) {
      q[j].derivative = 1.0;
      kinematics.update(q);
      q[j].derivative = 0.0;
      gradient.push_back(kinematics.potential_energy().derivative);
    }
    EXPECT_TRUE(near(gradient, gravity.tau, gravity.scale, rate_agreement));
  });
}

// A second update without rates forgets the rates of the first.
TEST(Kinematics, UpdateWithoutRatesStandsStill) {
  const auto [robot, x] = sample(1, 5, false);
  const Mechanism mechanism = make_mechanism(robot);
  Kinematics<double> kinematics(mechanism);
  kinematics.update(x.q, x.qd, x.qdd);
  kinematics.update(x.q);
  const FrameMotion<double> motion = kinematics.motion(mechanism.tool);
  EXPECT_EQ(list(motion.velocity), Values(3, 0.0));
  EXPECT_EQ(list(motion.acceleration), Values(3, 0.0));
  EXPECT_EQ(kinematics.kinetic_energy(), 0.0);
}

}  // namespace
}  // namespace catena::test::kinematics_test
