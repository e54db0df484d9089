// Compiled code: the same results as the generic path, from a compiler or from the cache, in threads, without the heap.
#include <gtest/gtest.h>

#include <thread>

#include "catena/codegen/program.hpp"
#include "catena/io/robot_file.hpp"
#include "catena/jit/compile.hpp"
#include "support/allocations.hpp"
#include "support/cache_folder.hpp"
#include "support/generic_job.hpp"
#include "support/tolerances.hpp"

namespace catena {
namespace {

using test::State;

const std::vector<std::string> all_jobs{"inverse",  "gravity", "inertia", "bias",
                                        "coriolis", "forward", "pose",    "jacobian"};

Mechanism shipped(const std::string& name) { return make_mechanism(load_robot(find_model(name))); }

std::vector<double> call(const RobotCalls& calls, const std::string& job, const State& x,
                         const std::vector<double>& tau) {
  const std::size_t n = x.q.size();
  std::vector<double> out(job == "pose"                           ? 16
                          : job == "jacobian"                     ? 6 * n
                          : job == "inertia" || job == "coriolis" ? n * n
                                                                  : n);
  if (job == "inverse") calls.inverse(x.q, x.qd, x.qdd, out);
  if (job == "gravity") calls.gravity(x.q, out);
  if (job == "inertia") calls.inertia(x.q, out);
  if (job == "bias") calls.bias(x.q, x.qd, out);
  if (job == "coriolis") calls.coriolis(x.q, x.qd, out);
  if (job == "forward") calls.forward(x.q, x.qd, tau, out);
  if (job == "pose") calls.pose(x.q, out);
  if (job == "jacobian") calls.jacobian(x.q, out);
  return out;
}

testing::AssertionResult agrees(const RobotCalls& calls, const std::string& job, const Mechanism& robot,
                                const State& x) {
  const std::vector<double> tau = test::generic_job("inverse", robot, x, {}, 0);
  std::vector<double> expected;
  try {
    expected = test::generic_job(job, robot, x, tau, robot.tool);
  } catch (const std::domain_error& error) {  // singular: the calls must say the same
    try {
      call(calls, job, x, tau);
    } catch (const std::domain_error& same) {
      return std::string(same.what()) == error.what()
                 ? testing::AssertionSuccess()
                 : testing::AssertionFailure() << error.what() << " became " << same.what();
    }
    return testing::AssertionFailure() << job << " should refuse: " << error.what();
  }
  const double scale = std::max(test::largest(expected), job == "gravity" || job == "coriolis" ? 1.0 : 1e-3);
  return test::near(call(calls, job, x, tau), expected, scale, test::relative(1e-11)) << job << " of " << robot.name;
}

class Jit : public testing::Test {
 protected:
  test::CacheFolder cache_;
};

TEST_F(Jit, EveryJobOfEveryShippedRobot) {
  test::Random random(21);
  for (const std::string& name : shipped_models()) {
    const Mechanism robot = shipped(name);
    const RobotCalls calls = compile(robot, all_jobs, cache_.options());
    EXPECT_EQ(calls.engine(), EngineKind::compiled);
    EXPECT_EQ(calls.why(), "");
    for (int k = 0; k < 5; ++k) {
      const State x = test::random_state(random, robot.n());
      for (const std::string& job : all_jobs) EXPECT_TRUE(agrees(calls, job, robot, x));
    }
  }
}

TEST_F(Jit, EveryJobOfRandomChainsAndTrees) {
  int compiled = 0;
  for (std::uint64_t seed = 0; seed < 6; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    const auto [robot, state] = test::sample(700 + seed, 1 + static_cast<int>(seed));
    const Mechanism mechanism = make_mechanism(robot);
    CompileOptions options = cache_.options();
    options.search = seed % 2 == 0;
    const RobotCalls calls = compile_or_generic(mechanism, all_jobs, options);
    for (const JobReport& report : calls.reports()) {
      compiled += report.engine == EngineKind::compiled;
      // A link without mass may make the robot singular: forward dynamics is left to the generic path.
      if (report.job != "forward") {
        EXPECT_EQ(report.engine, EngineKind::compiled) << report.why;
      }
    }
    for (const std::string& job : all_jobs) EXPECT_TRUE(agrees(calls, job, mechanism, state));
  }
  EXPECT_GE(compiled, 42);
}

TEST_F(Jit, NothingMoves) {
  Robot robot;
  robot.name = "post";
  robot.links.push_back({"base", {}});
  const Mechanism post = make_mechanism(robot);
  const RobotCalls calls = compile_or_generic(post, all_jobs, cache_.options());
  for (const std::string& job : all_jobs) EXPECT_TRUE(agrees(calls, job, post, {}));
}

TEST_F(Jit, TheGenericPathServesTheSameCalls) {
  test::Random random(22);
  const Mechanism robot = shipped("stanford");
  const RobotCalls calls = generic_calls(robot, all_jobs);
  EXPECT_EQ(calls.engine(), EngineKind::generic);
  EXPECT_EQ(calls.why(), "the generic engine was asked for");
  for (const std::string& job : all_jobs) EXPECT_TRUE(agrees(calls, job, robot, test::random_state(random, robot.n())));
}

TEST_F(Jit, AMethodIsHandedToTheGenerator) {
  test::Random random(23);
  const Mechanism robot = shipped("pelican");
  CompileOptions options = cache_.options();
  options.method = "luh-walker-paul";
  const RobotCalls calls = compile(robot, {"inverse"}, options);
  EXPECT_EQ(calls.report("inverse").method, "luh-walker-paul");
  EXPECT_TRUE(agrees(calls, "inverse", robot, test::random_state(random, robot.n())));
  // A library that comes from the cache knows its formulation too.
  const RobotCalls again = compile(robot, {"inverse"}, options);
  EXPECT_TRUE(again.report("inverse").from_cache);
  EXPECT_EQ(again.report("inverse").method, "luh-walker-paul");
  options.method = "no-such-method";
  EXPECT_THROW(compile(robot, {"inverse"}, options), std::invalid_argument);
  EXPECT_THROW(compile_or_generic(robot, {"inverse"}, options), std::invalid_argument);
}

// Also those that need constants where the usual choices have functions of q.
TEST_F(Jit, EveryMethodOfForwardDynamics) {
  test::Random random(26);
  const Mechanism robot = shipped("planar3r");
  const State x = test::random_state(random, robot.n());
  for (const FormulationInfo& formulation : formulations("forward")) {
    CompileOptions options = cache_.options();
    options.method = formulation.name;
    const RobotCalls calls = compile(robot, {"forward"}, options);
    EXPECT_EQ(calls.report("forward").method, formulation.name);
    EXPECT_TRUE(agrees(calls, "forward", robot, x)) << formulation.name;
  }
}

TEST_F(Jit, WhatIsAskedForMustExist) {
  const Mechanism robot = shipped("pelican");
  EXPECT_THROW(compile(robot, {"torque"}, cache_.options()), std::invalid_argument);
  EXPECT_THROW(compile(robot, {"gravity", "gravity"}, cache_.options()), std::invalid_argument);
  const RobotCalls calls = compile(robot, {"gravity"}, cache_.options());
  std::vector<double> q(2), out(4);
  EXPECT_THROW(calls.inertia(q, out), std::logic_error);
  EXPECT_THROW(calls.gravity(q, out), std::invalid_argument);
  EXPECT_THROW(calls.gravity(q, q), std::invalid_argument);
}

// The same words as the generic path, also where folded code does not read the argument at all.
TEST_F(Jit, NumbersThatAreNotFinite) {
  const Mechanism robot = shipped("ur5");
  const RobotCalls compiled = compile(robot, {"inverse", "gravity"}, cache_.options());
  const RobotCalls generic = generic_calls(robot, {"inverse", "gravity"});
  const auto complaint = [](const RobotCalls& calls, const State& x) -> std::string {
    std::vector<double> tau(6);
    try {
      calls.inverse(x.q, x.qd, x.qdd, tau);
    } catch (const std::domain_error& error) {
      return error.what();
    }
    return "";
  };
  const State zero{std::vector<double>(6), std::vector<double>(6), std::vector<double>(6)};
  EXPECT_EQ(complaint(compiled, zero), "");
  for (const double bad : {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity()})
    for (std::size_t j = 0; j < 6; ++j)
      for (int part = 0; part < 3; ++part) {
        State x = zero;
        (part == 0 ? x.q : part == 1 ? x.qd : x.qdd)[j] = bad;
        EXPECT_EQ(complaint(compiled, x), complaint(generic, x)) << bad << ' ' << part << ' ' << j;
      }
  const State fast{zero.q, std::vector<double>(6, 1e200), zero.qdd};
  EXPECT_EQ(complaint(compiled, fast), complaint(generic, fast));
  EXPECT_NE(complaint(compiled, fast), "");
  EXPECT_EQ(complaint(compiled, {std::vector<double>(6, NAN), zero.qd, zero.qdd}), "q[0] is not a finite number");
}

// A link on its axis without inertia about it: whether M is singular depends on q.
TEST_F(Jit, ARobotThatMayBeSingularIsLeftToTheGenericPath) {
  Robot robot = load_robot(find_model("planar2r"));
  robot.links.back().inertial = {};
  const Mechanism mechanism = make_mechanism(robot);
  const RobotCalls calls = compile_or_generic(mechanism, {"inverse", "forward"}, cache_.options());
  EXPECT_EQ(calls.report("inverse").engine, EngineKind::compiled);
  EXPECT_EQ(calls.report("forward").engine, EngineKind::generic);
  EXPECT_NE(calls.why().find("moves no inertia of its own"), std::string::npos) << calls.why();
  EXPECT_TRUE(agrees(calls, "forward", mechanism, {{0.1, 0.2}, {0.0, 0.0}, {0.0, 0.0}}));
  EXPECT_THROW(compile(mechanism, {"forward"}, cache_.options()), CompileError);
}

TEST_F(Jit, CallsAllocateNothing) {
  test::Random random(24);
  const Mechanism robot = shipped("panda");
  const State x = test::random_state(random, 7);
  for (const RobotCalls& calls : {compile(robot, all_jobs, cache_.options()), generic_calls(robot, all_jobs)}) {
    std::vector<double> v(7), M(49), T(16), J(42);
    const test::NoAlloc guard;
    calls.inverse(x.q, x.qd, x.qdd, v);
    calls.gravity(x.q, v);
    calls.inertia(x.q, M);
    calls.bias(x.q, x.qd, v);
    calls.coriolis(x.q, x.qd, M);
    calls.forward(x.q, x.qd, x.qdd, v);
    calls.pose(x.q, T);
    calls.jacobian(x.q, J);
  }
}

TEST_F(Jit, ThreadsShareTheCalls) {
  const Mechanism robot = shipped("ur5");
  const std::vector<std::string> jobs{"inverse", "forward"};
  for (const RobotCalls& calls : {compile(robot, jobs, cache_.options()), generic_calls(robot, jobs)}) {
    std::vector<int> wrong(4);
    const auto work = [&](std::size_t worker) {
      test::Random random(worker);
      for (int k = 0; k < 2000; ++k) {
        const State x = test::random_state(random, 6);
        std::vector<double> tau(6), back(6);
        calls.inverse(x.q, x.qd, x.qdd, tau);
        calls.forward(x.q, x.qd, tau, back);
        wrong[worker] += !test::near(back, x.qdd, test::largest(x.qdd) + 1.0, test::relative(1e-8));
      }
    };
    std::vector<std::thread> threads;
    for (std::size_t worker = 0; worker < 4; ++worker) threads.emplace_back(work, worker);
    for (std::thread& thread : threads) thread.join();
    EXPECT_EQ(wrong, std::vector<int>(4));
  }
}

TEST_F(Jit, MovedCallsKeepTheirLibraries) {
  const Mechanism robot = shipped("planar2r");
  RobotCalls first = compile(robot, {"gravity"}, cache_.options());
  RobotCalls second = generic_calls(robot, {"gravity"});
  second = std::move(first);
  const RobotCalls third(std::move(second));
  EXPECT_EQ(third.engine(), EngineKind::compiled);
  EXPECT_TRUE(agrees(third, "gravity", robot, {{0.3, 0.4}, {0.0, 0.0}, {0.0, 0.0}}));
}

// Long bodies compile in reasonable time and stay right.
TEST_F(Jit, AChainOfTwentyFourJoints) {
  test::Random random(25);
  test::RobotOptions shape;
  shape.joints = 24;
  shape.massless_links = false;
  const Mechanism robot = make_mechanism(test::random_robot(random, shape));
  CompileOptions options = cache_.options();
  options.search = false;
  const std::vector<std::string> jobs{"inverse", "forward"};
  const RobotCalls calls = compile_or_generic(robot, jobs, options);
  EXPECT_EQ(calls.report("inverse").engine, EngineKind::compiled) << calls.why();
  const State x = test::random_state(random, 24);
  EXPECT_TRUE(agrees(calls, "inverse", robot, x));
}

}  // namespace
}  // namespace catena
