// catena gravity, catena static: torques that hold the robot still, against its weight and against pushes.
#include <fmt/format.h>

#include <memory>
#include <optional>

#include "catena/dynamics/inverse_dynamics.hpp"
#include "command.hpp"
#include "support/efforts.hpp"
#include "support/engine.hpp"
#include "support/errors.hpp"
#include "support/model_options.hpp"
#include "support/numbers.hpp"
#include "support/output.hpp"
#include "support/state_stream.hpp"

namespace catena::cli {
namespace {

struct Options {
  ModelOptions model;
  std::optional<std::string> q;
  std::string method;  // empty: the fastest
  EngineOption engine;
  WrenchOptions wrenches;
  std::string states, output;
  bool deg = false, json = false;
};

// key: what the result is called, "g" or "tau".
void run(const Options& options, const std::string& key) {
  require_method(options.method, "inverse");
  if (!options.states.empty() && options.q) throw UsageError("--states brings q; leave out --q");
  if (options.states.empty() && !options.output.empty()) throw UsageError("-o goes with --states");
  const Robot robot = options.model.load();
  const Mechanism mechanism = options.model.mechanism(robot);
  const std::vector<ExternalWrench<double>> wrenches = options.wrenches.parse(mechanism);
  const RobotCalls calls = options.engine.make(
      mechanism, {"gravity", options.method, options.states, wrenches.empty() ? "" : wrenches_are_generic});
  std::optional<InverseDynamics<double>> pushed;
  if (!wrenches.empty()) pushed.emplace(mechanism, options.method);
  const auto statics = [&](std::span<const double> q, std::span<double> tau) {
    pushed ? pushed->statics(q, wrenches, tau) : calls.gravity(q, tau);
  };
  if (!options.states.empty()) {
    const StateStream stream{options.states, options.output, {"q"}, key, options.json};
    stream.run(robot, options.deg, with_engine({}, calls), statics);
    return;
  }
  const std::vector<double> q = joint_vector(options.q, "--q", robot, options.deg);
  std::vector<double> tau(q.size());
  statics(q, tau);
  emit(options.json ? json_line(with_engine({{key, tau}}, calls)) : effort_text(robot, tau, "torque"));
}

void add_common(CLI::App& command, Options& options, const std::string& keys) {
  options.model.add_dynamics(command);
  command.add_option("--q", options.q, "joint positions, rad and m; default all 0")->type_name("Q1,Q2,...");
  command.add_flag("--deg", options.deg, "revolute joints in degrees");
  add_method(command, options.method);
  options.engine.add(command);
  command.add_option("--states", options.states, "table of positions: CSV (q1,…), .npy, or - for stdin")
      ->type_name("FILE");
  command.add_option("-o,--output", options.output, "where the table goes: CSV, .npy, or - for stdout (default)")
      ->type_name("FILE");
  command.add_flag("--json", options.json, "print one JSON object: " + keys);
}

}  // namespace

void add_gravity(CLI::App& program) {
  const auto options = std::make_shared<Options>();
  CLI::App* command = add_command(program, "gravity", "Torques that hold the robot still against its weight",
                                  "  catena gravity ur5 --q 0,-1,1,0,0,0 --json\n"
                                  "  catena gravity panda --q 0,10,0,-90,0,100,45 --deg");
  add_common(*command, *options, "g, method, engine");
  command->callback([options] { run(*options, "g"); });
}

void add_static(CLI::App& program) {
  const auto options = std::make_shared<Options>();
  CLI::App* command =
      add_command(program, "static", "Torques that hold the robot still against its weight and against wrenches",
                  "  catena static ur5 --q 0,-1,1,0,0,0 --wrench tool0:0,0,-50,0,0,0 --wrench-axes world\n"
                  "  catena static stanford --gravity 0,0,0 --wrench link6:10,0,0,0,0,0 --json");
  add_common(*command, *options, "tau, method, engine");
  options->wrenches.add(*command);
  command->callback([options] { run(*options, "tau"); });
}

}  // namespace catena::cli
