#include "catena/program.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <stdexcept>
#include <utility>

#include "codegen/closing_steps.hpp"
#include "codegen/recorded_loops.hpp"
#include "coordinates/charts.hpp"
#include "jobs/runner.hpp"

namespace catena {
namespace {

// "joint positions (rad, m)"
std::string with_unit(std::string_view words, const Unit& unit) {
  std::string text(words);
  if (unit.turning.empty()) return text;
  text.append(" (").append(unit.turning);
  if (unit.sliding != unit.turning) text.append(", ").append(unit.sliding);
  return text + ")";
}

// Whether one of the jobs takes this input.
bool takes(const ProgramRequest& request, const Sizes& sizes, Input input) {
  if (request.more && (input == Input::q || input == Input::qd)) return true;
  return std::any_of(request.jobs.begin(), request.jobs.end(),
                     [&](const std::string& job) { return job_info(job).takes(input, sizes); });
}

// Writes the inputs of a program and keeps them as symbols.
class Arguments {
 public:
  Arguments(Program& program, const ProgramRequest& request, const Sizes& sizes) : program_(program) {
    for (const InputInfo& input : all_inputs)
      if (takes(request, sizes, input.input))
        values_[static_cast<std::size_t>(input.input)] =
            add({std::string(input.name), input.size(sizes), 1, false, with_unit(input.words, input.unit)});
    if (request.weighted) weight = add({"weight", sizes.velocities, 1, false, "weights of the rows of the results"});
    if (request.gravity_input)
      gravity = add({"gravity", 3, 1, false, "acceleration of gravity along the axes of the base link (m/s^2)"});
    if (request.keep.empty()) return;
    std::string names;
    for (const auto& p : request.keep) names += (names.empty() ? "" : ", ") + p.name;
    parameters = add({"parameters", static_cast<int>(request.keep.size()), 1, false, names, request.keep});
  }

  Inputs<Expr> inputs(int frame) const {
    Inputs<Expr> in;
    for (const InputInfo& input : all_inputs) in[input.input] = values_[static_cast<std::size_t>(input.input)];
    in.frame = frame;
    return in;
  }
  std::vector<Expr> weight, gravity, parameters;

 private:
  std::vector<Expr> add(const Argument& argument) {
    std::vector<Expr> symbols;
    for (int k = 0; k < argument.size(); ++k)
      symbols.push_back(Expr::input(program_.graph, argument.name + "[" + std::to_string(k) + "]"));
    program_.inputs.push_back(argument);
    return symbols;
  }
  Program& program_;
  std::array<std::vector<Expr>, std::size(all_inputs)> values_;
};

// wᵀA for a matrix A stored by rows.
std::vector<Expr> weighted_sums(std::span<const Expr> A, std::span<const Expr> weight) {
  const std::size_t columns = A.size() / weight.size();
  std::vector<Expr> sums;
  for (std::size_t column = 0; column < columns; ++column) {
    Expr sum(0.0);
    for (std::size_t row = 0; row < weight.size(); ++row) sum += weight[row] * A[row * columns + column];
    sums.push_back(sum);
  }
  return sums;
}

// The gradient of wᵀr, where the job computes the derivatives of r as matrices.
void add_weighted(Program& program, const JobInfo& job, std::span<const Expr> results, std::span<const Expr> weight,
                  const Sizes& sizes) {
  std::size_t at = 0;
  for (const OutputInfo& output : job.outputs) {
    if (!output.is_matrix() || output.rows(sizes) != int(weight.size()))
      throw std::invalid_argument("results of " + std::string(job.name) + " are not matrices with one row per joint");
    Program::Output out;
    out.name = "weighted_" + std::string(output.name);
    out.meaning = "sums of the rows, each times its weight, of " + with_unit(output.words, output.unit);
    out.rows = output.columns(sizes);
    for (const Expr& sum : weighted_sums(results.subspan(at, index(output.size(sizes))), weight))
      out.entries.push_back(sum.in(program.graph));
    at += index(output.size(sizes));
    program.outputs.push_back(std::move(out));
  }
}

void add_matrices(Program& program, std::vector<SymbolicMatrix> matrices) {
  for (SymbolicMatrix& matrix : matrices) {
    Program::Output out;
    out.name = std::move(matrix.name);
    out.meaning = std::move(matrix.meaning);
    out.rows = matrix.rows;
    out.columns = matrix.columns;
    out.matrix = matrix.columns > 1;
    for (const Expr& entry : matrix.entries) out.entries.push_back(entry.in(program.graph));
    program.outputs.push_back(std::move(out));
  }
}

// One job on symbols; its outputs are added to the program.
void add_job(Program& program, const ProgramRequest& request, const JobInfo& job, const std::string& formulation,
             const BasicMechanism<Expr>& robot, const Inputs<Expr>& in, std::span<const Expr> weight) {
  std::vector<const JobInfo*> together;
  for (const std::string& name : request.jobs) together.push_back(&job_info(name));
  const Sizes sizes = sizes_of(robot);
  if (job.gives(Kind::positions) && robot.coordinates.is_closed())
    return add_matrices(program, closing_steps(robot, in.q, request.closing_steps));
  std::vector<Expr> results(index(job.size(sizes)));
  const auto runner = make_runner<Expr>(job.name, robot, formulation);
  runner->run(in, results);
  if (request.weighted) return add_weighted(program, job, results, weight, sizes);
  auto next = results.begin();
  for (const OutputInfo& output : job.outputs) {
    Program::Output out;
    out.name = output_name(output, job, together);
    out.meaning = with_unit(output.words, output.unit);
    out.rows = output.rows(sizes);
    out.columns = output.columns(sizes);
    out.packed = request.packed && output.symmetric;
    out.matrix = output.is_matrix();
    for (int row = 0; row < out.rows; ++row)
      for (int column = 0; column < out.columns; ++column, ++next)
        if (!out.packed || column >= row) out.entries.push_back(next->in(program.graph));
    program.outputs.push_back(std::move(out));
  }
}

}  // namespace

namespace {

// Below this number of joints straight-line code is faster.
constexpr int fewest_looped = 16;

// The number of nodes that a graph of this many operations may have: also inputs, constants and unused nodes.
std::size_t nodes_for(long operations) { return 10'000 + 4 * std::size_t(operations); }

std::string joined(const std::vector<std::string>& jobs) {
  std::string text;
  for (const std::string& job : jobs) text += (text.empty() ? "" : ", ") + job;
  return text;
}

}  // namespace

std::vector<NodeRef> Program::results() const {
  std::vector<NodeRef> all;
  for (const Output& out : outputs) all.insert(all.end(), out.entries.begin(), out.entries.end());
  return all;
}

std::vector<NodeRef> Program::needed() const {
  std::vector<NodeRef> all = results();
  for (const ProgramLoops& some : loops)
    for (const ProgramLoops::Table& table : some.tables) all.insert(all.end(), table.begin(), table.end());
  return all;
}

GraphCost Program::cost() const {
  GraphCost cost = written();
  for (const ProgramLoops& some : loops) some.add_cost(cost);
  return cost;
}

std::vector<double> Program::evaluate(std::span<const double> values) const {
  std::vector<double> known(values.begin(), values.end());
  std::size_t next = known.size();
  known.resize(std::size_t(graph.inputs()));
  for (const ProgramLoops& some : loops) {
    std::vector<std::vector<double>> tables;
    for (const ProgramLoops::Table& table : some.tables) tables.push_back(graph.evaluate(table, known));
    for (const double found : some.run(tables)) known[next++] = found;
  }
  return graph.evaluate(results(), known);
}

bool Program::reads(std::string_view input) const {
  std::uint32_t first = 0;
  for (const Argument& argument : inputs) {
    const auto end = first + static_cast<std::uint32_t>(argument.size());
    if (argument.name == input) {
      const std::vector<std::uint32_t> live = graph.live(needed());
      return std::any_of(live.begin(), live.end(), [&](std::uint32_t k) {
        return graph[k].operation == Operation::input && graph[k].a >= first && graph[k].a < end;
      });
    }
    first = end;
  }
  return false;
}

Program make_program(const Mechanism& robot, const ProgramRequest& request, const Choices& choices) {
  if (robot.coordinates.is_closed() && !robot.coordinates.closure.placed)
    return make_program(with_all_positions(robot), request, choices);
  if (request.jobs.empty() && !request.more) throw std::invalid_argument("a program needs a job");
  for (auto job = request.jobs.begin(); job != request.jobs.end(); ++job)
    if (std::find(request.jobs.begin(), job, *job) != job)
      throw std::invalid_argument("'" + *job + "' is asked for twice");
  Program program;
  program.robot_name = robot.name;
  program.joints = robot.nv();
  program.jobs = request.jobs;
  program.weighted = request.weighted;
  program.choices = choices;
  if (request.most_operations > 0) program.graph.limit(nodes_for(request.most_operations));
  Arguments arguments(program, request, sizes_of(robot));
  const Inputs<Expr> in = arguments.inputs(request.frame);
  BasicMechanism<Expr> symbolic = with_symbols(robot, request.keep, arguments.parameters);
  if (robot.varied) {
    set_constants<Expr>(robot.tree(), symbolic, in.constants);
    symbolic.varied = false;
    for (Argument& input : program.inputs)
      if (input.name == info_of(Input::constants).name) input.nominal = constants_of(robot);
  }
  if (request.gravity_input) {
    const auto& g = arguments.gravity;
    symbolic.gravity = symbolic.world_from_base.R.transpose() * Vec3<Expr>{g[0], g[1], g[2]};
  }
  if (choices.regrouped && !robot.varied) symbolic = regroup(slide_origins(symbolic, choices.slides));
  symbolic.flat = false;  // zeros are folded away anyway
  const Chart<Expr> chart(symbolic.coordinates, symbolic);
  symbolic = share_parallel_frames(symbolic, chart.place(in).q, choices.frames);
  for (std::size_t i = 0; i < choices.early_omega.size(); ++i)
    symbolic.links[i].early_omega = choices.early_omega[i] != 0;
  RecordedLoops recorded(program);
  const RecordLoops recording(request.loops && robot.joints() >= fewest_looped ? &recorded : nullptr);
  for (std::size_t k = 0; k < request.jobs.size(); ++k)
    add_job(program, request, job_info(request.jobs[k]), choices.formulations[k], symbolic, in, arguments.weight);
  if (request.more) add_matrices(program, request.more(symbolic, in));
  return program;
}

Choices usual_choices(const Mechanism& robot, const ProgramRequest& request) {
  Choices choices;
  choices.frames = has_parallel_axes(robot) ? SharedFrames::before_first : SharedFrames::none;
  choices.slides.assign(robot.links.size(), Slide::to_child);
  if (!choices.slides.empty()) choices.slides.back() = Slide::to_normal;
  choices.early_omega.assign(robot.links.size(), 0);
  for (std::size_t k = 0; k < request.jobs.size(); ++k) {
    const std::string_view standard = job_info(request.jobs[k]).standard_for(robot);
    choices.formulations.emplace_back(request.formulations.empty() ? standard : request.formulations[k]);
  }
  return choices;
}

Program usual_program(const Mechanism& robot, const ProgramRequest& request) {
  const auto too_many = [&](const std::string& number, const std::string& more) {
    return TooManyOperations("code for " + joined(request.jobs) + " would have " + number + " operations" + more +
                             "; the limit is " + std::to_string(request.most_operations));
  };
  const auto make = [&](const Choices& choices) {
    try {
      return make_program(robot, request, choices);
    } catch (const std::length_error&) {
      throw too_many("more than " + std::to_string(2 * request.most_operations), "");
    }
  };
  Choices choices = usual_choices(robot, request);
  Program program = [&] {
    try {
      return make(choices);
    } catch (const std::domain_error&) {  // the formulation needs constants where shared frames have functions of q
      choices.frames = SharedFrames::none;
      return make(choices);
    }
  }();
  if (request.most_operations <= 0) return program;
  const GraphCost cost = program.written();
  if (cost.operations() > request.most_operations)
    throw too_many(std::to_string(cost.operations()),
                   ", about " + std::to_string(std::lround(compile_seconds(cost))) + " s for a C compiler");
  return program;
}

double compile_seconds(const GraphCost& cost) { return 0.1 + 0.4e-3 * double(cost.instructions()); }

double instruction_cost(const GraphCost& cost) {
  // A mean of processors with and without fused multiply-add; a sine and cosine count as twelve instructions, a
  // division as five.
  const double unfused = double(cost.multiplications + cost.additions + cost.reciprocals);
  return 0.7 * double(cost.instructions()) + 0.3 * unfused + 12.0 * double(cost.sincos) +
         4.0 * double(cost.reciprocals);
}

}  // namespace catena
