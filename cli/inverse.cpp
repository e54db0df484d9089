// catena inverse: torques of a motion, one state or a table of them.
#include "catena/dynamics/inverse_dynamics.hpp"

#include <fmt/format.h>

#include <memory>
#include <optional>

#include "command.hpp"
#include "support/efforts.hpp"
#include "support/engine.hpp"
#include "support/errors.hpp"
#include "support/inverse_along.hpp"
#include "support/model_options.hpp"
#include "support/numbers.hpp"
#include "support/output.hpp"
#include "support/state_stream.hpp"

namespace catena::cli {
namespace {

struct Options {
  ModelOptions model;
  std::optional<std::string> q, qd, qdd;
  std::string method;  // empty: the fastest
  EngineOption engine;
  WrenchOptions wrenches;
  InverseAlong along;
  std::string states, output;
  bool deg = false, json = false;
};

void run(const Options& options) {
  require_method(options.method, "inverse");
  const bool table = !options.states.empty(), along = options.along.given();
  if ((table || along) && (options.q || options.qd || options.qdd))
    throw UsageError("--states and trajectories bring q, qd and qdd; leave out --q, --qd and --qdd");
  if (table && along) throw UsageError("give --states or a trajectory, not both");
  if (!table && !along && !options.output.empty()) throw UsageError("-o goes with --states and trajectories");
  if (!along && options.along.mentioned())
    throw UsageError("times, speeds, samples and limits go with a trajectory: --from and --to, --via or --trajectory");
  const Robot robot = options.model.load();
  const Mechanism mechanism = options.model.mechanism(robot);
  const std::vector<ExternalWrench<double>> wrenches = options.wrenches.parse(mechanism);
  if (along) {
    options.engine.explain_generic("motions and their limits are not part of compiled code");
    options.along.run({robot, mechanism, options.method, wrenches, options.output, options.deg, options.json});
    return;
  }
  const RobotCalls calls = options.engine.make(
      mechanism, {"inverse", options.method, options.states, wrenches.empty() ? "" : wrenches_are_generic});
  std::optional<InverseDynamics<double>> pushed;
  if (!wrenches.empty()) pushed.emplace(mechanism, options.method);
  const auto inverse = [&](std::span<const double> q, std::span<const double> qd, std::span<const double> qdd,
                           std::span<double> tau) {
    pushed ? (*pushed)(q, qd, qdd, tau, wrenches) : calls.inverse(q, qd, qdd, tau);
  };
  if (table) {
    const auto n = static_cast<std::size_t>(mechanism.n());
    const StateStream stream{options.states, options.output, {"q", "qd", "qdd"}, "tau", options.json};
    stream.run(robot, options.deg, with_engine({}, calls), [&](std::span<const double> x, std::span<double> tau) {
      inverse(x.first(n), x.subspan(n, n), x.last(n), tau);
    });
    return;
  }
  const std::vector<double> q = joint_vector(options.q, "--q", robot, options.deg);
  const std::vector<double> qd = joint_vector(options.qd, "--qd", robot, options.deg);
  const std::vector<double> qdd = joint_vector(options.qdd, "--qdd", robot, options.deg);
  std::vector<double> tau(q.size());
  inverse(q, qd, qdd, tau);
  emit(options.json ? json_line(with_engine({{"tau", tau}}, calls)) : effort_text(robot, tau, "torque"));
}

}  // namespace

void add_inverse(CLI::App& program) {
  const auto options = std::make_shared<Options>();
  CLI::App* command = add_command(program, "inverse", "Torques of a motion (inverse dynamics), one state or a table",
                                  "  catena inverse ur5 --q 0,-1,1,0,0,0 --qd 0.1,0,0,0,0,0 --json\n"
                                  "  catena inverse panda --q 0,10,0,-90,0,100,45 --deg --method luh-walker-paul\n"
                                  "  catena inverse ur5 --wrench tool0:0,0,-10,0,0,0 --wrench-axes world\n"
                                  "  catena inverse ur5 --states motion.csv -o torques.npy --engine compiled\n"
                                  "  catena inverse ur5 --trajectory motion.csv --scale-to-limits -o torques.csv\n"
                                  "  catena inverse ur5 --to 1,-1,1,0,0,0 --time 2 --rate 500 --total-power 300");
  options->model.add_dynamics(*command);
  command->add_option("--q", options->q, "joint positions, rad and m; default all 0")->type_name("Q1,Q2,...");
  command->add_option("--qd", options->qd, "joint velocities; default all 0")->type_name("V1,V2,...");
  command->add_option("--qdd", options->qdd, "joint accelerations; default all 0")->type_name("A1,A2,...");
  command->add_flag("--deg", options->deg, "revolute joints in degrees");
  add_method(*command, options->method);
  options->engine.add(*command);
  options->wrenches.add(*command);
  command->add_option("--states", options->states, "table of states: CSV (q1,…,qd1,…,qdd1,…), .npy, or - for stdin")
      ->type_name("FILE");
  options->along.add(*command);
  command->add_option("-o,--output", options->output, "where the table goes: CSV, .npy, or - for stdout (default)")
      ->type_name("FILE");
  command->add_flag("--json", options->json, "print one JSON object: tau, method, engine");
  command->callback([options] { run(*options); });
}

}  // namespace catena::cli
