// Generated code against the run-time path: every job, every language that runs here, on every shipped robot, every
// golden robot and random chains and trees.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <set>

#include "catena/code.hpp"
#include "catena/robot_file.hpp"
#include "codegen/escape.hpp"
#include "model/free_base.hpp"
#include "support/generic_job.hpp"
#include "support/golden_robots.hpp"
#include "support/nightly.hpp"
#include "support/shared_library.hpp"
#include "support/tolerances.hpp"

namespace catena::code_agreement_test {
namespace {

using test::State;

constexpr double usual_bound = 1e-11;
constexpr int groups = 8;  // tests that run side by side

// Compiling is most of the time here. Without optimization, a copy of the sine kernel in each of 2,000 functions is a
// third of it.
const std::string c_flags = "-std=c99 -O0 -Dalways_inline=unused";

struct Case {
  std::string name;
  Mechanism robot;
  State x;
  std::vector<double> tau;
  std::vector<Program> programs;              // one per job
  std::vector<std::vector<double>> expected;  // the same order
};

enum class Choose { usual, by_search, usual_with_loops };

Program program_of(const Mechanism& robot, const JobInfo& job, Choose how) {
  ProgramRequest request{{std::string(job.name)}, {}};
  if (how == Choose::by_search) return find_cheapest(robot, request);
  request.loops = how == Choose::usual_with_loops;
  return make_program(robot, request, usual_choices(robot, request));
}

Case make_case(std::string name, const Robot& robot, const State& x, Choose how) {
  Case c{std::move(name), make_mechanism(robot), x, {}, {}, {}};
  State pushed = x;  // accelerations of moderate size, none of them zero
  for (std::size_t j = 0; j < pushed.qdd.size(); ++j) pushed.qdd[j] = 1.0 + 0.1 * double(j);
  c.tau = test::generic_job("inverse", c.robot, pushed, {}, 0);
  for (const JobInfo& job : catena::jobs()) {
    if (job.takes(Input::lambda) && c.robot.coordinates.is_closed()) continue;  // by calls alone
    std::vector<double> expected;
    try {
      expected = test::generic_job(job.name, c.robot, x, c.tau, c.robot.tool);
      if (job.gives(Kind::positions) && c.robot.coordinates.is_closed()) expected.push_back(1.0);  // closed
    } catch (const std::domain_error&) {
      continue;  // a singular robot does not accelerate
    }
    Program program = program_of(c.robot, job, how);
    if (how == Choose::usual_with_loops && program.loops.empty()) continue;
    c.programs.push_back(std::move(program));
    c.expected.push_back(std::move(expected));
  }
  c.x = test::with_all_positions(c.robot, x);
  return c;
}

// Every `groups`-th case, from `group` on; of these every fourth unless all are wanted.
std::vector<Case> cases_of(int group) {
  std::vector<Case> cases;
  int count = 0;
  const auto add = [&](auto make) {
    const bool chosen = test::nightly() || count / groups % 4 == group % 4;
    if (count++ % groups == group && chosen) cases.push_back(make());
  };
  test::Random random(99);
  for (const std::string& name : shipped_models()) {
    const Robot robot = load_robot(find_model(name));
    const State x = test::random_state(random, make_mechanism(robot));
    add([&] { return make_case(identifier(name), robot, x, Choose::by_search); });
  }
  for (const auto& golden : test::read_golden_robots(CATENA_SOURCE_DIR "/tests/data/golden_robots.json"))
    add([&] { return make_case("golden" + std::to_string(count), golden.robot, golden.x, Choose::usual); });
  for (const std::uint64_t seed : test::seeds(0, 32))
    add([&] {
      const auto [robot, x] = test::sample(9000 + seed, 1 + static_cast<int>(seed % 7));
      const bool search = seed % 8 == seed / 8 % 8;  // some of every group
      return make_case("random" + std::to_string(seed), robot, x, search ? Choose::by_search : Choose::usual);
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

void expect_c(const std::vector<Case>& cases, double bound = usual_bound) {
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

void expect_c_in_vectors(const std::vector<Case>& cases, int lanes, double bound = usual_bound) {
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
                             test::relative(usual_bound)))
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

// Two jobs in one function with loops: the results of the second stand after those of the first.
void add_both(Case& c, const std::string& first, const std::string& second) {
  ProgramRequest request{{first, second}, {}};
  request.loops = true;
  Program program = make_program(c.robot, request, usual_choices(c.robot, request));
  if (program.loops.empty()) return;
  std::vector<double> expected = test::generic_job(first, c.robot, c.x, c.tau, 0);
  const std::vector<double> rest = test::generic_job(second, c.robot, c.x, c.tau, 0);
  expected.insert(expected.end(), rest.begin(), rest.end());
  c.programs.push_back(std::move(program));
  c.expected.push_back(std::move(expected));
}

// Robots with so many joints that their code has loops: chains, trees, with friction and rotors, coupled, on a free
// base.
TEST(LoopedCode, LargeRobotsHaveLoops) {
  std::vector<Case> cases;
  std::set<std::string> looped;
  test::Random random(77);
  for (const int k : test::nightly() ? std::vector{0, 2, 4, 5} : std::vector{4}) {
    Robot robot = test::random_robot(random, {.joints = 16 + 3 * (k % 3),
                                              .shape = k % 2 == 0 ? test::Shape::chain : test::Shape::tree,
                                              .massless_links = false,
                                              .drives = k % 4 < 2});
    if (k == 2 || k == 3) test::couple_some(random, robot, 0.2);
    if (k >= 4) {
      robot.links[std::size_t(robot.root())].inertial = test::random_inertial(random);
      robot = on_free_base(std::move(robot));
    }
    State x = test::random_state(random, make_mechanism(robot));
    if (k >= 4) {  // three angles are a quaternion there
      const double quaternion[] = {0.5, -0.1, 0.1, 0.8544003745317531};
      x.q.insert(x.q.begin() + 3, 0.0);
      std::copy_n(quaternion, 4, x.q.begin() + 3);
    }
    cases.push_back(make_case("large" + std::to_string(k), robot, x, Choose::usual_with_loops));
    add_both(cases.back(), "inertia", "inverse_inertia");
    const Case& c = cases.back();
    for (std::size_t p = 0; p < c.programs.size(); ++p) {
      looped.insert(c.programs[p].jobs.front());
      const std::vector<double> found = c.programs[p].evaluate(test::input_values(c.programs[p], c.x, c.tau));
      EXPECT_TRUE(test::near(found, c.expected[p], scale_of(c.expected[p]), test::relative(1e-9))) << c.name;
      EXPECT_GT(c.programs[p].cost().multiplications, c.programs[p].written().multiplications) << looped.size();
    }
  }
  std::erase_if(cases, [](const Case& c) { return c.programs.empty(); });  // low trees have short code
  EXPECT_GE(cases.size(), test::nightly() ? 3u : 1u);
  for (const char* job : {"inertia", "inverse_inertia", "linearize", "response", "stiffness"})
    EXPECT_TRUE(looped.contains(job)) << job;
  expect_c(cases, 1e-9);
  expect_c_in_vectors({cases.back()}, 4, 1e-9);
}

INSTANTIATE_TEST_SUITE_P(Group, CodeAgreement, testing::Range(0, groups));

}  // namespace
}  // namespace catena::code_agreement_test
