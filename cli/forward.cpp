// catena forward: accelerations under torques, at one state.
#include <fmt/format.h>

#include <memory>
#include <optional>

#include "catena/dynamics/forward_dynamics.hpp"
#include "command.hpp"
#include "support/efforts.hpp"
#include "support/engine.hpp"
#include "support/model_options.hpp"
#include "support/numbers.hpp"
#include "support/output.hpp"

namespace catena::cli {
namespace {

struct Options {
  ModelOptions model;
  std::optional<std::string> q, qd, tau;
  std::string method;  // empty: the fastest
  EngineOption engine;
  WrenchOptions wrenches;
  bool deg = false, json = false;
};

void run(const Options& options) {
  require_method(options.method, "forward");
  const Robot robot = options.model.load();
  const Mechanism mechanism = options.model.mechanism(robot);
  const std::vector<ExternalWrench<double>> wrenches = options.wrenches.parse(mechanism);
  const std::vector<double> q = joint_vector(options.q, "--q", robot, options.deg);
  const std::vector<double> qd = joint_vector(options.qd, "--qd", robot, options.deg);
  const std::vector<double> tau = joint_vector(options.tau, "--tau", robot, false);
  std::vector<double> qdd(q.size());
  const RobotCalls calls =
      options.engine.make(mechanism, {"forward", options.method, "", wrenches.empty() ? "" : wrenches_are_generic});
  if (wrenches.empty()) {
    calls.forward(q, qd, tau, qdd);
  } else {
    ForwardDynamics<double>(mechanism, options.method)(q, qd, tau, qdd, wrenches);
  }
  if (options.json) {
    emit(json_line(with_engine({{"qdd", qdd}}, calls)));
    return;
  }
  Rows rows;
  for (const double a : qdd) rows.push_back({a});
  emit(matrix_text(rows, mechanism.joint_names));
}

}  // namespace

void add_forward(CLI::App& program) {
  const auto options = std::make_shared<Options>();
  CLI::App* command = add_command(program, "forward", "Accelerations under torques",
                                  "  catena forward ur5 --q 0,-1,1,0,0,0 --tau 0,-40,-10,0,0,0 --json\n"
                                  "  catena forward stanford --qd 0.1,0,0,0,0,0 --method denoc");
  options->model.add_dynamics(*command);
  command->add_option("--q", options->q, "joint positions, rad and m; default all 0")->type_name("Q1,Q2,...");
  command->add_option("--qd", options->qd, "joint speeds; default all 0")->type_name("V1,V2,...");
  command->add_option("--tau", options->tau, "joint torques, N m and N; default all 0")->type_name("T1,T2,...");
  command->add_flag("--deg", options->deg, "revolute joints in degrees; the result stays in rad/s²");
  add_method(*command, options->method);
  options->engine.add(*command);
  options->wrenches.add(*command);
  command->add_flag("--json", options->json, "print one JSON object: qdd, method, engine");
  command->callback([options] { run(*options); });
}

}  // namespace catena::cli
