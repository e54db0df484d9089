// Every level of instructions gives the same numbers, in one process, and is code of its own.
#include <gtest/gtest.h>

#include <cstring>
#include <memory>
#include <set>

#include "catena/call.hpp"
#include "catena/model/regroup.hpp"
#include "run/level.hpp"
#include "support/factor_robots.hpp"
#include "support/formulations.hpp"
#include "support/nightly.hpp"
#include "support/runners.hpp"
#include "support/tolerances.hpp"

namespace catena::test::levels_test {
namespace {

std::vector<Level> levels_here() {
  std::vector<Level> list;
  for (const Level& l : levels())
    if (l.runs_here) list.push_back(l);
  return list;
}

template <class S>
std::vector<S> at_level(const Level& l, const JobInfo& job, std::string_view formulation, const Mechanism& robot,
                        const Inputs<S>& in) {
  const auto runner =
      make_tree_runner_at<S>(l, job.name, std::make_shared<const BasicTree<S>>(robot.cast<S>()), formulation);
  std::vector<S> out(index(job.size(sizes_of(robot))));
  if (runner->run(in, out)) runner->check(in, out);
  return out;
}

// All jobs and formulations on one robot; `rounding` is what two levels may differ by.
template <class S>
void expect_levels_agree(const Mechanism& robot, const State& x, const Values& tau, S rounding,
                         const std::string& label) {
  const std::vector<S> q = as<S>(x.q), qd = as<S>(x.qd), qdd = as<S>(x.qdd), torque = as<S>(tau);
  const Inputs<S> in = with_others<S>({.q = q, .qd = qd, .qdd = qdd, .tau = torque}, qdd);
  for (const JobInfo& job : jobs())
    for (const FormulationInfo& f : job.formulations) {
      const std::vector<S> expected = at_level<S>(levels().front(), job, f.name, robot, in);
      S scale(1);
      for (const S& v : expected) scale = std::max(scale, std::abs(v));
      for (const Level& l : levels_here()) {
        const std::vector<S> got = at_level<S>(l, job, f.name, robot, in);
        ASSERT_EQ(got.size(), expected.size());
        for (std::size_t k = 0; k < got.size(); ++k)
          EXPECT_NEAR(got[k], expected[k], rounding * scale)
              << job.name << " by " << f.name << " at " << l.name << ", entry " << k << ", " << label;
      }
    }
}

TEST(Levels, TheBaselineIsFirstAndRunsEverywhere) {
  ASSERT_FALSE(levels().empty());
  EXPECT_EQ(levels().front().name, "baseline");
  EXPECT_TRUE(levels().front().runs_here);
  std::set<std::string_view> names;
  for (const Level& l : levels()) EXPECT_TRUE(names.insert(l.name).second) << l.name << " twice";
  EXPECT_TRUE(level().runs_here);
  if (std::getenv("CATENA_LEVEL") == nullptr) {
    EXPECT_EQ(level().name, levels_here().back().name);
  }
}

TEST(Levels, GiveTheSameNumbersOnEveryJob) {
  for (const std::uint64_t seed : test::seeds(900, 930)) {
    const auto [robot, mechanism, x] = regular(seed, 1 + static_cast<int>(seed) % 13);
    const Values tau = torques(mechanism, {}, x);
    const std::string label = "robot " + std::to_string(seed);
    expect_levels_agree<double>(mechanism, x, tau, 1e-9, label);
    expect_levels_agree<double>(optimize(mechanism), x, tau, 1e-9, label + ", optimized");
  }
}

TEST(Levels, GiveTheSameNumbersInSinglePrecision) {
  for (const std::uint64_t seed : test::seeds(950, 960)) {
    const auto [robot, mechanism, x] = regular(seed, 1 + static_cast<int>(seed) % 6);
    for (const JobInfo& job : jobs()) {
      if (job.inverts_inertia) continue;  // how far two levels are apart there is the inertia matrix's to say
      const std::vector<float> q = as<float>(x.q), qd = as<float>(x.qd), qdd = as<float>(x.qdd);
      const Inputs<float> in = with_others<float>({.q = q, .qd = qd, .qdd = qdd}, qdd);
      const std::string_view f = job.standard(mechanism.joints());
      const std::vector<float> expected = at_level<float>(levels().front(), job, f, mechanism, in);
      float scale = 1.0F;
      for (const float v : expected) scale = std::max(scale, std::abs(v));
      for (const Level& l : levels_here()) {
        const std::vector<float> got = at_level<float>(l, job, f, mechanism, in);
        for (std::size_t k = 0; k < got.size(); ++k) EXPECT_NEAR(got[k], expected[k], 1e-4F * scale) << job.name;
      }
    }
  }
}

// The code of two levels is not merged: their runners have virtual functions of their own.
TEST(Levels, AreCodeOfTheirOwn) {
  const auto tree = std::make_shared<const Tree>(regular(7, 6).mechanism);
  for (const JobInfo& job : jobs()) {
    std::set<const void*> tables;
    for (const Level& l : levels()) {  // a runner can be made on any machine that does not call it
      if (!l.runs_here) continue;
      const auto runner = make_tree_runner_at<double>(l, job.name, tree, job.standard(tree->joints()));
      const void* table = nullptr;
      std::memcpy(&table, static_cast<const void*>(runner.get()), sizeof(table));
      EXPECT_TRUE(tables.insert(table).second) << job.name << " at " << l.name;
    }
  }
}

TEST(Levels, RefuseWhatDoesNotExist) {
  const auto tree = std::make_shared<const Tree>(regular(7, 3).mechanism);
  for (const Level& l : levels_here()) {
    EXPECT_THROW(make_tree_runner_at<double>(l, "dance", tree, "tensor"), std::invalid_argument);
    EXPECT_THROW(make_tree_runner_at<double>(l, "inverse", tree, "dance"), std::invalid_argument);
  }
}

}  // namespace
}  // namespace catena::test::levels_test
