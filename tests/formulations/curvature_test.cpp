// Second derivatives of inverse and forward dynamics: against dual numbers of dual numbers, against differences of the
// first derivatives, and through every chart.
#include <gtest/gtest.h>

#include <cmath>

#include "catena/base_motion.hpp"
#include "catena/call.hpp"
#include "catena/math/quaternion.hpp"
#include "catena/scalar/counted.hpp"
#include "catena/second_derivatives.hpp"
#include "support/allocations.hpp"
#include "support/factor_robots.hpp"
#include "support/formulations.hpp"
#include "support/loop_robots.hpp"
#include "support/nightly.hpp"
#include "support/random_robot.hpp"
#include "support/tolerances.hpp"

namespace catena::test::curvature_test {
namespace {

Values multipliers(Random& random, std::size_t n) {
  Values lambda(n);
  for (double& v : lambda) v = random.between(-1.0, 1.0);
  return lambda;
}
Values run(const Mechanism& robot, std::string_view job, std::string_view by, const Inputs<double>& in) {
  Call<double> call(robot, job, by);
  Values out(call.size());
  call(in, out);
  return out;
}
Values block(const Values& all, std::size_t k, std::size_t n) {
  const auto first = all.begin() + static_cast<std::ptrdiff_t>(k * n * n);
  return Values(first, first + static_cast<std::ptrdiff_t>(n * n));
}
// Block by block, each relative to its largest entry; some are zero.
void expect_blocks(const Values& found, const Values& expected, std::size_t n, double tolerance,
                   const std::string& label) {
  for (std::size_t k = 0; k < 4; ++k)
    EXPECT_TRUE(
        near(block(found, k, n), block(expected, k, n), largest(block(expected, k, n)) + 1e-3, relative(tolerance)))
        << label << ", block " << k;
}

// The state moved along velocity k by h: a free base along and about its own axes.
Values displaced(const Mechanism& robot, const Values& q, std::size_t k, double h) {
  Values out = q;
  if (!robot.coordinates.is_free() || k >= base_joints) {
    out[robot.coordinates.position_of(Coordinate(static_cast<int>(k)))] += h;
    return out;
  }
  const Vec3<double> axis{k % 3 == 0 ? 1.0 : 0.0, k % 3 == 1 ? 1.0 : 0.0, k % 3 == 2 ? 1.0 : 0.0};
  const Vec3<double> xi{q[3], q[4], q[5]};
  if (k < 3) {
    const Vec3<double> step = h * (rotation_of(q[3], q[4], q[5], q[6]) * axis);
    out[0] += step.x, out[1] += step.y, out[2] += step.z;
    return out;
  }
  const double s = std::sin(0.5 * h), c = std::cos(0.5 * h);
  const Vec3<double> turned = c * xi + (q[6] * s) * axis + s * cross(xi, axis);
  out[3] = turned.x, out[4] = turned.y, out[5] = turned.z, out[6] = q[6] * c - s * dot(xi, axis);
  return out;
}

// λᵀ times the differences, of fourth order, of the three matrices of a job: what `curvature` and `response_curvature`
// are by definition. `order`: which of the matrices is by positions, by speeds, by what is third.
Values by_differences(const Mechanism& robot, std::string_view job, const std::array<std::size_t, 3>& order,
                      const Inputs<double>& in, const Values& lambda) {
  const std::size_t n = lambda.size();
  Call<double> call(robot, job);
  Values out(4 * n * n), matrices(call.size());
  const Values q(in.q.begin(), in.q.end());
  Values qd(in.qd.begin(), in.qd.end());
  const auto weighed = [&](std::size_t matrix, std::size_t j) {
    double sum = 0.0;
    for (std::size_t i = 0; i < n; ++i) sum += lambda[i] * matrices[(order[matrix] * n + i) * n + j];
    return sum;
  };
  const double h = robot.coordinates.is_closed() ? 1e-4 : 1e-3;  // loops may be near where they cannot close
  for (std::size_t k = 0; k < n; ++k)
    for (const auto& [step, weight] : {std::pair{-2.0, 1.0 / 12}, {-1.0, -2.0 / 3}, {1.0, 2.0 / 3}, {2.0, -1.0 / 12}}) {
      Inputs<double> moved = in;
      const Values at = displaced(robot, q, k, step * h);
      moved.q = at;
      call(moved, matrices);
      for (std::size_t j = 0; j < n; ++j) {
        out[j * n + k] += weight / h * weighed(0, j);
        out[2 * n * n + k * n + j] += weight / h * weighed(2, j);
      }
      moved = in;
      qd[k] += step * h;
      moved.qd = qd;
      call(moved, matrices);
      qd[k] = in.qd[k];
      for (std::size_t j = 0; j < n; ++j) {
        out[n * n + j * n + k] += weight / h * weighed(0, j);
        out[3 * n * n + j * n + k] += weight / h * weighed(1, j);
      }
    }
  return out;
}
void expect_differences(const Mechanism& robot, const State& x, const Values& lambda, const std::string& label,
                        std::span<const double> base = {}) {
  const ExternalWrench<double> pushes[] = {{robot.tool, {3.0, -2.0, 1.0}, {0.5, 1.0, -1.5}, Axes::frame},
                                           {robot.tool, {-1.0, 2.0, 4.0}, {1.0, -0.5, 0.5}, Axes::world}};
  const std::size_t pushed = lambda.size() % 3;
  Inputs<double> in{
      .q = x.q, .qd = x.qd, .qdd = x.qdd, .base = base, .wrenches = std::span(pushes).first(pushed), .lambda = lambda};
  expect_blocks(run(robot, "curvature", {}, in), by_differences(robot, "linearize", {2, 1, 0}, in, lambda),
                lambda.size(), 1e-6, label);
  const Values tau = run(robot, "inverse", {}, in);
  in.tau = tau;
  expect_blocks(run(robot, "response_curvature", {}, in), by_differences(robot, "response", {0, 1, 2}, in, lambda),
                lambda.size(), 2e-6, label + ", response");
}

}  // namespace

TEST(Curvature, AgreesWithDualOfDualOnChainsAndTrees) {
  for (const std::uint64_t seed : test::seeds(0, 300)) {
    const int joints = seed < 280 ? 1 + static_cast<int>(seed % 12) : 13 + static_cast<int>((seed - 280) * 27 / 19);
    RobotSample s = sample(seed, joints);
    const Mechanism robot = make_mechanism(s.robot);
    Random random(seed);
    const std::size_t n = s.state.q.size();
    const Values lambda = multipliers(random, n);
    const Inputs<double> in{.q = s.state.q, .qd = s.state.qd, .qdd = s.state.qdd, .lambda = lambda};
    const Values expected = run(robot, "curvature", "dual", in);
    for (const std::string_view by : {"composite", ""})
      expect_blocks(run(robot, "curvature", by, in), expected, n, 1e-10, "robot " + std::to_string(seed));
  }
}

TEST(Curvature, ResponsesAgreeWithDualOfDual) {
  for (const std::uint64_t seed : test::seeds(0, 60)) {
    const Regular c = regular(seed, 1 + static_cast<int>(seed % 9));
    const Mechanism robot = make_mechanism(c.robot);
    Random random(seed);
    const std::size_t n = c.x.q.size();
    const Values lambda = multipliers(random, n), tau = multipliers(random, n);
    const Inputs<double> in{.q = c.x.q, .qd = c.x.qd, .tau = tau, .lambda = lambda};
    const Values expected = run(robot, "response_curvature", "dual", in);
    for (const std::string_view by : {"composite", "articulated", ""})
      expect_blocks(run(robot, "response_curvature", by, in), expected, n, 1e-8, "robot " + std::to_string(seed));
  }
}

TEST(Curvature, IsWhatTheMatricesChangeBy) {
  for (const std::uint64_t seed : test::seeds(0, 40)) {
    const Regular c = regular(seed, 1 + static_cast<int>(seed % 7));
    State x = c.x;
    for (double& v : x.qd) v += v >= 0.0 ? 0.1 : -0.1;  // away from where friction changes its sign
    Random random(seed);
    expect_differences(make_mechanism(c.robot), x, multipliers(random, x.qd.size()), "robot " + std::to_string(seed));
  }
}

TEST(Curvature, OfCoupledJointsFreeBasesAndMovingBases) {
  for (const std::uint64_t seed : test::seeds(0, 24)) {
    Random random(seed);
    Regular c = regular(seed, 2 + static_cast<int>(seed % 6));
    if (seed % 2 == 0) couple_some(random, c.robot, 0.5);
    Mechanism robot = make_mechanism(c.robot);
    Values base;
    if (seed % 3 == 1)
      robot = make_mechanism(random_free(random, 1 + static_cast<int>(seed % 5), false, seed % 2 == 0));
    if (seed % 3 == 2) {
      robot = on_moving_base(robot);
      base = multipliers(random, base_motion_size);
    }
    State x = random_state(random, robot);
    if (robot.coordinates.is_free()) {
      x.q.push_back(random.between(-1.0, 1.0));
      normalize_quaternion(&x.q[3]);
    }
    for (double& v : x.qd) v += v >= 0.0 ? 0.1 : -0.1;
    expect_differences(robot, x, multipliers(random, x.qd.size()), "robot " + std::to_string(seed), base);
  }
}

TEST(Curvature, OfClosedLoops) {
  int tried = 0;
  for (const std::uint64_t seed : test::seeds(0, 12)) {
    Random random(seed);
    RobotOptions options;
    options.joints = 6 + static_cast<int>(seed % 4);
    options.shape = Shape::tree;
    options.massless_links = false;
    const LoopRobot loops = random_loops(random, options, {LoopType::spherical});
    const Mechanism robot = make_mechanism(loops.robot);
    if (robot.nv() == 0) continue;
    ++tried;
    const State x = random_state(random, robot);
    expect_differences(robot, x, multipliers(random, x.qd.size()), "robot " + std::to_string(seed));
    EXPECT_THROW(make_runner<Counted>("curvature", with_all_positions(robot), "composite"), std::invalid_argument);
  }
  EXPECT_GT(tried, test::sampled(5));
}

TEST(Curvature, CallsAllocateNothing) {
  for (const std::uint64_t seed : test::seeds(0, 4)) {
    Random random(seed);
    RobotOptions options{.joints = 6, .shape = Shape::tree, .massless_links = false};
    Robot plain = random_robot(random, options);
    if (seed == 1) couple_some(random, plain, 0.5);
    const Mechanism robot =
        make_mechanism(seed == 2 ? random_loops(random, options, {LoopType::spherical}).robot : plain);
    const State x = random_state(random, robot);
    const ExternalWrench<double> push{robot.tool, {3.0, -2.0, 1.0}, {0.5, 1.0, -1.5}, Axes::world};
    for (const char* job : {"curvature", "response_curvature"}) {
      Call<double> call(robot, job);
      Values out(call.size());
      const NoAlloc guard;
      call({.q = x.q, .qd = x.qd, .qdd = x.qdd, .tau = x.qdd, .wrenches = {&push, 1}, .lambda = x.qd}, out);
    }
  }
}

TEST(Curvature, TensorsAreThatOfEveryTorque) {
  const Regular c = regular(3, 5);
  const Mechanism robot = make_mechanism(c.robot);
  SecondDerivativeTensors<double> tensors(robot);
  const std::size_t n = c.x.q.size();
  Values all(tensors.size()), sum(4 * n * n);
  tensors({.q = c.x.q, .qd = c.x.qd, .qdd = c.x.qdd}, all);
  Random random(1);
  const Values lambda = multipliers(random, n);
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t k = 0; k < sum.size(); ++k) sum[k] += lambda[i] * all[i * sum.size() + k];
  const Inputs<double> in{.q = c.x.q, .qd = c.x.qd, .qdd = c.x.qdd, .lambda = lambda};
  expect_blocks(sum, run(robot, "curvature", {}, in), n, 1e-12, "tensors");
}

TEST(PositionHessian, IsWhatTheJacobianChangesBy) {
  for (const std::uint64_t seed : test::seeds(0, 30)) {
    Random random(seed);
    Regular c = regular(seed, 2 + static_cast<int>(seed % 6));
    if (seed % 2 == 0) couple_some(random, c.robot, 0.5);
    const Mechanism robot = make_mechanism(c.robot);
    const State x = random_state(random, robot);
    const std::size_t n = x.q.size();
    const int frame = random.below(static_cast<int>(robot.frames.size()));
    PositionHessian<double> hessian(robot);
    Values found(hessian.size()), expected(found.size());
    hessian(x.q, frame, found);
    const double h = 1e-5;
    for (std::size_t k = 0; k < n; ++k)
      for (const double way : {1.0, -1.0}) {
        Values q = x.q;
        q[k] += way * h;
        const Values J = run(robot, "jacobian", {}, {.q = q, .frame = frame});
        for (std::size_t r = 0; r < 3; ++r)
          for (std::size_t j = 0; j < n; ++j) expected[(r * n + j) * n + k] += way / (2.0 * h) * J[r * n + j];
      }
    EXPECT_TRUE(near(found, expected, largest(expected) + 1.0, relative(1e-8))) << seed;
  }
}

TEST(Curvature, RefusesWhatItCannotTake) {
  const Regular c = regular(3, 4);
  const Mechanism robot = make_mechanism(c.robot);
  Call<double> call(robot, "curvature");
  Values out(call.size());
  const Values lambda(3, 1.0);
  EXPECT_THROW(call({.q = c.x.q, .qd = c.x.qd, .qdd = c.x.qdd, .lambda = lambda}, out), std::invalid_argument);
}

}  // namespace catena::test::curvature_test
