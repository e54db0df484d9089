// Which engine runs a batch: the one that is named, the default, and why another one serves.
#include <gtest/gtest.h>
#ifndef _WIN32
#include <sys/wait.h>
#include <unistd.h>
#endif

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <vector>

#include "catena/batch.hpp"
#include "catena/robot_file.hpp"
#include "support/cache_folder.hpp"

namespace catena::batch_engine_test {
namespace {

Mechanism shipped(const std::string& name) { return make_mechanism(load_robot(find_model(name))); }

// What an earlier program left in the cache changes no bit, unless somebody asks for it.
TEST(BatchEngine, WithoutANameTheDefaultEngineRuns) {
  const test::CacheFolder cache;
  const auto runs = [&](BatchOptions options) {
    options.compile = cache.options();
    options.compile.search = false;
    return Batch<double>(shipped("planar2r"), {{"inverse"}}, options).engines().front().kind;
  };
  EXPECT_EQ(runs({.engine = BatchEngine::automatic}), EngineKind::generic);
  EXPECT_EQ(runs({.engine = BatchEngine::compiled}), EngineKind::compiled);
  EXPECT_EQ(runs({.engine = BatchEngine::automatic}), EngineKind::compiled);
  EXPECT_EQ(runs({}), EngineKind::generic);
  EXPECT_EQ(BatchOptions{}.engine, default_engine);
  EXPECT_EQ(batch_engine(batch_engine_name(default_engine)), default_engine);
}

TEST(BatchEngine, SaysWhyTheGenericEngineServes) {
  BatchOptions options;
  options.engine = BatchEngine::compiled;
  options.compile.compiler = "/no/such/compiler";
  const Batch<double> without(shipped("ur5"), {{"inverse"}}, options);
  EXPECT_EQ(without.engines().front().kind, EngineKind::generic);
  EXPECT_NE(without.engines().front().why.find("no C compiler"), std::string::npos);
  const Mechanism robot = shipped("ur5");
  const auto pushed = [&](const char* job) {
    const Batch<double> batch(
        robot, {{job}}, {.engine = BatchEngine::compiled, .wrenches = {{robot.tool, {0, 0, -10}, {}, Axes::frame}}});
    return batch.engines().front();
  };
  EXPECT_EQ(pushed("inverse").kind, EngineKind::compiled);
  EXPECT_NE(pushed("curvature").why.find("second derivatives with wrenches"), std::string::npos);
}

#ifndef _WIN32  // nothing forks there
// A forked child has none of the threads: it starts its own, and when it ends it waits for nobody.
TEST(BatchEngine, WorksInForkedChildren) {
  constexpr std::size_t states = 4000, joints = 6;
  auto batch = std::make_unique<Batch<double>>(shipped("ur5"), std::vector<BatchJob>{{"inverse"}},
                                               BatchOptions{.engine = BatchEngine::generic, .threads = 4});
  std::vector<double> x(states * joints), tau(states * joints);
  for (std::size_t k = 0; k < x.size(); ++k) x[k] = std::sin(static_cast<double>(k));
  const auto run = [&] {
    const StateArray<const double> given{x.data(), joints, 1};
    const std::vector<StateArray<double>> out{{tau.data(), joints, 1}};
    batch->run(states, {.q = given, .qd = given, .qdd = given}, out);
  };
  run();
  const std::vector<double> before = tau;
  const pid_t child = fork();
  if (child == 0) {
    alarm(60);
    std::fill(tau.begin(), tau.end(), std::numeric_limits<double>::quiet_NaN());
    run();
    batch.reset();
    _exit(tau == before ? 0 : 1);
  }
  int status = -1;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  ASSERT_TRUE(WIFEXITED(status)) << "ended by signal " << WTERMSIG(status);
  EXPECT_EQ(WEXITSTATUS(status), 0);
}
#endif

}  // namespace
}  // namespace catena::batch_engine_test
