// Batches against calls, state by state: every job, both precisions, both engines, arrays in any layout.
#include "catena/batch.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <set>

#include "catena/robot_file.hpp"
#include "run/lane_runner.hpp"
#include "support/allocations.hpp"
#include "support/cache_folder.hpp"
#include "support/free_robots.hpp"
#include "support/nightly.hpp"
#include "support/random_robot.hpp"

namespace catena::batch_test {
namespace {

using test::Random;

constexpr double nan = std::numeric_limits<double>::quiet_NaN();

Mechanism shipped(const char* name) { return make_mechanism(load_robot(find_model(name))); }

// Without the search for the cheapest program, which takes longest.
CompileOptions quickly(const test::CacheFolder& cache) {
  CompileOptions options = cache.options();
  options.search = false;
  return options;
}

// States of a robot and room for what a batch makes of them, by rows.
template <class S>
struct Table {
  std::size_t states;
  std::array<std::vector<S>, std::size(all_inputs)> values;
  std::vector<std::vector<S>> results;

  Table(const Batch<S>& batch, std::size_t count, std::uint64_t seed = 1) : states(count) {
    Random random(seed);
    for (const InputInfo& info : all_inputs) {
      auto& array = values[std::size_t(info.input)];
      for (std::size_t k = 0; k < count * batch.size(info.input); ++k) array.push_back(S(random.between(-3.0, 3.0)));
    }
    for (const auto& output : batch.outputs()) results.emplace_back(count * output.size(), S(-7));
  }
  S& at(Input input, std::size_t state, std::size_t entry) {
    auto& array = values[std::size_t(input)];
    return array[state * (array.size() / states) + entry];
  }
  void normalize() {  // the quaternion of a free base
    for (std::size_t k = 0; k < states; ++k) {
      S* xi = &at(Input::q, k, 3);
      const S length = std::sqrt(xi[0] * xi[0] + xi[1] * xi[1] + xi[2] * xi[2] + xi[3] * xi[3]);
      for (int j = 0; j < 4; ++j) xi[j] /= length;
    }
  }
  BatchInputs<S> inputs(const Batch<S>& batch) const {
    BatchInputs<S> in;
    for (const Input input : batch.inputs())
      in[input] = states_in_rows<const S>(values[std::size_t(input)].data(), batch.size(input));
    return in;
  }
  std::vector<StateArray<S>> outputs(const Batch<S>& batch) {
    std::vector<StateArray<S>> out;
    for (std::size_t k = 0; k < results.size(); ++k)
      out.push_back(states_in_rows(results[k].data(), batch.outputs()[k].size()));
    return out;
  }
  BatchReport run(Batch<S>& batch, const typename Batch<S>::Progress& progress = {}) {
    return batch.run(states, inputs(batch), outputs(batch), progress);
  }
};

// Bytes: NaN is equal to itself, 0 is not -0.
template <class S>
bool same_bits(const std::vector<std::vector<S>>& a, const std::vector<std::vector<S>>& b) {
  for (std::size_t k = 0; k < a.size(); ++k)
    if (a[k].size() != b[k].size() || std::memcmp(a[k].data(), b[k].data(), a[k].size() * sizeof(S)) != 0) return false;
  return a.size() == b.size();
}

// One job of a batch against its call.
template <class S>
void expect_like_calls(const Mechanism& robot, const JobInfo& job, const BatchOptions& options, std::size_t states,
                       double allowed) {
  Batch<S> batch(robot, {{std::string(job.name)}}, options);
  SCOPED_TRACE(std::string(job.name) + " by " + batch.engines().front().formulation);
  Table<S> table(batch, states);
  if (robot.coordinates.is_free()) table.normalize();
  const BatchReport report = table.run(batch);
  EXPECT_EQ(report.states, states);
  EXPECT_EQ(report.failed, 0U) << report.why;
  Call<S> call(robot, job.name);
  std::vector<S> expected(call.size());
  for (std::size_t k = 0; k < states; ++k) {
    Inputs<S> in;
    for (const Input input : job.inputs_for(robot))
      in[input] = std::span<const S>(&table.at(input, k, 0), batch.size(input));
    in.frame = options.frame;
    call(in, expected);
    double scale = 1.0, worst = 0.0;
    for (const S& value : expected) scale = std::max(scale, double(std::abs(value)));
    std::size_t entry = 0;
    for (std::size_t o = 0; o < table.results.size(); ++o)
      for (std::size_t j = 0; j < batch.outputs()[o].size(); ++j)
        worst =
            std::max(worst, std::abs(double(table.results[o][k * batch.outputs()[o].size() + j] - expected[entry++])));
    ASSERT_LE(worst, allowed * scale) << "state " << k;
  }
}

TEST(Batch, EveryJobIsLikeItsCall) {
  for (const char* name : {"ur5", "panda", "stanford"})
    for (const JobInfo& job : jobs()) {
      expect_like_calls<double>(shipped(name), job, {.engine = BatchEngine::generic, .threads = 1}, 37, 1e-12);
      expect_like_calls<float>(shipped(name), job, {.engine = BatchEngine::generic, .threads = 1}, 37, 2e-3);
    }
}

TEST(Batch, RandomTreesWithDrives) {
  for (const std::uint64_t seed : test::seeds(0, 12)) {
    Random random(seed);
    const Mechanism robot =
        make_mechanism(test::random_robot(random, {.joints = 1 + int(seed),
                                                   .shape = seed % 2 ? test::Shape::tree : test::Shape::chain,
                                                   .massless_links = false,
                                                   .drives = true}));
    for (const JobInfo& job : jobs()) {
      if (formulation_in_lanes(job.name).empty()) continue;
      expect_like_calls<double>(robot, job, {.engine = BatchEngine::generic, .threads = 1}, 11, 1e-10);
    }
  }
}

// What is said to run in lanes does, and is code of its own: else the comparisons above compare a call with itself.
TEST(Batch, RunsInLanes) {
  std::set<std::string_view> in_lanes;
  for (const JobInfo& job : jobs()) {
    const Batch<double> batch(shipped("ur5"), {{std::string(job.name)}}, {.engine = BatchEngine::generic});
    EXPECT_EQ(batch.engines().front().lanes > 1, !formulation_in_lanes(job.name).empty()) << job.name;
    if (batch.engines().front().lanes > 1) in_lanes.insert(job.name);
  }
  for (const char* job : {"inverse", "gravity", "inertia", "bias", "forward", "jacobian", "linearize"})
    EXPECT_TRUE(in_lanes.contains(job)) << job;
}

TEST(Batch, AnotherFormulationIsServedByCalls) {
  const Mechanism robot = shipped("ur5");
  Batch<double> batch(robot, {{"inverse", "luh-walker-paul"}}, {.engine = BatchEngine::generic});
  EXPECT_EQ(batch.engines().front().formulation, "luh-walker-paul");
  EXPECT_EQ(batch.engines().front().lanes, 1);
  Batch<double> usual(robot, {{"inverse"}}, {.engine = BatchEngine::generic});
  Table<double> a(batch, 20), b(usual, 20);
  a.run(batch), b.run(usual);
  for (std::size_t k = 0; k < a.results[0].size(); ++k) EXPECT_NEAR(a.results[0][k], b.results[0][k], 1e-11);
}

// Numbers of states around those of lanes and blocks; each state by itself gives the same bits.
TEST(Batch, RemaindersAndNeighboursChangeNothing) {
  const Mechanism robot = shipped("panda");
  Batch<double> batch(robot, {{"inverse"}, {"forward"}}, {.engine = BatchEngine::generic, .threads = 1});
  Table<double> all(batch, 600);
  all.run(batch);
  for (const std::size_t count : {0U, 1U, 2U, 3U, 7U, 8U, 9U, 15U, 16U, 17U, 255U, 256U, 257U, 600U}) {
    Table<double> some(batch, 600);
    some.states = count;
    EXPECT_EQ(some.run(batch).states, count);
    for (std::size_t o = 0; o < 2; ++o)
      for (std::size_t k = 0; k < 600 * 7; ++k)
        ASSERT_EQ(some.results[o][k], k < count * 7 ? all.results[o][k] : -7.0) << count << " states, entry " << k;
  }
}

TEST(Batch, ThreadsChangeNoBit) {
  for (const char* job : {"inverse", "forward", "stiffness"}) {
    std::vector<std::vector<double>> first;
    for (const int threads : {1, 2, 5}) {
      Batch<double> batch(shipped("ur5"), {{job}, {"inertia"}}, {.engine = BatchEngine::generic, .threads = threads});
      EXPECT_EQ(batch.threads(), threads);
      Table<double> table(batch, 9001);
      table.at(Input::q, 4000, 2) = nan;
      for (int repeat = 0; repeat < 3; ++repeat) {  // the threads are there again
        const BatchReport report = table.run(batch);
        EXPECT_EQ(report.failed, 1U);
        EXPECT_EQ(report.first_failed, 4000U);
      }
      if (first.empty()) first = table.results;
      EXPECT_TRUE(same_bits(first, table.results)) << job << ", " << threads << " threads";
    }
  }
}

// Columns, rows, every other state, backwards, one position for all.
template <class S>
void expect_any_layout(BatchEngine engine, const test::CacheFolder& cache) {
  const Mechanism robot = shipped("ur5");
  Batch<S> batch(robot, {{"inverse"}}, {.engine = engine, .threads = 2, .compile = quickly(cache)});
  const std::size_t n = 6, states = 301;
  Table<S> rows(batch, states);
  rows.run(batch);
  const auto& q = rows.values[0];
  const auto& qd = rows.values[1];
  const auto& qdd = rows.values[2];
  std::vector<S> columns(3 * n * states), wide(states * 40, S(-7)), out(n * states, S(-7));
  for (std::size_t k = 0; k < states; ++k)
    for (std::size_t j = 0; j < n; ++j) {
      columns[j * states + k] = q[k * n + j];
      columns[(n + j) * states + k] = qd[k * n + j];
      columns[(2 * n + j) * states + (states - 1 - k)] = qdd[k * n + j];  // the last state first
      wide[k * 40 + 3 * j] = q[k * n + j];
    }
  const StateArray<S> by_entry = states_in_columns(out.data(), states);
  const BatchInputs<S> mixed{.q = {wide.data(), 40, 3},
                             .qd = {columns.data() + n * states, 1, std::ptrdiff_t(states)},
                             .qdd = {columns.data() + 2 * n * states + states - 1, -1, std::ptrdiff_t(states)}};
  batch.run(states, mixed, {&by_entry, 1});
  for (std::size_t k = 0; k < states; ++k)
    for (std::size_t j = 0; j < n; ++j) ASSERT_EQ(out[j * states + k], rows.results[0][k * n + j]) << k << ' ' << j;
  // All by columns: nothing is moved.
  std::vector<S> forward_qdd(n * states), again(n * states);
  for (std::size_t k = 0; k < states; ++k)
    for (std::size_t j = 0; j < n; ++j) forward_qdd[j * states + k] = qdd[k * n + j];
  const StateArray<S> in_place = states_in_columns(again.data(), states);
  batch.run(states,
            {.q = states_in_columns<const S>(columns.data(), states),
             .qd = states_in_columns<const S>(columns.data() + n * states, states),
             .qdd = states_in_columns<const S>(forward_qdd.data(), states)},
            {&in_place, 1});
  EXPECT_EQ(again, out);
  // One q for all; rates as rows of one number.
  const S rate = S(0.3);
  const StateArray<S> backwards{out.data() + (states - 1) * n, -std::ptrdiff_t(n), 1};
  batch.run(states, {.q = {q.data(), 0, 1}, .qd = {&rate, 0, 0}, .qdd = {&rate, 0, 0}}, {&backwards, 1});
  for (std::size_t k = 1; k < states; ++k)
    for (std::size_t j = 0; j < n; ++j) ASSERT_EQ(out[k * n + j], out[j]);
}
TEST(Batch, AnyLayout) {
  const test::CacheFolder cache;
  for (const BatchEngine engine : {BatchEngine::generic, BatchEngine::compiled}) {
    expect_any_layout<double>(engine, cache);
    expect_any_layout<float>(engine, cache);
  }
}

TEST(Batch, StatesWithoutResultAreMarkedAndOthersAreNot) {
  const test::CacheFolder cache;
  for (const BatchEngine engine : {BatchEngine::generic, BatchEngine::compiled}) {
    Batch<double> batch(shipped("ur5"), {{"inverse"}, {"inertia"}},
                        {.engine = engine, .threads = 2, .compile = quickly(cache)});
    Table<double> good(batch, 2000), bad(batch, 2000);
    good.run(batch);
    const std::set<std::size_t> marked{17, 18, 700, 1999};
    bad.at(Input::q, 17, 0) = nan;  // the first angle: with gravity along its axis no torque reads it
    bad.at(Input::qdd, 18, 3) = std::numeric_limits<double>::infinity();
    bad.at(Input::qd, 700, 1) = 1e200;  // too large to be squared
    bad.at(Input::q, 1999, 5) = -nan;
    const BatchReport report = bad.run(batch);
    EXPECT_EQ(report.failed, marked.size());
    EXPECT_EQ(report.first_failed, 17U);
    EXPECT_EQ(report.why, "q[0] is not a finite number");
    for (std::size_t o = 0; o < 2; ++o)
      for (std::size_t k = 0; k < 2000; ++k) {
        const std::size_t size = batch.outputs()[o].size();
        for (std::size_t j = 0; j < size; ++j) {
          const double value = bad.results[o][k * size + j];
          if (marked.contains(k)) {
            ASSERT_TRUE(std::isnan(value)) << k;
          } else {
            ASSERT_EQ(value, good.results[o][k * size + j]) << k;
          }
        }
      }
  }
}

// A mass point on two massless rods cannot be pushed along stretched rods.
TEST(Batch, SingularStatesAreMarked) {
  Robot robot = load_robot(find_model("planar2r"));
  for (auto& link : robot.links) link.inertial.inertia = {}, link.inertial.mass *= link.name == "link2" ? 1.0 : 0.0;
  const Mechanism mechanism = make_mechanism(robot);
  for (const char* job : {"forward", "factor", "response"}) {  // in lanes and by calls
    Batch<double> batch(mechanism, {{job}}, {.engine = BatchEngine::compiled, .threads = 1});
    EXPECT_NE(batch.engines().front().why.find("singular"), std::string::npos) << batch.engines().front().why;
    Table<double> table(batch, 100);
    for (std::size_t k = 0; k < 100; ++k) table.at(Input::q, k, 1) = k % 10 == 3 ? 0.0 : 0.5 + 0.01 * double(k);
    const BatchReport report = table.run(batch);
    EXPECT_EQ(report.failed, 10U) << job;
    EXPECT_EQ(report.first_failed, 3U) << job;
    EXPECT_NE(report.why.find("singular"), std::string::npos) << report.why;
    for (std::size_t k = 0; k < 100; ++k)
      EXPECT_EQ(std::isnan(table.results[0][k * batch.outputs()[0].size()]), k % 10 == 3) << job << k;
  }
}

TEST(Batch, LargeAnglesAreRightAmongSmallOnes) {
  const test::CacheFolder cache;
  for (const BatchEngine engine : {BatchEngine::generic, BatchEngine::compiled}) {
    Batch<double> batch(shipped("ur5"), {{"gravity"}}, {.engine = engine, .threads = 1, .compile = quickly(cache)});
    Table<double> small(batch, 64), large(batch, 64);
    small.run(batch);
    large.at(Input::q, 5, 1) = 3.7e9;
    large.at(Input::q, 6, 2) = -2.5e5;
    EXPECT_EQ(large.run(batch).failed, 0U);
    Call<double> call(shipped("ur5"), "gravity");
    std::vector<double> expected(6);
    for (std::size_t k = 0; k < 64; ++k) {
      call({.q = std::span<const double>(&large.at(Input::q, k, 0), 6)}, expected);
      for (std::size_t j = 0; j < 6; ++j) {
        const bool far = k == 5 || k == 6;  // generated code adds angles up, and large ones have few digits to spare
        EXPECT_NEAR(large.results[0][k * 6 + j], expected[j], far ? 1e-5 : 1e-12) << k;
        if (!far) {
          EXPECT_EQ(large.results[0][k * 6 + j], small.results[0][k * 6 + j]) << k;
        }
      }
    }
  }
}

TEST(Batch, CompiledCodeIsLikeCalls) {
  const test::CacheFolder cache;
  const BatchOptions options{.engine = BatchEngine::compiled, .threads = 1, .compile = quickly(cache)};
  for (const char* job : {"inverse", "jacobian"}) {
    Batch<double> batch(shipped("panda"), {{job}}, options);
    EXPECT_EQ(batch.engines().front().kind, EngineKind::compiled) << batch.engines().front().why;
    EXPECT_GT(batch.engines().front().lanes, 1);
    expect_like_calls<double>(shipped("panda"), job_info(job), options, 77, 1e-11);
    expect_like_calls<float>(shipped("panda"), job_info(job), options, 77, 3e-3);
  }
}

TEST(Batch, TakesWrenchesAndFrames) {
  const Mechanism robot = shipped("ur5");
  const std::vector<ExternalWrench<double>> wrenches{{robot.tool, {1, 2, -10}, {0.1, 0, 0.3}, Axes::world}};
  Batch<double> batch(robot, {{"inverse"}, {"pose"}}, {.frame = 2, .wrenches = wrenches});
  Table<double> table(batch, 10);
  table.run(batch);
  Call<double> inverse(robot, "inverse"), pose(robot, "pose");
  std::vector<double> tau(6), T(pose.size());
  for (std::size_t k = 0; k < 10; ++k) {
    const auto row = [&](Input input) { return std::span<const double>(&table.at(input, k, 0), 6); };
    inverse({.q = row(Input::q), .qd = row(Input::qd), .qdd = row(Input::qdd), .wrenches = wrenches}, tau);
    pose({.q = row(Input::q), .frame = 2}, T);
    for (std::size_t j = 0; j < 6; ++j) EXPECT_NEAR(table.results[0][k * 6 + j], tau[j], 1e-11);
    for (std::size_t j = 0; j < T.size(); ++j) EXPECT_NEAR(table.results[1][k * T.size() + j], T[j], 1e-12);
  }
}

TEST(Batch, CoupledFreeAndMovingRobotsRunInLanesToo) {
  Random random(5);
  const Robot arm = test::random_robot(random, {.joints = 4, .massless_links = false, .drives = true});
  Robot coupled = test::random_robot(random, {.joints = 6, .massless_links = false});
  test::couple_some(random, coupled, 0.6);
  const BatchOptions options{.engine = BatchEngine::generic, .threads = 1};
  for (const Mechanism& robot : {make_mechanism(coupled), make_mechanism(test::random_free(random, 4, true)),
                                 make_mechanism(test::random_free(random, 6, false, true)),
                                 on_moving_base(make_mechanism(arm)), on_moving_base(make_mechanism(coupled))})
    for (const JobInfo& job : jobs()) {
      const Batch<double> batch(robot, {{std::string(job.name)}}, options);
      EXPECT_EQ(batch.engines().front().lanes > 1, !formulation_in_lanes(job.name).empty()) << job.name;
      expect_like_calls<double>(robot, job, options, 11, job.inverts_inertia ? 1e-9 : 1e-11);
    }
}

TEST(Batch, StopsWhenToldAndCarriesWhatIsThrown) {
  Batch<double> batch(shipped("ur5"), {{"inverse"}}, {.engine = BatchEngine::generic, .threads = 1});
  Table<double> table(batch, 100000);
  std::size_t latest = 0;
  const BatchReport report = table.run(batch, [&](std::size_t done) {
    EXPECT_GE(done, latest);
    latest = done;
    return done < 30000;
  });
  EXPECT_TRUE(report.stopped);
  EXPECT_GE(report.states, 30000U);
  EXPECT_LT(report.states, 100000U);
  for (std::size_t k = 0; k < 600000; ++k) ASSERT_EQ(table.results[0][k] == -7.0, k >= report.states * 6) << k;
  // With others the calling thread may find all done when it is its turn: it is told at the end at the latest.
  Batch<double> several(shipped("ur5"), {{"inverse"}}, {.engine = BatchEngine::generic, .threads = 3});
  for (Batch<double>* each : {&batch, &several}) {
    EXPECT_THROW(table.run(*each, [](std::size_t) -> bool { throw std::runtime_error("enough"); }), std::runtime_error);
    EXPECT_FALSE(table.run(*each).stopped);
    latest = 0;
    table.run(*each, [&](std::size_t done) { return latest = done, true; });
    EXPECT_EQ(latest, 100000U);
  }
}

TEST(Batch, AllocatesNothingByState) {
  const test::CacheFolder cache;
  for (const BatchEngine engine : {BatchEngine::generic, BatchEngine::compiled}) {
    Batch<double> batch(shipped("ur5"), {{"inverse"}}, {.engine = engine, .threads = 1, .compile = quickly(cache)});
    Table<double> table(batch, 2000);
    const BatchInputs<double> in = table.inputs(batch);
    const std::vector<StateArray<double>> out = table.outputs(batch);
    batch.run(1, in, out);
    const test::NoAlloc guard;
    batch.run(2000, in, out);
  }
}

TEST(Batch, RefusesWhatItCannotDo) {
  const Mechanism robot = shipped("ur5");
  const auto message = [](auto&& call) -> std::string {
    try {
      call();
    } catch (const std::invalid_argument& error) {
      return error.what();
    }
    return "nothing was thrown";
  };
  EXPECT_NE(message([&] { Batch<double>(robot, {}); }).find("at least one"), std::string::npos);
  EXPECT_NE(message([&] { Batch<double>(robot, {{"inverse"}, {"inverse"}}); }).find("twice"), std::string::npos);
  EXPECT_NE(message([&] { Batch<double>(robot, {{"reverse"}}); }).find("reverse"), std::string::npos);
  EXPECT_NE(message([&] { Batch<double>(robot, {{"inverse", "magic"}}); }).find("magic"), std::string::npos);
  EXPECT_NE(message([&] { Batch<double>(robot, {{"pose"}}, {.frame = 1000}); }).find("frame 1000"), std::string::npos);
  EXPECT_NE(message([&] { Batch<double>(robot, {{"pose"}}, {.threads = -1}); }).find("threads"), std::string::npos);
  Batch<double> batch(robot, {{"inverse"}});
  Table<double> table(batch, 4);
  std::vector<StateArray<double>> out = table.outputs(batch);
  BatchInputs<double> in = table.inputs(batch);
  EXPECT_NE(message([&] { batch.run(4, in, {}); }).find("0 arrays"), std::string::npos);
  out[0].by_state = 0;
  EXPECT_NE(message([&] { batch.run(4, in, out); }).find("stride of 0"), std::string::npos);
  in.qd = {};
  EXPECT_EQ(message([&] { batch.run(4, in, table.outputs(batch)); }), "qd is not given");
}

}  // namespace
}  // namespace catena::batch_test
