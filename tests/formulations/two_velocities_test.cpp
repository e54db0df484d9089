// Torques with a reference velocity, their regressor and what an observer of momenta integrates: against matrices,
// against Christoffel's symbols, and on every kind of robot.
#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "catena/base_motion.hpp"
#include "catena/call.hpp"
#include "catena/math/quaternion.hpp"
#include "catena/model/parameters.hpp"
#include "support/allocations.hpp"
#include "support/factor_robots.hpp"
#include "support/formulations.hpp"
#include "support/loop_robots.hpp"
#include "support/nightly.hpp"
#include "support/random_robot.hpp"
#include "support/tolerances.hpp"

namespace catena::test::two_velocities_test {
namespace {

struct Kinds {
  std::string name;
  Mechanism robot;
  State x;
  Values reference, base;
  Inputs<double> inputs() const { return {.q = x.q, .qd = x.qd, .qdd = x.qdd, .base = base, .reference = reference}; }
};
Values some(Random& random, std::size_t n) {
  Values out(n);
  for (double& v : out) v = random.between(-1.0, 1.0);
  return out;
}
// Plain, coupled, free, on a moving base, with closed loops; the second to fourth coupled as well, in turn.
Kinds kind_of(std::uint64_t seed) {
  Random random(seed);
  Regular c = regular(seed, 2 + static_cast<int>(seed % 6));
  const std::uint64_t kind = seed % 5;
  const bool coupled = kind == 1 || seed % 2 == 0;
  if (coupled && kind > 0) couple_some(random, c.robot, 0.5);
  RobotOptions options{.joints = 6 + static_cast<int>(seed % 4), .shape = Shape::tree, .massless_links = false};
  options.drives = seed % 2 == 0;
  Mechanism robot = make_mechanism(kind == 2   ? random_free(random, 1 + static_cast<int>(seed % 5), true, coupled)
                                   : kind == 4 ? random_loops(random, options, {LoopType::spherical}).robot
                                               : c.robot);
  Values base;
  if (kind == 3 || (kind == 4 && seed % 3 == 0)) {
    robot = on_moving_base(robot);
    base = some(random, base_motion_size);
  }
  State x = random_state(random, robot);
  if (robot.coordinates.is_free()) {
    x.q.push_back(random.between(-1.0, 1.0));
    normalize_quaternion(&x.q[3]);
  }
  for (double& v : x.qd) v += v >= 0.0 ? 0.1 : -0.1;  // away from where friction changes its sign
  constexpr const char* names[] = {"plain", "coupled", "free", "moving", "loops"};
  Values reference = some(random, x.qd.size());
  return {names[kind] + (" " + std::to_string(seed)), std::move(robot), std::move(x), std::move(reference),
          std::move(base)};
}
constexpr std::uint64_t tried = 60;

Values run(const Mechanism& robot, std::string_view job, std::string_view by, const Inputs<double>& in) {
  Call<double> call(robot, job, by);
  Values out(call.size());
  call(in, out);
  return out;
}
Values product(const Values& matrix, const Values& x, std::size_t rows) {
  Values out(rows);
  for (std::size_t i = 0; i < rows; ++i)
    for (std::size_t j = 0; j < x.size(); ++j) out[i] += matrix[i * x.size() + j] * x[j];
  return out;
}
// q moved by h along the velocity v: a free base along and about its own axes.
Values along(const Mechanism& robot, const Values& q, const Values& v, double h) {
  Values out = q;
  for (std::size_t k = 0; k < v.size(); ++k)
    if (!robot.coordinates.is_free() || k >= base_joints)
      out[robot.coordinates.position_of(Coordinate(static_cast<int>(k)))] += h * v[k];
  if (!robot.coordinates.is_free()) return out;
  const Vec3<double> xi{q[3], q[4], q[5]}, w{v[3], v[4], v[5]};
  const Vec3<double> step = h * (rotation_of(q[3], q[4], q[5], q[6]) * Vec3<double>{v[0], v[1], v[2]});
  out[0] += step.x, out[1] += step.y, out[2] += step.z;
  const double size = std::sqrt(dot(w, w)), s = std::sin(0.5 * h * size), c = std::cos(0.5 * h * size);
  const Vec3<double> axis = (1.0 / size) * w, turned = c * xi + (q[6] * s) * axis + s * cross(xi, axis);
  out[3] = turned.x, out[4] = turned.y, out[5] = turned.z, out[6] = q[6] * c - s * dot(xi, axis);
  return out;
}
constexpr std::pair<double, double> differences[] = {
    {-2.0, 1.0 / 12}, {-1.0, -2.0 / 3}, {1.0, 2.0 / 3}, {2.0, -1.0 / 12}};
// Ṁ along v.
Values inertia_rate(const Mechanism& robot, const Values& q, const Values& v) {
  Call<double> call(robot, "inertia");
  Values M(call.size()), rate(M.size());
  const double h = robot.coordinates.is_closed() ? 1e-4 : 1e-3;
  for (const auto& [step, weight] : differences) {
    const Values moved = along(robot, q, v, step * h);
    call({.q = moved}, M);
    for (std::size_t k = 0; k < M.size(); ++k) rate[k] += weight / h * M[k];
  }
  return rate;
}
// C of inverse_two: what it changes by with each entry of the reference, in which it is linear.
Values matrix_of(const Kinds& c) {
  const std::size_t n = c.x.qd.size();
  Values C(n * n), reference(n);
  Inputs<double> in = c.inputs();
  in.reference = reference;
  const Values without = run(c.robot, "inverse_two", {}, in);
  for (std::size_t j = 0; j < n; ++j) {
    reference[j] = 1.0;
    const Values tau = run(c.robot, "inverse_two", {}, in);
    reference[j] = 0.0;
    for (std::size_t i = 0; i < n; ++i) C[i * n + j] = tau[i] - without[i];
  }
  return C;
}

}  // namespace

TEST(TwoVelocities, AgreesWithMatricesOnChainsAndTrees) {
  for (const std::uint64_t seed : test::seeds(0, 200)) {
    const RobotSample s = sample(seed, seed % 20 == 19 ? 40 : 1 + static_cast<int>(seed % 12));
    const Mechanism robot = make_mechanism(s.robot);
    Random random(seed);
    const Values reference = some(random, s.state.qd.size());
    const Inputs<double> in{.q = s.state.q, .qd = s.state.qd, .qdd = s.state.qdd, .reference = reference};
    for (const char* job : {"inverse_two", "observer"}) {
      const Values expected = run(robot, job, "matrices", in);
      EXPECT_TRUE(near(run(robot, job, {}, in), expected, largest(expected) + 1.0, relative(1e-11))) << job << seed;
    }
  }
}

TEST(TwoVelocities, WithTheMotionsOwnRatesIsInverseDynamics) {
  for (const std::uint64_t seed : test::seeds(0, tried)) {
    Kinds c = kind_of(seed);
    c.reference = c.x.qd;
    for (const auto& [two, one] : {std::pair{"inverse_two", "inverse"}, {"regressor_two", "regressor"}}) {
      const Values expected = run(c.robot, one, {}, c.inputs());
      EXPECT_TRUE(near(run(c.robot, two, {}, c.inputs()), expected, largest(expected) + 1.0, relative(1e-11)))
          << two << " " << c.name;
    }
  }
}

// The definition: linear in the reference, by a C of which Ṁ - 2C is skew; that of the job `coriolis`, but for a base
// that moves as it is told, whose twist meets the rates in either place.
TEST(TwoVelocities, MatrixIsSkewBesideTheRateOfInertia) {
  for (const std::uint64_t seed : test::seeds(0, tried)) {
    const Kinds c = kind_of(seed);
    const std::size_t n = c.x.qd.size();
    const Values C = matrix_of(c), rate = inertia_rate(c.robot, c.x.q, c.x.qd);
    Values twice(n * n);
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t j = 0; j < n; ++j) twice[i * n + j] = C[i * n + j] + C[j * n + i];
    EXPECT_TRUE(near(twice, rate, largest(rate) + largest(C) + 1.0, relative(1e-7))) << c.name;
    if (c.robot.coordinates.is_moving()) continue;
    const Values expected = run(c.robot, "coriolis", {}, c.inputs());
    EXPECT_TRUE(near(C, expected, largest(expected) + 10.0, relative(1e-10))) << c.name;
  }
}

TEST(TwoVelocities, MatrixIsChristoffels) {
  for (const std::uint64_t seed : test::seeds(0, tried)) {
    const Kinds c = kind_of(seed);
    if (c.robot.coordinates.is_free() || c.robot.coordinates.is_moving()) continue;  // rates of no coordinates; a twist
    const std::size_t n = c.x.qd.size();
    std::vector<Values> dM;  // ∂M/∂q_k
    for (std::size_t k = 0; k < n; ++k) {
      Values unit(n);
      unit[k] = 1.0;
      dM.push_back(inertia_rate(c.robot, c.x.q, unit));
    }
    Values expected(n * n);
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t j = 0; j < n; ++j)
        for (std::size_t k = 0; k < n; ++k)
          expected[i * n + j] += 0.5 * (dM[k][i * n + j] + dM[j][i * n + k] - dM[i][j * n + k]) * c.x.qd[k];
    EXPECT_TRUE(near(matrix_of(c), expected, largest(expected) + 1.0, relative(1e-7))) << c.name;
  }
}

TEST(TwoVelocities, RegressorTimesParametersIsTheTorque) {
  for (const std::uint64_t seed : test::seeds(0, tried)) {
    const Kinds c = kind_of(seed);
    if (c.robot.coordinates.is_moving()) continue;  // the base's parameters are not among them
    const Values theta = standard_parameters(c.robot), tau = run(c.robot, "inverse_two", {}, c.inputs());
    const Values Y = run(c.robot, "regressor_two", {}, c.inputs());
    ASSERT_EQ(Y.size(), theta.size() * tau.size());
    EXPECT_TRUE(near(product(Y, theta, tau.size()), tau, largest(tau) + 100.0, relative(1e-11))) << c.name;
  }
}

TEST(Observer, MomentaChangeByTorquesAndBeta) {
  for (const std::uint64_t seed : test::seeds(0, tried)) {
    const Kinds c = kind_of(seed);
    const std::size_t n = c.x.qd.size();
    const Values found = run(c.robot, "observer", {}, c.inputs()), tau = run(c.robot, "inverse", {}, c.inputs());
    const Values momenta = product(run(c.robot, "inertia", {}, c.inputs()), c.x.qd, n);
    EXPECT_TRUE(near(Values(found.begin(), found.begin() + static_cast<std::ptrdiff_t>(n)), momenta,
                     largest(momenta) + 1.0, relative(1e-11)))
        << c.name;
    Values rate(n), expected(n);
    const double h = c.robot.coordinates.is_closed() ? 1e-4 : 1e-3;
    for (const auto& [step, weight] : differences) {
      const Values q = along(c.robot, c.x.q, c.x.qd, step * h);
      Values qd = c.x.qd;
      for (std::size_t j = 0; j < n; ++j) qd[j] += step * h * c.x.qdd[j];
      const Values p = run(c.robot, "observer", {}, {.q = q, .qd = qd, .base = c.base});
      for (std::size_t j = 0; j < n; ++j) rate[j] += weight / h * p[j];
    }
    for (std::size_t j = 0; j < n; ++j) expected[j] = tau[j] + found[n + j];
    EXPECT_TRUE(near(rate, expected, largest(tau) + largest(rate) + 1.0, relative(1e-6))) << c.name;
  }
}

TEST(TwoVelocities, CallsAllocateNothing) {
  for (const std::uint64_t seed : test::seeds(0, 10)) {
    const Kinds c = kind_of(seed);
    for (const char* job : {"inverse_two", "regressor_two", "observer"}) {
      Call<double> call(c.robot, job);
      Values out(call.size());
      const NoAlloc guard;
      call(c.inputs(), out);
    }
  }
}

}  // namespace catena::test::two_velocities_test
