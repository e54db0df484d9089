// Rollouts on a stub of CUDA against the same steps on the CPU, and against what physics says.
#include "catena/gpu.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "catena/robot_file.hpp"
#include "support/cache_folder.hpp"
#include "support/free_robots.hpp"
#include "support/random_robot.hpp"

namespace catena::gpu_rollout_test {
namespace {

using Row = std::vector<double>;

Mechanism shipped(const char* name) { return make_mechanism(load_robot(find_model(name))); }

// One arm on the CPU.
struct Arm {
  Call<double> forward, inverse;
  RolloutOptions options;
  Row q, qd, goal;

  Row torque(const Row& x, const Row& v, const double* of_step) {
    if (options.law == RolloutLaw::constant) return goal;
    if (options.law == RolloutLaw::table) return {of_step, of_step + x.size()};
    Row a(x.size());
    for (std::size_t j = 0; j < x.size(); ++j) a[j] = options.kp[j] * (goal[j] - x[j]) - options.kd[j] * v[j];
    if (options.law == RolloutLaw::pd) return a;
    Row tau(x.size());
    inverse({.q = x, .qd = v, .qdd = a}, tau);
    return tau;
  }
  Row acceleration(const Row& x, const Row& v, const double* of_step) {
    Row a(x.size());
    const Row tau = torque(x, v, of_step);
    forward({.q = x, .qd = v, .tau = tau}, a);
    return a;
  }
  static Row moved(const Row& from, double h, const Row& rate) {
    Row to = from;
    for (std::size_t j = 0; j < to.size(); ++j) to[j] += h * rate[j];
    return to;
  }
  void step(double h, const double* of_step) {
    if (options.scheme == RolloutScheme::semi_implicit_euler) {
      qd = moved(qd, h, acceleration(q, qd, of_step));
      q = moved(q, h, qd);
      return;
    }
    const Row a1 = acceleration(q, qd, of_step), v2 = moved(qd, h / 2, a1);
    const Row a2 = acceleration(moved(q, h / 2, qd), v2, of_step), v3 = moved(qd, h / 2, a2);
    const Row a3 = acceleration(moved(q, h / 2, v2), v3, of_step), v4 = moved(qd, h, a3);
    const Row a4 = acceleration(moved(q, h, v3), v4, of_step);
    for (std::size_t j = 0; j < q.size(); ++j) {
      q[j] += h / 6 * (qd[j] + 2 * v2[j] + 2 * v3[j] + v4[j]);
      qd[j] += h / 6 * (a1[j] + 2 * a2[j] + 2 * a3[j] + a4[j]);
    }
  }
};

class Rollout : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    ::setenv("CATENA_CUDA_LIBRARY", CATENA_STUB_CUDA, 1);
    ::setenv("CATENA_NVRTC_LIBRARY", CATENA_STUB_CUDA, 1);
  }
  GpuOptions quickly() const {
    GpuOptions options;
    options.search = false;
    options.cache_folder = cache.path().string();
    return options;
  }
  template <class S>
  void expect_like_on_the_cpu(const Mechanism& robot, const RolloutOptions& options, double allowed) const {
    const std::size_t n = std::size_t(robot.nv()), arms = 5, steps = 40;
    const double h = 1e-3;
    test::Random random(7);
    const auto numbers = [&](std::size_t count, double range) {
      std::vector<S> all(count);
      for (S& x : all) x = S(random.between(-range, range));
      return all;
    };
    std::vector<S> q = numbers(arms * n, 2.0), qd = numbers(arms * n, 1.0);
    const std::vector<S> target = numbers((options.law == RolloutLaw::table ? steps : arms) * n, 3.0);
    std::vector<Arm> expected;
    for (std::size_t k = 0; k < arms; ++k) {
      Arm arm{Call<double>(robot, "forward"), Call<double>(robot, "inverse"), options, {}, {}, {}};
      for (std::size_t j = 0; j < n; ++j) {
        arm.q.push_back(double(q[j * arms + k]));
        arm.qd.push_back(double(qd[j * arms + k]));
        if (options.law != RolloutLaw::table) arm.goal.push_back(double(target[j * arms + k]));
      }
      expected.push_back(std::move(arm));
    }
    const Row table(target.begin(), target.end());
    for (Arm& arm : expected)
      for (std::size_t i = 0; i < steps; ++i)
        arm.step(h, options.law == RolloutLaw::table ? table.data() + i * n : nullptr);
    GpuRollout<S>(robot, options, quickly()).run(arms, steps, h, target, q, qd);
    for (std::size_t k = 0; k < arms; ++k)
      for (std::size_t j = 0; j < n; ++j) {
        EXPECT_NEAR(double(q[j * arms + k]), expected[k].q[j], allowed) << k << ", " << j;
        EXPECT_NEAR(double(qd[j * arms + k]), expected[k].qd[j], 100 * allowed) << k << ", " << j;
      }
  }

  test::CacheFolder cache;
};

TEST_F(Rollout, EveryLawAndSchemeIsLikeOnTheCpu) {
  for (const char* name : {"ur5", "stanford"})
    for (const RolloutLawInfo& law : rollout_laws())
      for (const RolloutScheme scheme : {RolloutScheme::semi_implicit_euler, RolloutScheme::rk4}) {
        SCOPED_TRACE(std::string(name) + ", " + std::string(law.name) + ", " + std::to_string(int(scheme)));
        RolloutOptions options{law.law, scheme, {}, {}};
        if (law.has_gains) {
          for (int j = 0; j < 6; ++j) options.kp.push_back(1.0 + 0.2 * j), options.kd.push_back(0.02 + 0.002 * j);
        }
        expect_like_on_the_cpu<double>(shipped(name), options, 1e-9);
      }
  expect_like_on_the_cpu<float>(shipped("panda"), {RolloutLaw::constant, RolloutScheme::semi_implicit_euler, {}, {}},
                                1e-4);
}

// Under computed torque with the right model every joint is a damped oscillator by itself.
TEST_F(Rollout, ComputedTorqueGoesToItsTarget) {
  const Mechanism robot = shipped("planar2r");
  const RolloutOptions options{RolloutLaw::computed_torque, RolloutScheme::rk4, {100.0, 100.0}, {20.0, 20.0}};
  Row q{0.3, -0.8}, qd{0.0, 0.0};
  const Row target{1.0, 2.0};
  const double h = 1e-3, time = 0.5;
  GpuRollout<double>(robot, options, quickly()).run(1, 500, h, target, q, qd);
  const auto position = [&](double start, double goal) {  // both poles at -10
    return goal + (start - goal) * (1.0 + 10.0 * time) * std::exp(-10.0 * time);
  };
  EXPECT_NEAR(q[0], position(0.3, 1.0), 1e-9);
  EXPECT_NEAR(q[1], position(-0.8, 2.0), 1e-9);
}

TEST_F(Rollout, RefusesWhatDoesNotFit) {
  const Mechanism robot = shipped("planar2r");
  EXPECT_THROW(GpuRollout<double>(robot, {RolloutLaw::pd, {}, {1.0}, {1.0, 1.0}}, quickly()), std::invalid_argument);
  EXPECT_THROW(GpuRollout<double>(robot, {RolloutLaw::constant, {}, {1.0, 1.0}, {}}, quickly()), std::invalid_argument);
  test::Random random(2);
  EXPECT_THROW(GpuRollout<double>(make_mechanism(test::random_free(random, 2, false)), {}, quickly()), GpuError);
  const GpuRollout<double> rollout(robot, {}, quickly());
  Row two(2), three(3);
  EXPECT_THROW(rollout.run(1, 10, 1e-3, two, three, two), std::invalid_argument);
  EXPECT_THROW(rollout.run(1, 10, 1e-3, three, two, two), std::invalid_argument);
  EXPECT_NO_THROW(rollout.run(0, 10, 1e-3, {}, {}, {}));
}

}  // namespace
}  // namespace catena::gpu_rollout_test
