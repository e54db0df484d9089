// Derivatives of programs: of every job and kind of robot against differences, of inverse and forward dynamics against
// the jobs that compute them, and second derivatives.
#include <gtest/gtest.h>

#include "catena/program.hpp"
#include "catena/robot_file.hpp"
#include "jobs/derivatives.hpp"
#include "support/generic_job.hpp"
#include "support/tolerances.hpp"

namespace catena::differentiate_test {
namespace {

using test::State;

Program program_of(const Mechanism& robot, const std::string& job) {
  const ProgramRequest request{{job}, {}};
  return make_program(robot, request, usual_choices(robot, request));
}

std::vector<double> values_of(const Program& program, const Mechanism& robot, const State& x) {
  const std::vector<double> tau = test::generic_job("inverse", robot, x, {}, 0);
  return test::input_values(program, test::with_all_positions(robot, x), tau);
}

// By rows of results; columns are the inputs in sequence.
std::vector<double> joined_blocks(const Program& jacobian, const Program& of, const std::vector<double>& values) {
  const std::vector<double> blocks = jacobian.evaluate(values);
  const std::size_t width = values.size();
  std::vector<double> out(of.results().size() * width);
  std::size_t row = 0, next = 0, block = 0;
  for (const Program::Output& output : of.outputs) {
    std::size_t column = 0;
    for (const Argument& input : of.inputs) {
      EXPECT_EQ(jacobian.outputs[block++].name, "jac_" + output.name + "_" + input.name);
      for (std::size_t i = 0; i < index(output.size()); ++i)
        for (std::size_t k = 0; k < index(input.size()); ++k) out[(row + i) * width + column + k] = blocks[next++];
      column += index(input.size());
    }
    row += index(output.size());
  }
  return out;
}

// Derivatives along a direction, of fourth order.
std::vector<double> differences(const Program& of, const std::vector<double>& values,
                                const std::vector<double>& along) {
  const auto beside = [&](double step) {
    std::vector<double> moved = values;
    for (std::size_t k = 0; k < moved.size(); ++k) moved[k] += step * along[k];
    return of.evaluate(moved);
  };
  constexpr double h = 2e-4;
  std::vector<double> out = beside(h);
  const auto b = beside(-h), c = beside(2 * h), d = beside(-2 * h);
  for (std::size_t k = 0; k < out.size(); ++k) out[k] = (8.0 * (out[k] - b[k]) - (c[k] - d[k])) / (12.0 * h);
  return out;
}

testing::AssertionResult agrees_with_differences(const Program& program, const std::vector<double>& values,
                                                 test::Random& random) {
  const std::vector<double> J = joined_blocks(jacobian_of(program), program, values);
  for (int repetition = 0; repetition < 3; ++repetition) {
    std::vector<double> along(values.size()), actual(program.results().size());
    for (double& x : along) x = random.between(-1.0, 1.0);
    for (std::size_t row = 0; row < actual.size(); ++row)
      for (std::size_t k = 0; k < along.size(); ++k) actual[row] += J[row * along.size() + k] * along[k];
    const std::vector<double> expected = differences(program, values, along);
    const auto found = test::near(actual, expected, std::max(1.0, test::largest(expected)), test::relative(1e-7));
    if (!found) return found;
  }
  return testing::AssertionSuccess();
}

TEST(Differentiate, EveryJobOfEveryShippedRobot) {
  test::Random random(71);
  for (const std::string& name : shipped_models()) {
    const Mechanism robot = make_mechanism(load_robot(find_model(name)));
    const State x = test::random_state(random, robot);
    for (const JobInfo& job : catena::jobs()) {
      if (job.name == "place" && robot.coordinates.is_closed()) continue;       // steps that end where they begin
      if (job.takes(Input::lambda) && robot.coordinates.is_closed()) continue;  // by calls alone
      const Program program = program_of(robot, std::string(job.name));
      if (program.results().size() > 200) continue;  // minutes for the regressor of a hexapod
      EXPECT_TRUE(agrees_with_differences(program, values_of(program, robot, x), random)) << name << ' ' << job.name;
    }
  }
}

TEST(Differentiate, InverseAndForwardDynamicsAsTheirJobs) {
  test::Random random(72);
  for (const char* name : {"ur5", "panda", "stanford", "puma560"}) {
    const Mechanism robot = make_mechanism(load_robot(find_model(name)));
    const State x = test::random_state(random, robot);
    for (const DerivativesInfo& known : all_derivatives) {
      const Program program = program_of(robot, std::string(known.job));
      const Program own = jacobian_of(program), job = program_of(robot, std::string(known.derivatives));
      const std::vector<double> values = values_of(program, robot, x), actual = own.evaluate(values);
      const std::vector<double> expected = job.evaluate(values);
      const std::size_t size = index(robot.nv()) * index(robot.nv());
      const auto part = [&](const std::vector<double>& all, std::size_t at) {
        return std::vector<double>(all.begin() + long(at), all.begin() + long(at + size));
      };
      for (std::size_t k = 0; k < std::size(known.by_input); ++k) {
        const auto found = std::find_if(job.outputs.begin(), job.outputs.end(),
                                        [&](const Program::Output& out) { return out.name == known.by_input[k]; });
        ASSERT_NE(found, job.outputs.end());
        const std::size_t first = size * std::size_t(found - job.outputs.begin());
        EXPECT_TRUE(test::near(part(actual, k * size), part(expected, first), std::max(1.0, test::largest(expected)),
                               test::relative(1e-11)))
            << name << ' ' << known.job << ' ' << known.by_input[k];
      }
    }
  }
}

TEST(Differentiate, ByColumnsEveryMatrixIsTransposed) {
  const Mechanism robot = make_mechanism(load_robot(find_model("planar3r")));
  test::Random random(75);
  const State x = test::random_state(random, robot);
  const Program program = jacobian_of(program_of(robot, "inverse")), turned = by_columns(program);
  const std::vector<double> values = values_of(program_of(robot, "inverse"), robot, x), rows = program.evaluate(values),
                            columns = turned.evaluate(values);
  std::size_t at = 0;
  for (const Program::Output& out : turned.outputs) {
    ASSERT_TRUE(out.by_columns);
    for (std::size_t i = 0; i < index(out.rows); ++i)
      for (std::size_t j = 0; j < index(out.columns); ++j)
        EXPECT_EQ(columns[at + j * index(out.rows) + i], rows[at + i * index(out.columns) + j]);
    at += index(out.size());
  }
}

// Of each job the cheaper of two: its own statements differentiated, or the job that has these derivatives.
TEST(Differentiate, TakesTheCheapestJacobian) {
  test::Random random(74);
  const Mechanism robot = make_mechanism(load_robot(find_model("ur5")));
  const State x = test::random_state(random, robot);
  for (const std::string job : {"gravity", "inverse", "forward", "pose"}) {
    const Program program = program_of(robot, job);
    const std::vector<double> values = values_of(program, robot, x);
    const std::vector<Program> found = with_derivatives(robot, {{job}, {}}, program, 1, false);
    ASSERT_EQ(found.size(), 2U) << job;
    const Program own = jacobian_of(program);
    const std::vector<double> expected = own.evaluate(values);
    EXPECT_TRUE(test::near(found[1].evaluate(values), expected, test::largest(expected), test::relative(1e-11))) << job;
    EXPECT_EQ(found[1].derived, own.derived);
    double least = instruction_cost(own.cost());
    if (const DerivativesInfo* known = derivatives_of(job))
      least = std::min(least, instruction_cost(program_of(robot, std::string(known->derivatives)).cost()));
    EXPECT_LE(instruction_cost(found[1].cost()), least) << job;
  }
}

TEST(Differentiate, SecondDerivativesOfWeightedResults) {
  test::Random random(73);
  for (const char* name : {"ur5", "panda", "stanford", "puma560", "pelican"}) {
    const Mechanism robot = make_mechanism(load_robot(find_model(name)));
    const State x = test::random_state(random, robot);
    for (const char* job : {"inverse", "forward", "pose", "energy"}) {
      const Program program = program_of(robot, job), gradient = gradient_of(program);
      std::vector<double> values = values_of(program, robot, x);
      const std::vector<double> J = joined_blocks(jacobian_of(program), program, values);
      const std::size_t width = values.size();
      std::vector<double> expected(width);
      for (std::size_t row = 0; row < program.results().size(); ++row) {
        values.push_back(std::sin(3.0 * double(row) + 1.0));
        for (std::size_t k = 0; k < width; ++k) expected[k] += values.back() * J[row * width + k];
      }
      const double scale = std::max(1.0, test::largest(expected));
      EXPECT_TRUE(test::near(gradient.evaluate(values), expected, scale, test::relative(1e-12))) << job;
      EXPECT_TRUE(agrees_with_differences(gradient, values, random)) << name << ' ' << job;
    }
  }
}

}  // namespace
}  // namespace catena::differentiate_test
