#include "catena/codegen/program.hpp"

#include <algorithm>
#include <set>
#include <stdexcept>

#include "run_jobs.hpp"

namespace catena {
namespace {

std::vector<std::string_view> inverse_methods() {
  return {"tensor-augmented", "tensor", "denoc", "luh-walker-paul", "hollerbach-3x3", "hollerbach-4x4"};
}

const ProgramJob& find_job(std::string_view name) {
  std::string known;
  for (const ProgramJob& job : program_jobs()) {
    if (job.name == name) return job;
    known += (known.empty() ? "" : ", ") + std::string(job.name);
  }
  throw std::invalid_argument("no code for '" + std::string(name) + "'; known: " + known);
}

struct InputName {
  std::string_view name, meaning;
};
constexpr InputName input_names[] = {
    {"q", "joint positions (rad, m)"},
    {"qd", "joint velocities"},
    {"qdd", "joint accelerations"},
    {"tau", "joint torques and forces (N m, N)"},
};

bool takes(const ProgramRequest& request, std::string_view input) {
  return std::any_of(request.jobs.begin(), request.jobs.end(), [&](const std::string& job) {
    const auto& inputs = find_job(job).inputs;
    return std::find(inputs.begin(), inputs.end(), input) != inputs.end();
  });
}

// Writes the inputs of a program and keeps them as symbols.
class Arguments {
 public:
  Arguments(Program& program, const ProgramRequest& request, int n) : program_(program) {
    for (const auto& [name, meaning] : input_names)
      if (takes(request, name)) named(name) = add({std::string(name), n, 1, false, std::string(meaning)});
    if (request.gravity_input)
      gravity = add({"gravity", 3, 1, false, "acceleration of gravity along the axes of the base link (m/s^2)"});
    if (request.keep.empty()) return;
    std::string names;
    for (const auto& p : request.keep) names += (names.empty() ? "" : ", ") + p.name;
    parameters = add({"parameters", static_cast<int>(request.keep.size()), 1, false, names});
  }

  SymbolicState state;
  std::vector<Expr> gravity, parameters;

 private:
  std::vector<Expr>& named(std::string_view name) {
    return name == "q" ? state.q : name == "qd" ? state.qd : name == "qdd" ? state.qdd : state.tau;
  }
  std::vector<Expr> add(const Argument& argument) {
    std::vector<Expr> symbols;
    for (int k = 0; k < argument.size(); ++k)
      symbols.push_back(Expr::input(program_.graph, argument.name + "[" + std::to_string(k) + "]"));
    program_.inputs.push_back(argument);
    return symbols;
  }
  Program& program_;
};

Program::Output make_output(const ProgramJob& job, const ProgramRequest& request, int n,
                            const std::vector<Expr>& results, Graph& graph) {
  Program::Output out;
  out.name = job.output;
  out.meaning = job.meaning;
  const bool square = job.name == "inertia" || job.name == "coriolis";
  out.rows = job.name == "pose" ? 4 : job.name == "jacobian" ? 6 : n;
  out.columns = job.name == "pose" ? 4 : job.name == "jacobian" || square ? n : 1;
  out.packed = request.packed && job.name == "inertia";
  if (takes(request, out.name)) out.name += "_" + std::string(job.name);  // inverse beside forward: tau
  for (int row = 0; row < out.rows; ++row)
    for (int column = out.packed ? row : 0; column < out.columns; ++column)
      out.entries.push_back(results[index(row * out.columns + column)].in(graph));
  return out;
}

}  // namespace

const std::vector<ProgramJob>& program_jobs() {
  static const std::vector<ProgramJob> jobs{
      {"inverse", {"q", "qd", "qdd"}, "tau", "joint torques and forces (N m, N)", inverse_methods()},
      {"gravity", {"q"}, "g", "torques that hold the robot still", inverse_methods()},
      {"inertia",
       {"q"},
       "M",
       "inertia matrix",
       {"generalized-links", "renaud", "fijany-bejczy", "base-origin", "walker-orin", "denoc", "noc", "progressive"}},
      {"bias",
       {"q", "qd"},
       "b",
       "torques at zero acceleration",
       {"tensor-augmented", "tensor", "denoc", "luh-walker-paul", "hollerbach-3x3", "hollerbach-4x4", "base-origin"}},
      // Of the matrices C with C qd = bias - gravity, the one of the Christoffel symbols.
      {"coriolis", {"q", "qd"}, "C", "matrix of Coriolis and centrifugal terms", {"denoc-christoffel", "progressive"}},
      {"forward",
       {"q", "qd", "tau"},
       "qdd",
       "joint accelerations",
       {"composite-ldlt", "articulated-body", "denoc", "noc", "conjugate-gradient"}},
      {"pose", {"q"}, "T", "base link from frame, homogeneous", {"kinematics"}},
      {"jacobian",
       {"q"},
       "J",
       "velocity over angular velocity of the frame, along the axes of the base link",
       {"kinematics"}},
  };
  return jobs;
}

std::vector<NodeRef> Program::results() const {
  std::vector<NodeRef> all;
  for (const Output& out : outputs) all.insert(all.end(), out.entries.begin(), out.entries.end());
  return all;
}

Program make_program(const Mechanism& robot, const ProgramRequest& request, const Choices& choices) {
  if (request.jobs.empty()) throw std::invalid_argument("a program needs a job");
  Program program;
  program.robot_name = robot.name;
  program.joints = robot.n();
  program.jobs = request.jobs;
  program.choices = choices;
  const int n = robot.n();
  Arguments arguments(program, request, n);
  BasicMechanism<Expr> symbolic = with_symbols(robot, request.keep, arguments.parameters);
  if (request.gravity_input) {
    const auto& g = arguments.gravity;
    symbolic.gravity = symbolic.world_from_base.R.transpose() * Vec3<Expr>{g[0], g[1], g[2]};
  }
  if (choices.regrouped) symbolic = regroup(slide_origins(symbolic, choices.slides));
  for (std::size_t i = 0; i < choices.omega_before_joint.size(); ++i)
    symbolic.links[i].omega_before_joint = choices.omega_before_joint[i];
  symbolic.flat = false;  // zeros fold away by themselves
  symbolic = share_parallel_frames(symbolic, arguments.state.q, choices.frames);
  arguments.state.frame = request.frame < 0 ? robot.tool : request.frame;
  std::set<std::string> names;
  for (std::size_t k = 0; k < request.jobs.size(); ++k) {
    const ProgramJob& job = find_job(request.jobs[k]);
    const auto results = run_job(job.name, choices.methods[k], symbolic, arguments.state);
    program.outputs.push_back(make_output(job, request, n, results, program.graph));
    if (!names.insert(request.jobs[k]).second)
      throw std::invalid_argument("'" + request.jobs[k] + "' is asked for twice");
  }
  return program;
}

Choices usual_choices(const Mechanism& robot, const ProgramRequest& request) {
  Choices choices;
  choices.frames = has_parallel_axes(robot) ? SharedFrames::before_first : SharedFrames::none;
  choices.slides.assign(robot.links.size(), Slide::to_child);
  if (!choices.slides.empty()) choices.slides.back() = Slide::to_normal;
  choices.omega_before_joint.assign(robot.links.size(), false);
  for (std::size_t k = 0; k < request.jobs.size(); ++k) {
    const ProgramJob& job = find_job(request.jobs[k]);
    std::string_view method = job.methods.front();
    if (job.name == "forward" && robot.n() > 9) method = "articulated-body";
    choices.methods.emplace_back(request.methods.empty() ? method : request.methods[k]);
  }
  return choices;
}

double instruction_cost(const GraphCost& cost) {
  // Between processors that fuse products with sums and those that do not; a sine and cosine as twelve
  // instructions, a division as five.
  const double unfused = double(cost.multiplications + cost.additions + cost.reciprocals);
  return 0.7 * double(cost.instructions()) + 0.3 * unfused + 12.0 * double(cost.sincos) +
         4.0 * double(cost.reciprocals);
}

}  // namespace catena
