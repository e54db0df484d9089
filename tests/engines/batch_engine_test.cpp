// Which engine runs a batch: the one that is named, the default, and why another one serves.
#include <gtest/gtest.h>

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
  const Batch<double> pushed(
      robot, {{"inverse"}},
      {.engine = BatchEngine::compiled, .wrenches = {{robot.tool, {0, 0, -10}, {}, Axes::frame}}});
  EXPECT_NE(pushed.engines().front().why.find("wrenches"), std::string::npos);
}

}  // namespace
}  // namespace catena::batch_engine_test
