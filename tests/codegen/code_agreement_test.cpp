// Generated code against the run-time path: every job, every language that runs here, on every shipped robot, every
// golden robot and random chains and trees.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "catena/code.hpp"
#include "catena/robot_file.hpp"
#include "codegen/escape.hpp"
#include "support/generic_job.hpp"
#include "support/golden_robots.hpp"
#include "support/shared_library.hpp"
#include "support/tolerances.hpp"

namespace catena::code_agreement_test {
namespace {

using test::State;

constexpr double bound = 1e-11;
constexpr int groups = 8;  // tests that run side by side

// Compiling is most of the time here. Without optimization, a copy of the sine kernel in each of 2,000 functions is a
// third of it.
const std::string c_flags = "-std=c99 -O0 -Dalways_inline=unused";

struct Case {
  std::string name;
  Mechanism robot;
  State x;
  std::vector<double> tau;
  std::vector<Program> programs;              // one a job
  std::vector<std::vector<double>> expected;  // the same order
};

Case make_case(std::string name, const Robot& robot, const State& x, bool search) {
  Case c{std::move(name), make_mechanism(robot), x, {}, {}, {}};
  State pushed = x;  // accelerations of moderate size, none of them zero
  for (std::size_t j = 0; j < pushed.qdd.size(); ++j) pushed.qdd[j] = 1.0 + 0.1 * double(j);
  c.tau = test::generic_job("inverse", c.robot, pushed, {}, 0);
  for (const JobInfo& job : catena::jobs()) {
    std::vector<double> expected;
    try {
      expected = test::generic_job(job.name, c.robot, x, c.tau, c.robot.tool);
      if (job.gives(Kind::positions) && c.robot.coordinates.is_closed()) expected.push_back(1.0);  // closed
    } catch (const std::domain_error&) {
      continue;  // a singular robot does not accelerate
    }
    const ProgramRequest request{{std::string(job.name)}, {}};
    c.programs.push_back(search ? find_cheapest(c.robot, request)
                                : make_program(c.robot, request, usual_choices(c.robot, request)));
    c.expected.push_back(std::move(expected));
  }
  c.x = test::with_all_positions(c.robot, x);
  return c;
}

// Every `groups`-th case, from `group` on.
std::vector<Case> cases_of(int group) {
  std::vector<Case> cases;
  int count = 0;
  const auto add = [&](auto make) {
    if (count++ % groups == group) cases.push_back(make());
  };
  test::Random random(99);
  for (const std::string& name : shipped_models()) {
    const Robot robot = load_robot(find_model(name));
    const State x = test::random_state(random, make_mechanism(robot));
    add([&] { return make_case(identifier(name), robot, x, true); });
  }
  for (const auto& golden : test::read_golden_robots(CATENA_SOURCE_DIR "/tests/data/golden_robots.json"))
    add([&] { return make_case("golden" + std::to_string(count), golden.robot, golden.x, false); });
  for (std::uint64_t seed = 0; seed < 32; ++seed)
    add([&] {
      const auto [robot, x] = test::sample(9000 + seed, 1 + static_cast<int>(seed % 7));
      return make_case("random" + std::to_string(seed), robot, x, seed % 8 == seed / 8 % 8);  // some of every group
    });
  return cases;
}

std::vector<const double*> inputs_of(const Program& program, const Case& c) {
  std::vector<const double*> inputs;
  for (const Argument& a : program.inputs) inputs.push_back(test::input_of(a.name, c.x, c.tau).data());
  return inputs;
}

double scale_of(const std::vector<double>& expected) { return std::max(test::largest(expected), 1e-3); }

std::string print_all(const std::vector<Case>& cases, CodeOptions options) {
  std::string text;
  for (const Case& c : cases) {
    options.name = c.name;
    text += print_code(c.programs, options).source;
  }
  return text;
}

void expect_c(const std::vector<Case>& cases) {
  const test::SharedLibrary library(print_all(cases, {}), c_flags);
  for (const Case& c : cases)
    for (std::size_t k = 0; k < c.programs.size(); ++k) {
      std::vector<double> result(c.expected[k].size(), std::numeric_limits<double>::quiet_NaN());
      const std::string function = function_name(c.programs[k], {c.name});
      library.call(function, inputs_of(c.programs[k], c), test::outputs_in_a_row(c.programs[k], result.data()));
      EXPECT_TRUE(test::near(result, c.expected[k], scale_of(c.expected[k]), test::relative(bound))) << function;
    }
}

// The same programs in another dialect: every third robot, with every job, has all that can differ.
std::vector<Case> every_third(const std::vector<Case>& cases) {
  std::vector<Case> some;
  for (std::size_t k = 0; k < cases.size(); k += 3) some.push_back(cases[k]);
  return some;
}

void expect_c_in_vectors(const std::vector<Case>& cases, int lanes) {
  CodeOptions options;
  options.language = Language::c_batch;
  options.lanes = lanes;
  // Two lanes are what every 64-bit processor has. Taking four apart for it would take the compiler half a minute.
  const test::SharedLibrary library(print_all(cases, options), c_flags + (lanes > 2 ? " -march=native" : ""));
  constexpr std::size_t count = 7, stride = 9;  // one whole vector and a rest; rows longer than the batch
  for (const Case& c : cases)
    for (std::size_t k = 0; k < c.programs.size(); ++k) {
      const std::vector<const double*> one = inputs_of(c.programs[k], c);
      std::vector<std::vector<double>> spread;
      for (std::size_t a = 0; a < one.size(); ++a) {
        spread.emplace_back(std::size_t(c.programs[k].inputs[a].size()) * stride, 0.0);
        for (std::size_t j = 0; j < spread[a].size(); ++j) spread[a][j] = one[a][j / stride];
      }
      std::vector<const double*> inputs;
      for (const auto& values : spread) inputs.push_back(values.data());
      std::vector<double> result(c.expected[k].size() * stride, -7.0);
      const std::string function = function_name(c.programs[k], {c.name}) + "_batch";
      library.call_batch(function, count, stride, inputs, test::outputs_in_a_row(c.programs[k], result.data(), stride));
      for (std::size_t state = 0; state < stride; ++state) {
        std::vector<double> own;
        for (std::size_t j = 0; j < c.expected[k].size(); ++j) own.push_back(result[j * stride + state]);
        if (state < count) {
          EXPECT_TRUE(test::near(own, c.expected[k], scale_of(c.expected[k]), test::relative(bound))) << function;
        } else {
          EXPECT_EQ(own, std::vector<double>(own.size(), -7.0)) << "wrote beyond the batch";
        }
      }
    }
}

void expect_python(const std::vector<Case>& cases) {
  const test::TemporaryFolder folder;
  CodeOptions options;
  options.language = Language::python;
  nlohmann::json calls = nlohmann::json::array();
  for (const Case& c : cases) {
    options.name = c.name;
    folder.write(c.name + ".py", print_code(c.programs, options).source);
    for (std::size_t k = 0; k < c.programs.size(); ++k) {
      nlohmann::json arguments = nlohmann::json::array();
      for (const Argument& a : c.programs[k].inputs) arguments.push_back(test::input_of(a.name, c.x, c.tau));
      calls.push_back(
          {{"module", c.name}, {"function", function_name(c.programs[k], options)}, {"arguments", arguments}});
    }
  }
  folder.write("calls.json", calls.dump());
  // One state, and the same state twice as a batch.
  folder.write("run.py", R"(
import importlib, json, numpy as np
results = []
for call in json.load(open("calls.json")):
    f = getattr(importlib.import_module(call["module"]), call["function"])
    ones = f(*call["arguments"])
    twos = f(*[np.array([a, a]) for a in call["arguments"]])
    if not isinstance(ones, tuple):
        ones, twos = (ones,), (twos,)
    for one, two in zip(ones, twos, strict=True):
        assert two.shape == (2,) + one.shape, (two.shape, one.shape)
        difference = np.abs(two[1] - one).max(initial=0)
        assert difference <= 1e-13 * max(np.abs(one).max(initial=0), 1e-3), (call, difference)
    results.append([entry for one in ones for entry in one.ravel().tolist()])
json.dump(results, open("results.json", "w"))
)");
  test::run_command("cd '" + folder.string() + "' && " CATENA_PYTHON " run.py");
  const nlohmann::json results = nlohmann::json::parse(test::contents(folder / "results.json"));
  std::size_t at = 0;
  for (const Case& c : cases)
    for (std::size_t k = 0; k < c.programs.size(); ++k, ++at)
      EXPECT_TRUE(test::near(results.at(at).get<std::vector<double>>(), c.expected[k], scale_of(c.expected[k]),
                             test::relative(bound)))
          << c.name << ' ' << c.programs[k].jobs[0];
  EXPECT_EQ(at, results.size());
}

class CodeAgreement : public testing::TestWithParam<int> {};

TEST_P(CodeAgreement, CVectorsAndPython) {  // in one test, since all print the same programs
  const std::vector<Case> cases = cases_of(GetParam());
  expect_c(cases);
  expect_c_in_vectors(every_third(cases), GetParam() == 0 ? 4 : 2);
  expect_python(cases);
}

INSTANTIATE_TEST_SUITE_P(Group, CodeAgreement, testing::Range(0, groups));

}  // namespace
}  // namespace catena::code_agreement_test
