// Abridged programs: the errors they state hold at states that the test draws itself, against the run-time path; what
// is small goes and what is large stays.
#include <gtest/gtest.h>

#include <numbers>

#include "catena/changes.hpp"
#include "catena/code.hpp"
#include "catena/math/quaternion.hpp"
#include "catena/robot_file.hpp"
#include "support/generic_job.hpp"
#include "support/shared_library.hpp"
#include "support/tolerances.hpp"

namespace catena::abridge_test {
namespace {

using test::State;
using Values = std::vector<double>;

// A motion within the ranges that the program states, every other one with rates at the ends of theirs. Loops may not
// close.
State motion(test::Random& random, const Mechanism& robot, const Abridging& ranges, bool at_ends) {
  State x{Values(index(robot.nq())), Values(index(robot.nv())), Values(index(robot.nv()))};
  for (const Coordinate c : robot.coordinates.all()) {
    const JointLimits& limits = robot.limits(c);
    const bool bounded = std::isfinite(limits.lower) && std::isfinite(limits.upper);
    x.q[robot.coordinates.position_of(c)] =
        bounded ? random.between(limits.lower, limits.upper) : random.between(-std::numbers::pi, std::numbers::pi);
    const auto rate = [&](double most) {
      return at_ends ? (random.chance(0.5) ? most : -most) : random.between(-most, most);
    };
    x.qd[index(c)] = rate(ranges.speeds[index(c)]);
    x.qdd[index(c)] = rate(ranges.accelerations[index(c)]);
  }
  if (robot.coordinates.is_free()) {
    x.q[3] = random.between(-1.0, 1.0);
    normalize_quaternion(&x.q[3]);
  }
  return x;
}

// The largest error over `states` motions, as a share of the scale that the program states: against the run-time path.
double worst_share(const Program& program, const Mechanism& robot, const std::string& job, int states) {
  test::Random random(4711);
  const Values& scales = program.abridged->scales;
  Values largest(scales.size(), 0.0);
  double worst = 0.0;
  for (int k = 0; k < states; ++k) {
    State x = motion(random, robot, program.abridged->how, k % 2 == 1);
    Values tau, expected;
    try {
      tau = test::generic_job("inverse", robot, x, {}, 0);
      expected = test::generic_job(job, robot, x, tau, robot.tool);
      x = test::with_all_positions(robot, x);
    } catch (const std::domain_error&) {
      continue;
    }
    const Values actual = program.evaluate(test::input_values(program, x, tau));
    for (std::size_t e = 0; e < actual.size(); ++e) {
      largest[e] = std::max(largest[e], std::abs(expected[e]));
      const double error = std::abs(actual[e] - expected[e]);
      if (error > 1e-9 * test::largest(scales)) worst = std::max(worst, error / scales[e]);
    }
  }
  // The scales are what they are said to be: near singular places larger ones are found in more states.
  if (!robot.coordinates.is_closed()) {
    const auto& out = program.outputs[0];
    for (int row = 0; row < out.rows; ++row) {
      const auto first = index(row * out.columns);
      const double of_row = test::largest(Values(&largest[first], &largest[first] + out.columns));
      EXPECT_LE(of_row, 1.3 * scales[first]) << row;
      EXPECT_GE(of_row, 0.5 * scales[first] - 1e-9 * test::largest(scales)) << row;
    }
  }
  return worst;
}

// States of the test are others than those by which the program was tried: a little more than it says may be found.
constexpr double beyond = 1.15;

void expect_short_and_close(const Mechanism& robot, const std::string& job, double significance) {
  const ProgramRequest request{{job}, {}};
  const Program exact = make_program(robot, request, usual_choices(robot, request));
  const Program program = abridge(robot, exact, {significance});
  ASSERT_TRUE(program.abridged) << job;
  EXPECT_EQ(program.abridged->exact.operations(), exact.cost().operations());
  EXPECT_LE(program.cost().operations(), exact.cost().operations()) << job;
  EXPECT_LE(program.abridged->largest_error(), significance) << job;
  EXPECT_EQ(program.abridged->errors.size(), exact.results().size());
  EXPECT_LE(worst_share(program, robot, job, 1500), beyond * significance) << robot.name << ", " << job;
}

TEST(Abridge, ErrorsHoldAtOtherStates) {
  std::vector<Robot> robots;
  for (const char* name : {"puma560", "ur5", "stanford", "gripper", "five_bar"})
    robots.push_back(load_robot(find_model(name)));
  robots.push_back(add_payload(robots[0], "flange", {2.0, {0.0, 0.02, 0.1}, {}}));
  test::Random random(5);
  robots.push_back(test::random_robot(random, {.joints = 6, .shape = test::Shape::tree, .drives = true}));
  robots.push_back(test::random_free(random, 3, true));
  for (const Robot& robot : robots)
    for (const char* job : {"inverse", "inertia", "forward"}) expect_short_and_close(make_mechanism(robot), job, 0.01);
}

TEST(Abridge, EveryJobOfOneRobot) {
  const Mechanism robot = make_mechanism(load_robot(find_model("puma560")));
  for (const char* job : {"gravity", "bias", "coriolis", "pose", "jacobian", "linearize"})
    expect_short_and_close(robot, job, 0.02);
}

// One that divides: where a division is lost no summand can be left out, and the errors still hold.
TEST(Abridge, ForwardDynamicsTakesLess) {
  const Mechanism robot = make_mechanism(load_robot(find_model("puma560")));
  const ProgramRequest request{{"forward"}, {}};
  const Program exact = make_program(robot, request, usual_choices(robot, request));
  EXPECT_LT(abridge(robot, exact, {0.01}).cost().operations(), 0.95 * double(exact.cost().operations()));
}

TEST(Abridge, TakesABaseThatMoves) {
  const Mechanism robot = on_moving_base(make_mechanism(load_robot(find_model("puma560"))));
  const Program exact = usual_program(robot, {{"inverse"}, {}}), program = abridge(robot, exact);
  EXPECT_LT(program.cost().operations(), exact.cost().operations());
  EXPECT_LE(program.abridged->largest_error(), 0.01);
}

// 351 operations are exact; Armstrong, Khatib and Burdick kept 305.
TEST(Abridge, PumaTakesHalf) {
  const Mechanism robot = make_mechanism(load_robot(find_model("puma560")));
  const Program exact = find_cheapest(robot, {{"inverse"}, {}});
  long before = exact.cost().operations();
  for (const auto& [significance, most] : {std::pair(0.001, 310L), std::pair(0.01, 175L), std::pair(0.05, 115L)}) {
    const Program program = abridge(robot, exact, {significance});
    EXPECT_LE(program.cost().operations(), most);
    EXPECT_LT(program.cost().operations(), before);
    before = program.cost().operations();
    EXPECT_GT(program.abridged->largest_error(), 0.1 * significance);  // something was left out
  }
}

TEST(Abridge, NothingIsLeftOutAtZero) {
  const Mechanism robot = make_mechanism(load_robot(find_model("puma560")));
  const Program exact = usual_program(robot, {{"inverse"}, {}}), program = abridge(robot, exact, {0.0});
  EXPECT_FALSE(program.abridged);
  EXPECT_EQ(print_code({program}, {"arm"}).source, print_code({exact}, {"arm"}).source);
}

TEST(Abridge, SlowMotionsTakeLess) {
  const Mechanism robot = make_mechanism(load_robot(find_model("puma560")));
  const Program exact = usual_program(robot, {{"inverse"}, {}});
  const Values slow(6, 0.01);
  EXPECT_LT(abridge(robot, exact, {0.01, slow, slow}).cost().operations(),
            abridge(robot, exact, {0.01}).cost().operations());
}

TEST(Abridge, PackedAndFullMatricesHaveTheSameScales) {
  const Mechanism robot = make_mechanism(load_robot(find_model("stanford")));
  const Program full = usual_program(robot, {{"inertia"}, {}}), packed = usual_program(robot, {{"inertia"}, {}, true});
  EXPECT_EQ(abridge(robot, full).cost().operations(), abridge(robot, packed).cost().operations());
}

// f = sin q0 + planted cos q1 q̇1, beside another result.
Program with_planted(double planted) {
  Program program;
  program.jobs = {"bias"};
  program.choices.formulations = {"planted"};
  Graph& graph = program.graph;
  std::vector<Expr> x;
  for (const char* name : {"q[0]", "q[1]", "qd[0]", "qd[1]"}) x.push_back(Expr::input(graph, name));
  for (const char* name : {"q", "qd"}) program.inputs.push_back({name, 2, 1, false, "", {}});
  program.outputs.emplace_back();
  program.outputs[0].name = "f", program.outputs[0].rows = 2;
  const Expr small = Expr(planted) * sincos(x[1]).c * x[3];
  program.outputs[0].entries = {(sincos(x[0]).s + small).in(graph), (x[2] * x[3] + small).in(graph)};
  return program;
}

TEST(Abridge, WhatIsSmallGoesAndWhatIsLargeStays) {
  const Mechanism robot = make_mechanism(load_robot(find_model("planar2r")));
  const Values one(2, 1.0), x{0.3, 0.4, 0.5, 0.6};
  const double cosine = std::cos(0.4) * 0.6;
  for (const double planted : {1e-6, 1e-3, 0.009, 0.012, 0.3, 1.0, 40.0}) {
    const Program exact = with_planted(planted), program = abridge(robot, exact, {0.01, one, one});
    const bool stays = planted > 0.01;
    const Values f = program.evaluate(x);
    EXPECT_NEAR(f[0], std::sin(0.3) + (stays ? planted * cosine : 0.0), 1e-15) << planted;
    EXPECT_NEAR(f[1], 0.5 * 0.6 + (stays ? planted * cosine : 0.0), 1e-15) << planted;
    EXPECT_EQ(program.cost().sincos, stays ? 2 : 1) << planted;
  }
}

TEST(Abridge, CompiledCodeAgrees) {
  const Mechanism robot = make_mechanism(load_robot(find_model("puma560")));
  test::Random random(8);
  for (const char* job : {"inverse", "forward"}) {
    const Program program = abridge(robot, find_cheapest(robot, {{job}, {}}));
    const std::string source = print_code({program}, {"arm"}).source;
    EXPECT_NE(source.find("fresh states (a sample, not a bound)"), std::string::npos);
    const test::SharedLibrary library(source, "-std=c99 -Wall -Wextra -Werror -pedantic");
    for (int k = 0; k < 20; ++k) {
      const State x = motion(random, robot, program.abridged->how, false);
      const Values tau = test::generic_job("inverse", robot, x, {}, 0);
      std::vector<const double*> inputs;
      for (const Argument& a : program.inputs) inputs.push_back(test::input_of(a.name, x, tau).data());
      Values result(6);
      library.call(std::string("arm_") + job, inputs, result.data());
      EXPECT_TRUE(test::near(result, program.evaluate(test::input_values(program, x, tau)), test::relative(1e-12)));
    }
  }
}

TEST(Abridge, SaysWhatItCannotDo) {
  const Robot arm = load_robot(find_model("planar2r"));
  const Mechanism robot = make_mechanism(arm);
  const Program exact = usual_program(robot, {{"inverse"}, {}});
  for (const double bad : {-0.1, 1.0, std::numeric_limits<double>::quiet_NaN()})
    EXPECT_THROW(abridge(robot, exact, {bad}), std::invalid_argument) << bad;
  EXPECT_THROW(abridge(robot, exact, {0.01, {1.0}}), std::invalid_argument);
  EXPECT_THROW(abridge(robot, exact, {0.01, {1.0, 1.0}, {1.0, -1.0}}), std::invalid_argument);
  ProgramRequest kept{{"inverse"}, {}};
  kept.keep = parse_kept("mass:2", arm, robot);
  EXPECT_THROW(abridge(robot, usual_program(robot, kept)), std::invalid_argument);
  test::Random random(3);
  const Mechanism long_chain = make_mechanism(test::random_robot(random, {.joints = 20}));
  ProgramRequest looped{{"inverse_inertia"}, {}};
  looped.loops = true;
  const Program loops = usual_program(long_chain, looped);
  EXPECT_THROW(abridge(long_chain, loops), std::invalid_argument);
  EXPECT_NO_THROW(abridge(long_chain, loops, {0.0}));
}

// A robot without accelerations has no errors that could be held.
TEST(Abridge, LeavesOutNothingWhereNoResultIsFinite) {
  Robot arm = load_robot(find_model("planar2r"));
  arm.links.back().inertial = {};
  const Mechanism robot = make_mechanism(arm);
  const Program exact = usual_program(robot, {{"forward"}, {}}), brief = abridge(robot, exact, {0.01});
  EXPECT_EQ(brief.abridged->states, 0U);
  EXPECT_EQ(brief.cost().operations(), exact.cost().operations());
}

}  // namespace
}  // namespace catena::abridge_test
