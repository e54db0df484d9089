// Compiled code: the same results as the generic path, from a compiler or from the cache, in threads, without the heap.
#include <gtest/gtest.h>

#include <thread>

#include "catena/compile.hpp"
#include "catena/dynamics.hpp"
#include "catena/robot_file.hpp"
#include "support/allocations.hpp"
#include "support/cache_folder.hpp"
#include "support/formulations.hpp"
#include "support/generic_job.hpp"
#include "support/nightly.hpp"
#include "support/tolerances.hpp"

namespace catena::jit_test {
namespace {

using test::State;

Mechanism shipped(const std::string& name) { return make_mechanism(load_robot(find_model(name))); }

std::vector<double> results(Call<double>& call, const State& x, const std::vector<double>& tau) {
  std::vector<double> out(call.size());
  call(with_others<double>({.q = x.q, .qd = x.qd, .qdd = x.qdd, .tau = tau}, x.qdd), out);
  return out;
}

testing::AssertionResult agrees(Call<double>& call, const Mechanism& robot, const State& x) {
  const std::string_view job = call.job().name;
  const std::vector<double> tau = test::generic_job("inverse", robot, x, {}, 0);
  std::vector<double> expected;
  try {
    expected = test::generic_job(job, robot, x, tau, robot.tool);
  } catch (const std::domain_error& error) {  // singular: the calls must say the same
    try {
      results(call, x, tau);
    } catch (const std::domain_error& same) {
      return std::string(same.what()) == error.what()
                 ? testing::AssertionSuccess()
                 : testing::AssertionFailure() << error.what() << " became " << same.what();
    }
    return testing::AssertionFailure() << job << " should refuse: " << error.what();
  }
  const double scale = std::max(test::largest(expected), job == "gravity" || job == "coriolis" ? 1.0 : 1e-3);
  return test::near(results(call, x, tau), expected, scale, test::relative(1e-11)) << job << " of " << robot.name;
}

class Jit : public testing::Test {
 protected:
  test::CacheFolder cache_;
};

// Every job on some robots, and some jobs on every robot: compiling is most of the time.
TEST_F(Jit, JobsOfEveryShippedRobot) {
  test::Random random(21);
  int count = 0;
  for (const std::string& name : shipped_models()) {
    const Mechanism robot = shipped(name);
    ++count;
    for (const JobInfo& job : jobs()) {
      if (count++ % (test::nightly() ? 3 : 13) != 0) continue;
      const bool closed = robot.coordinates.is_closed();
      if (closed && (job.gives(Kind::positions) || job.takes(Input::lambda))) {
        EXPECT_THROW(compile(robot, job.name, cache_.options()), CompileError) << name;
        continue;
      }
      if (closed && job.inverts_inertia)
        continue;  // massless links: only the generic engine sees where that is singular
      Call<double> call = compile(robot, job.name, cache_.options());
      EXPECT_EQ(call.engine().kind, EngineKind::compiled);
      EXPECT_EQ(call.engine().why, "");
      EXPECT_EQ(call.nv(), robot.nv());
      for (int k = 0; k < 5; ++k) EXPECT_TRUE(agrees(call, robot, test::random_state(random, robot)));
    }
  }
}

TEST_F(Jit, EveryJobOfRandomChainsAndTrees) {
  int compiled = 0;
  for (const std::uint64_t seed : test::seeds(0, 4)) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    const auto [robot, state] = test::sample(700 + seed, 1 + static_cast<int>(seed));
    const Mechanism mechanism = make_mechanism(robot);
    CompileOptions options = cache_.options();
    options.search = seed % 2 == 0;
    for (const JobInfo& job : jobs()) {
      Call<double> call = compile_or_generic(mechanism, job.name, options);
      compiled += call.engine().kind == EngineKind::compiled;
      // A link without mass may make the robot singular: what inverts M is left to the generic engine.
      if (!job.inverts_inertia) {
        EXPECT_EQ(call.engine().kind, EngineKind::compiled) << call.engine().why;
      }
      EXPECT_TRUE(agrees(call, mechanism, state));
    }
  }
  EXPECT_GE(compiled, 54);
}

// Wrenches stand around compiled code as they do around formulations.
TEST_F(Jit, WrenchesActOnCompiledCodeToo) {
  test::Random random(27);
  for (const char* name : {"panda", "stanford"}) {
    const Robot described = load_robot(find_model(name));
    const Mechanism robot = make_mechanism(described);
    for (const JobInfo& job : jobs()) {
      if (!job.feels_wrenches()) continue;
      if (job.gives(Kind::loop_force)) continue;  // there is none to change
      Call<double> compiled = compile(robot, job.name, cache_.options()), generic(robot, job.name);
      bool changed = false;  // not always: on the first link they do nothing to what torques change with positions
      for (int k = 0; k < 5; ++k) {
        const State x = test::random_state(random, robot.nv());
        const auto wrenches = test::random_wrenches(random, described, 3);
        const Inputs<double> in =
            with_others<double>({.q = x.q, .qd = x.qd, .qdd = x.qdd, .tau = x.qdd, .wrenches = wrenches}, x.qdd);
        std::vector<double> a(compiled.size()), b(a.size()), still(a.size());
        compiled(in, a);
        generic(in, b);
        generic(with_others<double>({.q = x.q, .qd = x.qd, .qdd = x.qdd, .tau = x.qdd}, x.qdd), still);
        EXPECT_TRUE(test::near(a, b, test::relative(1e-10))) << job.name;
        changed = changed || b != still;
      }
      EXPECT_TRUE(changed) << job.name;
    }
  }
}

TEST_F(Jit, CodeIsMadeForOneFrame) {
  const Mechanism robot = shipped("ur5");
  CompileOptions options = cache_.options();
  options.frame = 2;
  Call<double> call = compile(robot, "pose", options), generic(robot, "pose");
  const std::vector<double> q(6, 0.3);
  std::vector<double> T(16), expected(16);
  call({.q = q, .frame = 2}, T);
  generic({.q = q, .frame = 2}, expected);
  EXPECT_TRUE(test::near(T, expected, test::relative(1e-12)));
  EXPECT_THROW(call({.q = q, .frame = 3}, T), std::invalid_argument);
  EXPECT_THROW(generic({.q = q, .frame = 99}, T), std::invalid_argument);
  options.frame = 99;
  EXPECT_THROW(compile(robot, "pose", options), std::invalid_argument);
}

TEST_F(Jit, NothingMoves) {
  Robot robot;
  robot.name = "post";
  robot.links.push_back({"base", {}});
  const Mechanism post = make_mechanism(robot);
  for (const JobInfo& job : jobs()) {
    Call<double> call = compile_or_generic(post, job.name, cache_.options());
    EXPECT_TRUE(agrees(call, post, {})) << job.name;
  }
}

TEST_F(Jit, AFormulationIsHandedToTheGenerator) {
  test::Random random(23);
  const Mechanism robot = shipped("pelican");
  CompileOptions options = cache_.options();
  options.formulation = "luh-walker-paul";
  Call<double> call = compile(robot, "inverse", options);
  EXPECT_EQ(call.formulation().name, "luh-walker-paul");
  EXPECT_TRUE(agrees(call, robot, test::random_state(random, robot)));
  // A library that comes from the cache knows its formulation too.
  const Call<double> again = compile(robot, "inverse", options);
  EXPECT_TRUE(again.engine().from_cache);
  EXPECT_EQ(again.formulation().name, "luh-walker-paul");
  options.formulation = "no-such-formulation";
  EXPECT_THROW(compile(robot, "inverse", options), std::invalid_argument);
  EXPECT_THROW(compile_or_generic(robot, "inverse", options), std::invalid_argument);
}

// Also those that need constants where the usual choices have functions of q.
TEST_F(Jit, EveryFormulationOfForwardDynamics) {
  test::Random random(26);
  const Mechanism robot = shipped("planar3r");
  const State x = test::random_state(random, robot.nv());
  for (const FormulationInfo& formulation : formulations("forward")) {
    CompileOptions options = cache_.options();
    options.formulation = formulation.name;
    Call<double> call = compile(robot, "forward", options);
    EXPECT_EQ(call.formulation().name, formulation.name);
    EXPECT_TRUE(agrees(call, robot, x)) << formulation.name;
  }
}

TEST_F(Jit, WhatIsAskedForMustExist) {
  const Mechanism robot = shipped("pelican");
  EXPECT_THROW(compile(robot, "torque", cache_.options()), std::invalid_argument);
  Call<double> call = compile(robot, "gravity", cache_.options());
  std::vector<double> q(2), out(4);
  EXPECT_THROW(call({.q = q}, out), std::invalid_argument);
  EXPECT_THROW(call({.q = q}, q), std::invalid_argument);
  EXPECT_THROW(InertiaMatrix<double>{call}, std::invalid_argument);
}

// Forward dynamics in two halves on compiled code, which keeps nothing in between.
TEST_F(Jit, ForwardDynamicsInTwoHalves) {
  test::Random random(28);
  const Mechanism robot = shipped("ur5");
  ForwardDynamics<double> compiled(compile(robot, "forward", cache_.options())), generic(robot);
  const State x = test::random_state(random, 6);
  std::vector<double> a(6), b(6);
  EXPECT_THROW(compiled.solve(x.qdd, a), std::logic_error);
  compiled.factor(x.q, x.qd);
  compiled.solve(x.qdd, a);
  generic(x.q, x.qd, x.qdd, b);
  EXPECT_TRUE(test::near(a, b, test::relative(1e-10)));
}

// The same words as the generic path, also where folded code does not read the argument at all.
TEST_F(Jit, NumbersThatAreNotFinite) {
  const Mechanism robot = shipped("ur5");
  InverseDynamics<double> compiled(compile(robot, "inverse", cache_.options())), generic(robot);
  const auto complaint = [](InverseDynamics<double>& call, const State& x) -> std::string {
    std::vector<double> tau(6);
    try {
      call(x.q, x.qd, x.qdd, tau);
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
  EXPECT_EQ(compile_or_generic(mechanism, "inverse", cache_.options()).engine().kind, EngineKind::compiled);
  for (const char* job : {"forward", "factor"}) {
    Call<double> call = compile_or_generic(mechanism, job, cache_.options());
    EXPECT_EQ(call.engine().kind, EngineKind::generic);
    EXPECT_NE(call.engine().why.find("moves no inertia of its own"), std::string::npos) << call.engine().why;
    EXPECT_TRUE(agrees(call, mechanism, {{0.1, 0.2}, {0.0, 0.0}, {0.0, 0.0}}));
    EXPECT_THROW(compile(mechanism, job, cache_.options()), CompileError);
  }
}

TEST_F(Jit, CallsAllocateNothing) {
  test::Random random(24);
  const Robot described = load_robot(find_model("panda"));
  const Mechanism robot = make_mechanism(described);
  const State x = test::random_state(random, 7);
  const auto wrenches = test::random_wrenches(random, described, 2);
  for (const JobInfo& job : jobs())
    for (Call<double> call : {compile(robot, job.name, cache_.options()), Call<double>(robot, job.name)}) {
      std::vector<double> out(call.size());
      Inputs<double> in = with_others<double>({.q = x.q, .qd = x.qd, .qdd = x.qdd, .tau = x.qdd}, x.qdd);
      const test::NoAlloc guard;
      call(in, out);
      if (job.feels_wrenches()) in.wrenches = wrenches;
      call(in, out);
    }
}

TEST_F(Jit, EveryThreadHasItsCopy) {
  const Mechanism robot = shipped("ur5");
  for (const bool compiled : {true, false}) {
    const InverseDynamics<double> inverse(compiled ? compile(robot, "inverse", cache_.options())
                                                   : Call<double>(robot, "inverse"));
    const ForwardDynamics<double> forward(compiled ? compile(robot, "forward", cache_.options())
                                                   : Call<double>(robot, "forward"));
    std::vector<int> wrong(4);
    const auto work = [&](std::size_t worker, InverseDynamics<double> own_inverse,
                          ForwardDynamics<double> own_forward) {
      test::Random random(worker);
      for (int k = 0; k < 2000; ++k) {
        const State x = test::random_state(random, 6);
        std::vector<double> tau(6), back(6);
        own_inverse(x.q, x.qd, x.qdd, tau);
        own_forward(x.q, x.qd, tau, back);
        wrong[worker] += !test::near(back, x.qdd, test::largest(x.qdd) + 1.0, test::relative(1e-8));
      }
    };
    std::vector<std::thread> threads;
    for (std::size_t worker = 0; worker < 4; ++worker) threads.emplace_back(work, worker, inverse, forward);
    for (std::thread& thread : threads) thread.join();
    EXPECT_EQ(wrong, std::vector<int>(4));
  }
}

TEST_F(Jit, MovedAndCopiedCallsKeepTheirLibraries) {
  const Mechanism robot = shipped("planar2r");
  Call<double> first = compile(robot, "gravity", cache_.options());
  Call<double> second(robot, "gravity");
  second = std::move(first);
  Call<double> third(std::move(second));
  Call<double> fourth(third);
  third = Call<double>(robot, "gravity");
  EXPECT_EQ(third.engine().kind, EngineKind::generic);
  EXPECT_EQ(fourth.engine().kind, EngineKind::compiled);
  EXPECT_TRUE(agrees(fourth, robot, {{0.3, 0.4}, {0.0, 0.0}, {0.0, 0.0}}));
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
  Call<double> call = compile_or_generic(robot, "inverse", options);
  EXPECT_EQ(call.engine().kind, EngineKind::compiled) << call.engine().why;
  EXPECT_TRUE(agrees(call, robot, test::random_state(random, 24)));
}

// The robot changes under the call: the generic engine serves, says so, and code for the new robot takes over.
TEST_F(Jit, FollowsAnAssembly) {
  Assembly assembly(load_robot(find_model("ur5")));
  FollowingCall call(assembly.live(), "inverse", cache_.options());
  Call<double> generic(assembly.live(), "inverse");
  const auto expect_agreement = [&] {
    test::Random random(3);
    const State x = test::random_state(random, assembly.joints());
    std::vector<double> got(call.size()), expected(generic.size());
    call({.q = x.q, .qd = x.qd, .qdd = x.qdd}, got);
    generic({.q = x.q, .qd = x.qd, .qdd = x.qdd}, expected);
    EXPECT_TRUE(test::near(got, expected, test::relative(1e-11)));
  };
  call.wait();
  EXPECT_EQ(call.engine().kind, EngineKind::compiled);
  expect_agreement();
  JointDescription joint;
  joint.name = "swivel";
  const Inertial body{2.0, {0.0, 0.1, 0.1}, {0.01, 0.02, 0.02, 0.0, 0.0, 0.0}};
  const auto load = assembly.attach("tool0", std::make_shared<const Part>("link", body, joint));
  if (call.engine().kind == EngineKind::generic) {
    EXPECT_NE(call.engine().why.find("is being compiled"), std::string::npos);
  }
  expect_agreement();
  call.wait();
  EXPECT_EQ(call.engine().kind, EngineKind::compiled);
  EXPECT_EQ(call.size(), 7u);
  expect_agreement();
  assembly.detach(load);
  expect_agreement();
  call.wait();
  EXPECT_EQ(call.engine().kind, EngineKind::compiled);
  expect_agreement();
}

}  // namespace
}  // namespace catena::jit_test
