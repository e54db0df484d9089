// A force and a constraint that were added by the recipes of docs/contributing.md: a balancer at joints, and a joint
// that follows a crank by its sine. Expected is what the tree gives when it is asked directly.
#include <gtest/gtest.h>

#include <cmath>
#include <memory>
#include <vector>

#include "catena/validate.hpp"
#include "formulations/forward/composite_ldlt.hpp"
#include "jobs/all_jobs.hpp"
#include "run/make_runner.hpp"
#include "run/runner_of.hpp"

namespace catena {

// One formulation for each job that is asked for here.
template <>
std::unique_ptr<Runner<double>> make_tree_runner(std::string_view job, std::shared_ptr<const Tree> tree,
                                                 std::string_view) {
  if (job == "inverse") return std::make_unique<RunnerOf<InverseJob, TensorAugmented, double>>(tree);
  if (job == "gravity") return std::make_unique<RunnerOf<GravityJob, AtRest<TensorAugmented>, double>>(tree);
  if (job == "bias") return std::make_unique<RunnerOf<BiasJob, BiasByInverse<TensorAugmented>, double>>(tree);
  if (job == "inertia") return std::make_unique<RunnerOf<InertiaJob, GeneralizedLinks, double>>(tree);
  if (job == "forward") return std::make_unique<RunnerOf<ForwardJob, CompositeForward, double>>(tree);
  if (job == "coriolis") return std::make_unique<RunnerOf<CoriolisJob, TensorChristoffel, double>>(tree);
  if (job == "linearize") return std::make_unique<RunnerOf<LinearizeJob, TensorLinearized, double>>(tree);
  if (job == "damping") return std::make_unique<RunnerOf<DampingJob, TensorDamping, double>>(tree);
  if (job == "energy") return std::make_unique<RunnerOf<EnergyJob, LinkEnergies, double>>(tree);
  if (job == "regressor") return std::make_unique<RunnerOf<RegressorJob, TensorRegressor, double>>(tree);
  if (job == "factor") return std::make_unique<RunnerOf<FactorJob, FormedElimination, double>>(tree);
  return nullptr;
}
template <class S>
std::unique_ptr<Runner<S>> make_tree_runner(std::string_view, std::shared_ptr<const TreeFor<S>>, std::string_view) {
  return nullptr;
}
template std::unique_ptr<Runner<float>> make_tree_runner<float>(std::string_view, std::shared_ptr<const TreeFor<float>>,
                                                                std::string_view);

namespace {

using Numbers = std::vector<double>;

Robot arm() {
  Robot robot;
  robot.name = "arm";
  robot.add_link("base");
  for (int i = 0; i < 4; ++i) {
    const double k = 0.1 * i;
    const int link =
        robot.add_link("l" + std::to_string(i), {1.5 - k, {0.2, k, 0.1}, {0.11, 0.12, 0.13, 0.01, 0.0, 0.02}});
    JointDescription joint;
    joint.name = "j" + std::to_string(i);
    joint.type = i == 2 ? JointType::prismatic : JointType::revolute;
    joint.parent = link - 1, joint.child = link;
    joint.origin = {rotation_from_rpy({0.4 + k, -0.3, 0.5}), {0.3, 0.1, k}};
    joint.drive = {0.3, 0.0, 0.002, 10.0};
    robot.add_joint(joint);
  }
  return robot;
}

Numbers run(const Mechanism& robot, std::string_view job, const Inputs<double>& in) {
  const auto runner = make_runner<double>(job, robot, job_info(job).standard_for(robot));
  Numbers out(index(job_info(job).size(sizes_of(robot))));
  if (runner->run(in, out)) runner->check(in, out);
  return out;
}
void expect_near(const Numbers& found, const Numbers& expected, double tolerance, const char* what) {
  ASSERT_EQ(found.size(), expected.size()) << what;
  for (std::size_t k = 0; k < found.size(); ++k)
    EXPECT_NEAR(found[k], expected[k], tolerance * (1.0 + std::abs(expected[k]))) << what << " " << k;
}

const Numbers q{0.4, -0.7, 0.2, 1.1}, qd{0.5, -0.3, 0.8, 0.6}, qdd{0.7, 0.2, -0.4, 0.9};

// D, V, P by differences of inverse dynamics, one behind the other.
Numbers by_differences(const Mechanism& robot) {
  const std::size_t n = q.size();
  Numbers out;
  for (int which = 2; which >= 0; --which) {  // by q̈, q̇, q
    Numbers matrix(n * n);
    for (std::size_t k = 0; k < n; ++k) {
      const double h = 1e-6;
      Numbers ends[2];
      for (int side = 0; side < 2; ++side) {
        Numbers x[3] = {q, qd, qdd};
        x[which][k] += side == 0 ? h : -h;
        ends[side] = run(robot, "inverse", {.q = x[0], .qd = x[1], .qdd = x[2]});
      }
      for (std::size_t i = 0; i < n; ++i) matrix[i * n + k] = (ends[0][i] - ends[1][i]) / (2.0 * h);
    }
    out.insert(out.end(), matrix.begin(), matrix.end());
  }
  return out;
}

TEST(AddedForce, ActsInEveryResult) {
  Robot balanced = arm();
  const double moment = 7.0, angle = 0.3;
  for (const int j : {1, 2}) {
    balanced.joints[index(j)].drive.more["balancer.moment"] = moment;
    balanced.joints[index(j)].drive.more["balancer.angle"] = angle;
  }
  const Mechanism with = make_mechanism(balanced), without = make_mechanism(arm());
  const Inputs<double> in{.q = q, .qd = qd, .qdd = qdd};
  for (const char* job : {"inverse", "bias", "gravity"}) {
    Numbers expected = run(without, job, in);
    for (const std::size_t j : {1U, 2U}) expected[j] += moment * std::sin(q[j] - angle);
    expect_near(run(with, job, in), expected, 1e-13, job);
  }
  expect_near(run(with, "linearize", in), by_differences(with), 1e-7, "linearize");
  Numbers energy = run(without, "energy", in);
  for (const std::size_t j : {1U, 2U}) energy[1] -= moment * std::cos(q[j] - angle);
  expect_near(run(with, "energy", in), energy, 1e-13, "energy");
  const Numbers tau = run(with, "inverse", in), Y = run(with, "regressor", in), theta = standard_parameters(with);
  Numbers linear(tau.size());
  for (std::size_t i = 0; i < tau.size(); ++i)
    for (std::size_t k = 0; k < theta.size(); ++k) linear[i] += Y[i * theta.size() + k] * theta[k];
  expect_near(linear, tau, 1e-13, "regressor");
  expect_near(run(with, "forward", {.q = q, .qd = qd, .tau = tau}), qdd, 1e-11, "forward");
}

TEST(AddedForce, WhatNoForceReadsIsRefused) {
  Robot robot = arm();
  robot.joints[1].drive.more["balancer.momnt"] = 7.0;
  EXPECT_THROW(make_mechanism(robot), ModelError);
}

TEST(AddedYoke, IsAChartLikeAnyOther) {
  const double radius = 0.6;
  const std::size_t j = 2;
  const Mechanism tree = make_mechanism(arm());
  Mechanism yoke = tree;
  yoke.coordinates.more["yoke"] = {double(j), radius};
  const Inputs<double> in{.q = q, .qd = qd, .qdd = qdd};
  Numbers q_t = q, qd_t = qd, qdd_t = qdd;
  const double G = radius * std::cos(q[j]);
  q_t[j] = radius * std::sin(q[j]);
  qd_t[j] = G * qd[j];
  qdd_t[j] = G * qdd[j] - q_t[j] * qd[j] * qd[j];
  Numbers expected = run(tree, "inverse", {.q = q_t, .qd = qd_t, .qdd = qdd_t});
  expected[j] *= G;
  const Numbers tau = run(yoke, "inverse", in);
  expect_near(tau, expected, 1e-13, "inverse");
  const Numbers derivatives = by_differences(yoke);
  expect_near(run(yoke, "linearize", in), derivatives, 1e-7, "linearize");
  const std::size_t n = q.size();
  expect_near(run(yoke, "inertia", in), {derivatives.begin(), derivatives.begin() + std::ptrdiff_t(n * n)}, 1e-7,
              "inertia");
  expect_near(run(yoke, "energy", in), run(tree, "energy", {.q = q_t, .qd = qd_t}), 1e-13, "energy");
  expect_near(run(yoke, "forward", {.q = q, .qd = qd, .tau = tau}), qdd, 1e-11, "forward");
  // b = C q̇ + weight + friction
  const Numbers C = run(yoke, "coriolis", in), weight = run(yoke, "gravity", in);
  Numbers bias = weight;
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t k = 0; k < n; ++k) bias[i] += C[i * n + k] * qd[k];
    bias[i] += 0.3 * (i == j ? G * G : 1.0) * qd[i];
  }
  expect_near(run(yoke, "bias", in), bias, 1e-12, "bias");
}

TEST(AddedYoke, WhatNoStepKnowsIsRefused) {
  Mechanism robot = make_mechanism(arm());
  robot.coordinates.more["crank"] = {1.0};
  EXPECT_THROW(run(robot, "inverse", {.q = q, .qd = qd, .qdd = qdd}), std::invalid_argument);
}

}  // namespace
}  // namespace catena
