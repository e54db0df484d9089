// Batches of a robot on a free base: as its calls have it, on every engine, and states whose quaternion is none marked.
// And of one whose base moves as it is told, or is at rest where nothing is told. And the names that a free base takes.
#include <gtest/gtest.h>

#include <cmath>

#include "catena/batch.hpp"
#include "support/cache_folder.hpp"
#include "support/free_robots.hpp"

namespace catena::test::free_base_batch_test {
namespace {

TEST(FreeBaseBatch, IsItsCallsAndMarksQuaternionsThatAreNone) {
  constexpr std::size_t states = 600, bad[] = {3, 299, 599};
  const CacheFolder cache;
  Random random(3);
  const Mechanism robot = make_mechanism(random_free(random, 5, true));
  const auto nq = static_cast<std::size_t>(robot.nq()), nv = static_cast<std::size_t>(robot.nv());
  Values q(states * nq), qd(states * nv), qdd(states * nv);
  for (std::size_t k = 0; k < states; ++k) {
    const State x = start(random, robot, 1.0);
    std::copy(x.q.begin(), x.q.end(), q.begin() + static_cast<std::ptrdiff_t>(k * nq));
    const double angle = random.between(-3.0, 3.0);
    q[k * nq + 4] = std::sin(angle), q[k * nq + 6] = std::cos(angle);
    for (std::size_t j = 0; j < nv; ++j) qd[k * nv + j] = x.qd[j], qdd[k * nv + j] = random.between(-1.0, 1.0);
  }
  for (const std::size_t k : bad) q[k * nq + 6] += 0.5;
  for (const BatchEngine engine : {BatchEngine::generic, BatchEngine::compiled}) {
    BatchOptions options;
    options.engine = engine;
    options.compile = cache.options();
    Batch<double> batch(robot, {{"inverse"}, {"bias"}}, options);
    EXPECT_GT(batch.engines().front().lanes, 1);
    Values tau(states * nv), b(states * nv);
    BatchInputs<double> in;
    in[Input::q] = {q.data(), static_cast<std::ptrdiff_t>(nq), 1};
    in[Input::qd] = {qd.data(), static_cast<std::ptrdiff_t>(nv), 1};
    in[Input::qdd] = {qdd.data(), static_cast<std::ptrdiff_t>(nv), 1};
    const StateArray<double> out[] = {{tau.data(), static_cast<std::ptrdiff_t>(nv), 1},
                                      {b.data(), static_cast<std::ptrdiff_t>(nv), 1}};
    const BatchReport report = batch.run(states, in, out);
    EXPECT_EQ(report.failed, std::size(bad));
    EXPECT_EQ(report.first_failed, bad[0]);
    EXPECT_NE(report.why.find("the quaternion of the base"), std::string::npos) << report.why;
    for (std::size_t k = 0; k < states; ++k) {
      const auto row = [&](const Values& all, std::size_t n) {
        return Values(all.begin() + static_cast<std::ptrdiff_t>(k * n),
                      all.begin() + static_cast<std::ptrdiff_t>((k + 1) * n));
      };
      if (std::find(std::begin(bad), std::end(bad), k) != std::end(bad)) {
        EXPECT_TRUE(std::isnan(tau[k * nv]) && std::isnan(b[k * nv + nv - 1])) << k;
        continue;
      }
      const State x{row(q, nq), row(qd, nv), row(qdd, nv)};
      ASSERT_TRUE(near(row(tau, nv), run(robot, "inverse", "", x), relative(1e-9))) << k;
      ASSERT_TRUE(near(row(b, nv), run(robot, "bias", "", x), relative(1e-9))) << k;
    }
  }
}

TEST(MovingBaseBatch, IsAtRestWhereNothingIsTold) {
  constexpr std::size_t states = 100;
  const CacheFolder cache;
  Random random(4);
  const Robot arm = random_robot(random, {.joints = 4, .massless_links = false, .drives = true});
  const Mechanism robot = on_moving_base(make_mechanism(arm));
  Values q(4 * states), told(base_motion_size * states);
  for (double& value : q) value = random.between(-3.0, 3.0);
  for (double& value : told) value = random.between(-3.0, 3.0);
  for (const BatchEngine engine : {BatchEngine::generic, BatchEngine::compiled}) {
    BatchOptions options;
    options.engine = engine;
    options.compile = cache.options();
    Batch<double> batch(robot, {{"bias"}}, options);
    const auto torques = [&](const StateArray<const double>& base_motion) {
      Values b(4 * states);
      const StateArray<double> out = states_in_rows(b.data(), 4);
      const auto rows = states_in_rows<const double>(q.data(), 4);
      EXPECT_EQ(batch.run(states, {.q = rows, .qd = rows, .base = base_motion}, {&out, 1}).failed, 0U);
      return b;
    };
    const double zero = 0.0;
    EXPECT_EQ(torques({}), torques({&zero, 0, 0}));
    const Values moved = torques(states_in_rows<const double>(told.data(), base_motion_size));
    Call<double> call(robot, "bias");
    Values expected(4);
    for (std::size_t k = 0; k < states; ++k) {
      const std::span<const double> x(&q[4 * k], 4), motion(&told[base_motion_size * k], base_motion_size);
      call({.q = x, .qd = x, .base = motion}, expected);
      ASSERT_TRUE(near(Values(&moved[4 * k], &moved[4 * k] + 4), expected, largest(expected) + 1.0, relative(1e-11)));
    }
  }
}

TEST(FreeBase, TakesNamesThatNothingHas) {
  Random random(1);
  Robot robot = random_robot(random, {.joints = 2});
  robot.links[std::size_t(robot.root())].name = "world";
  robot.joints.front().name = "floating_base";
  const Robot free = on_free_base(robot);
  EXPECT_EQ(free.links[std::size_t(free.root())].name, "world_2");
  EXPECT_EQ(free.floating, "floating_base_2");
  EXPECT_NO_THROW(make_mechanism(free));
}

}  // namespace
}  // namespace catena::test::free_base_batch_test
