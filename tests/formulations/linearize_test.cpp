// The linearized model: the tensor formulation and Algorithms 7.1 and 7.2 of Balafoutis against dual numbers, all of
// them against differences of an inverse dynamics that none is made of, and against what must hold for any robot.
#include <gtest/gtest.h>

#include <cmath>

#include "catena/call.hpp"
#include "run/perturbation.hpp"
#include "support/allocations.hpp"
#include "support/formulations.hpp"
#include "support/nightly.hpp"
#include "support/random_robot.hpp"
#include "support/tolerances.hpp"

namespace catena::test::linearize_test {
namespace {

struct Case {
  Robot robot;
  Mechanism mechanism;
  State x;
  Values tau;
  std::size_t n;
};
Case case_of(std::uint64_t seed, int joints, bool drives = true) {
  catena::test::RobotSample s = sample(seed, joints, drives);
  Mechanism mechanism = make_mechanism(s.robot);
  Random random(seed + 7);
  Values tau(s.state.q.size());
  for (double& t : tau) t = random.between(-5.0, 5.0);
  const std::size_t n = s.state.q.size();
  return {std::move(s.robot), std::move(mechanism), std::move(s.state), std::move(tau), n};
}
Inputs<double> inputs(const Case& c) {
  return with_others<double>({.q = c.x.q, .qd = c.x.qd, .qdd = c.x.qdd, .tau = c.tau}, c.x.qdd);
}

Values run(const Case& c, std::string_view job, std::string_view formulation, const Inputs<double>& in) {
  Call<double> call(c.mechanism, job, formulation);
  Values out(call.size());
  call(in, out);
  return out;
}
Values block(const Values& all, std::size_t k, std::size_t n) {
  const auto first = all.begin() + static_cast<std::ptrdiff_t>(k * n * n);
  return Values(first, first + static_cast<std::ptrdiff_t>(n * n));
}

// The derivative of a job's n results along one input, by central differences of fourth order.
Values differences(const Case& c, std::string_view job, std::string_view formulation, Input along, Inputs<double> in,
                   double h) {
  Call<double> call(c.mechanism, job, formulation);
  Values out(c.n * c.n), at(in[along].begin(), in[along].end()), result(c.n);
  in[along] = at;
  for (std::size_t j = 0; j < c.n; ++j) {
    const double here = at[j];
    for (const auto& [step, weight] : {std::pair{-2.0, 1.0 / 12}, {-1.0, -2.0 / 3}, {1.0, 2.0 / 3}, {2.0, -1.0 / 12}}) {
      at[j] = here + step * h;
      call(in, result);
      for (std::size_t i = 0; i < c.n; ++i) out[i * c.n + j] += weight / h * result[i];
    }
    at[j] = here;
  }
  return out;
}

TEST(Linearize, FormulationsAgreeWithDualNumbersOnChainsAndTrees) {
  for (const std::uint64_t seed : test::seeds(0, 1000)) {
    const Case c = case_of(seed, 1 + static_cast<int>(seed % 20 == 0 ? 40 : seed % 13));
    const Values tensor = run(c, "linearize", "tensor", inputs(c)), dual = run(c, "linearize", "dual", inputs(c)),
                 printed = run(c, "linearize", "algorithms-7.1-7.2", inputs(c)),
                 fastest = run(c, "linearize", {}, inputs(c));
    for (const std::size_t k : {0U, 1U, 2U}) {
      EXPECT_TRUE(near(block(printed, k, c.n), block(dual, k, c.n), relative(1e-9)))
          << "robot " << seed << " matrix " << k;
      EXPECT_TRUE(near(block(tensor, k, c.n), block(dual, k, c.n), relative(1e-9)))
          << "robot " << seed << " matrix " << k;
      EXPECT_TRUE(near(block(fastest, k, c.n), block(dual, k, c.n), relative(1e-9)))
          << "robot " << seed << " matrix " << k;
    }
  }
}

TEST(Linearize, AgreesWithDifferencesOfAnotherInverseDynamics) {
  for (const std::uint64_t seed : test::seeds(0, 120)) {
    Case c = case_of(seed, 1 + static_cast<int>(seed % 9));
    for (double& v : c.x.qd) v += v >= 0.0 ? 0.1 : -0.1;  // away from the jump of dry friction
    Random random(seed);
    const auto wrenches = random_wrenches(random, c.robot, 3);
    Inputs<double> in = inputs(c);
    in.wrenches = wrenches;
    const Values all = run(c, "linearize", {}, in);
    const double size = largest(all) + largest(run(c, "inverse", "luh-walker-paul", in));
    const Input along[] = {Input::qdd, Input::qd, Input::q};
    for (std::size_t k = 0; k < 3; ++k)
      EXPECT_TRUE(near(block(all, k, c.n), differences(c, "inverse", "luh-walker-paul", along[k], in, 1e-3), size,
                       relative(1e-8)))
          << "robot " << seed << " matrix " << k;
    EXPECT_EQ(run(c, "stiffness", {}, in), block(all, 2, c.n));
    EXPECT_TRUE(near(run(c, "damping", {}, inputs(c)), block(all, 1, c.n), relative(1e-12)));
  }
}

TEST(Linearize, HalfOfVIsTheMatrixOfTheChristoffelSymbols) {
  for (const std::uint64_t seed : test::seeds(0, 300)) {
    const Case c = case_of(seed, 1 + static_cast<int>(seed % 15), false);
    const Values V = run(c, "damping", {}, inputs(c)), C = run(c, "coriolis", "denoc-christoffel", inputs(c)),
                 tensor = run(c, "coriolis", "tensor", inputs(c));
    Values half = V;
    for (double& v : half) v *= 0.5;
    const double size = largest(run(c, "inertia", {}, inputs(c))) * (1.0 + largest(c.x.qd));
    EXPECT_TRUE(near(half, C, size, relative(1e-12))) << "robot " << seed;
    EXPECT_TRUE(near(tensor, C, size, relative(1e-12))) << "robot " << seed;
    EXPECT_TRUE(near(block(run(c, "linearize", {}, inputs(c)), 0, c.n), run(c, "inertia", {}, inputs(c)), size,
                     relative(1e-12)));
  }
}

// A joint about the vertical turns everything alike; the last joint of a chain has no V of its own.
TEST(Linearize, KnowsWhatCannotChange) {
  for (const std::uint64_t seed : test::seeds(0, 100)) {
    Random random(seed);
    RobotOptions options;
    options.joints = 2 + static_cast<int>(seed % 7);
    options.mix = JointMix::revolute;
    options.fixed_links = options.shuffled = false;
    Robot robot = random_robot(random, options);
    robot.gravity = {0.0, 0.0, -9.81};
    robot.joints[0].origin = {};
    robot.joints[0].axis = {0.0, 0.0, 1.0};
    const State x = random_state(random, options.joints);
    const Case c{robot, make_mechanism(robot), x, x.q, x.q.size()};
    const Values all = run(c, "linearize", {}, inputs(c)), V = block(all, 1, c.n), P = block(all, 2, c.n);
    for (std::size_t i = 0; i < c.n; ++i) EXPECT_NEAR(P[i * c.n], 0.0, 1e-12 * largest(P)) << "robot " << seed;
    EXPECT_NEAR(V.back(), 0.0, 1e-12 * largest(V)) << "robot " << seed;
  }
}

// One sweep on dual numbers is the sum of three products, and allocates nothing.
TEST(Perturbation, IsTheProductWithTheMatrices) {
  for (const std::uint64_t seed : test::seeds(0, 200)) {
    const Case c = case_of(seed, 1 + static_cast<int>(seed % 20));
    Random random(seed);
    const auto wrenches = random_wrenches(random, c.robot, 3);
    Inputs<double> in = inputs(c);
    in.wrenches = wrenches;
    const Values all = run(c, "linearize", {}, in), tau = run(c, "inverse", {}, in);
    Values change[3] = {Values(c.n), Values(c.n), Values(c.n)}, expected(c.n), got(c.n), got_tau(c.n);
    for (Values& v : change)
      for (double& x : v) x = random.between(-1.0, 1.0);
    for (std::size_t k = 0; k < 3; ++k)
      for (std::size_t i = 0; i < c.n; ++i)
        for (std::size_t j = 0; j < c.n; ++j) expected[i] += all[k * c.n * c.n + i * c.n + j] * change[2 - k][j];
    Perturbation perturbation(c.mechanism);
    {
      const NoAlloc guard;
      perturbation({c.x.q, c.x.qd, c.x.qdd}, {change[0], change[1], change[2]}, got_tau, got, wrenches);
    }
    EXPECT_TRUE(near(got, expected, largest(expected) + largest(all), relative(1e-10))) << "robot " << seed;
    EXPECT_TRUE(near(got_tau, tau, largest(tau) + 1.0, relative(1e-10))) << "robot " << seed;
  }
}

// Two sweeps are the products with the transposed matrices, and allocate nothing.
TEST(Perturbation, TransposedIsTheProductWithTheTransposedMatrices) {
  for (const std::uint64_t seed : test::seeds(0, 400)) {
    const Case c = case_of(seed, 1 + static_cast<int>(seed % 20 == 0 ? 40 : seed % 20));
    Random random(seed);
    const auto wrenches = random_wrenches(random, c.robot, static_cast<int>(seed % 4));
    Inputs<double> in = inputs(c);
    in.wrenches = wrenches;
    const Values all = run(c, "linearize", "dual", in);
    Values lambda(c.n), expected[3] = {Values(c.n), Values(c.n), Values(c.n)}, got[3] = {lambda, lambda, lambda};
    for (double& l : lambda) l = random.between(-1.0, 1.0);
    for (std::size_t k = 0; k < 3; ++k)
      for (std::size_t i = 0; i < c.n; ++i)
        for (std::size_t j = 0; j < c.n; ++j) expected[k][j] += all[k * c.n * c.n + i * c.n + j] * lambda[i];
    Perturbation perturbation(c.mechanism);
    {
      const NoAlloc guard;
      perturbation.transposed({c.x.q, c.x.qd, c.x.qdd}, lambda, {got[2], got[1], got[0]}, wrenches);
    }
    for (std::size_t k = 0; k < 3; ++k)
      EXPECT_TRUE(near(got[k], expected[k], largest(all), relative(1e-10))) << "robot " << seed << " matrix " << k;
  }
}

TEST(Response, AgreesWithDifferencesOfAnotherForwardDynamics) {
  for (const std::uint64_t seed : test::seeds(0, 80)) {
    Random random(seed);
    RobotOptions options;
    options.joints = 1 + static_cast<int>(seed % 8);
    options.shape = seed % 2 ? Shape::tree : Shape::chain;
    options.massless_links = false;
    options.drives = seed % 3 == 0;
    const Robot robot = random_robot(random, options);
    State x = random_state(random, options.joints);
    for (double& v : x.qd) v += v >= 0.0 ? 0.1 : -0.1;
    Values tau;
    for (int j = 0; j < options.joints; ++j) tau.push_back(random.between(-5.0, 5.0));
    const Case c{robot, make_mechanism(robot), x, tau, x.q.size()};
    const auto wrenches = random_wrenches(random, c.robot, 2);
    Inputs<double> in = inputs(c);
    in.wrenches = wrenches;
    for (const char* formulation : {"", "tensor", "common-frame", "dual"}) {
      const Values all = run(c, "response", formulation, in);
      const Input along[] = {Input::q, Input::qd, Input::tau};
      for (std::size_t k = 0; k < 3; ++k) {
        const Values expected = differences(c, "forward", "denoc", along[k], in, 1e-3);
        EXPECT_TRUE(near(block(all, k, c.n), expected, largest(expected) + largest(run(c, "forward", "denoc", in)),
                         relative(1e-6)))
            << "robot " << seed << " matrix " << k << " by " << formulation;
      }
    }
  }
}

}  // namespace
}  // namespace catena::test::linearize_test
