// catena linearize, beyond D, V and P: the state space of it, sampled or not, and the regulator it leads to.
#include <fmt/format.h>

#include <memory>
#include <optional>

#include "catena/control/lqr.hpp"
#include "command.hpp"
#include "support/companions.hpp"
#include "support/errors.hpp"
#include "support/job_options.hpp"
#include "support/weights.hpp"

namespace catena::cli {
namespace linearize_command {

struct More {
  bool state_space = false, regulator = false;
  std::optional<double> sample_time;
  std::string weights;
};

Json poles_json(const std::vector<std::complex<double>>& poles) {
  Json out = Json::array();
  for (const std::complex<double>& pole : poles) out.push_back({pole.real(), pole.imag()});
  return out;
}
std::string poles_text(const char* title, const std::vector<std::complex<double>>& poles) {
  std::string out = fmt::format("\n{}\n", title);
  for (const std::complex<double>& pole : poles)
    out += fmt::format("  {:>13.7g} {:+13.7g} i\n", pole.real(), pole.imag());
  return out;
}

void run(const JobOptions& options, const More& more) {
  const JobInfo& job = job_info("linearize");
  if (!more.state_space) return run_jobs(options, {&job});
  if (!options.states.empty())
    throw UsageError("--state-space is for one state; over a table, 'catena response' has what A and B are made of");
  options.require_consistent();
  options.engine.explain_generic("the state space is not part of compiled code");
  const Robot robot = options.model.load();
  const Mechanism mechanism = options.model.mechanism(robot);
  std::vector<std::vector<double>> in;
  for (const Input input : job.inputs) in.push_back(options.input(info_of(input), robot));
  const auto wrenches = options.wrenches.parse(mechanism);
  StateSpace model = Linearization(mechanism).along(in[0], in[1], in[2], wrenches);
  try {
    if (more.sample_time) model = discretize(model, *more.sample_time);
  } catch (const std::invalid_argument& error) {
    throw UsageError(std::string("--discrete: ") + error.what());
  }
  Json json{{"A", rows_of(model.A, model.states())},
            {"B", rows_of(model.B, model.inputs())},
            {"poles", poles_json(poles(model))}};
  std::string text = fmt::format("A\n{}\nB\n{}{}", matrix_text(rows_of(model.A, model.states())),
                                 matrix_text(rows_of(model.B, model.inputs())), poles_text("poles", poles(model)));
  if (more.regulator) {
    const QuadraticCost cost = cost_of_weights(more.weights, model.joints);
    const Regulator regulator = more.sample_time ? sampled_lqr(model, cost) : lqr(model, cost);
    json["K"] = rows_of(regulator.K, model.states());
    json["closed_loop_poles"] = poles_json(regulator.poles);
    json["residual"] = regulator.residual;
    text += fmt::format("\nK\n{}{}\nresidual of the Riccati equation {:.1e}\n",
                        matrix_text(rows_of(regulator.K, model.states()), mechanism.joint_names),
                        poles_text("poles of the closed loop", regulator.poles), regulator.residual);
  }
  emit(options.json ? json_line(json) : text);
}

}  // namespace linearize_command

void extend_linearize(CLI::App& command, const std::shared_ptr<JobOptions>& options) {
  using namespace linearize_command;
  const auto more = std::make_shared<More>();
  more->weights = default_weights;
  command.add_flag("--state-space", more->state_space,
                   "instead of D, V and P: A, B of ẋ = A x + B δτ, x = (δq, δq̇), and poles");
  command.add_option("--discrete", more->sample_time, "sampled every DT seconds, torques held between")
      ->type_name("DT");
  command.add_flag("--lqr", more->regulator, "the regulator δτ = -K x too");
  command
      .add_option("--weights", more->weights,
                  fmt::format("of positions, speeds and torques in its cost; default {}", default_weights))
      ->type_name(weights_form);
  goes_with(command, "--discrete", {"--state-space"});
  goes_with(command, "--lqr", {"--state-space"});
  goes_with(command, "--weights", {"--lqr"});
  command.footer(command.get_footer() +
                 "\n  catena linearize stanford --q 0,0,0.1,0,0,0 --state-space --lqr\n"
                 "  catena linearize ur5 --q 0,-1,1,0,0,0 --state-space --discrete 0.001 --json");
  command.callback([options, more] { run(*options, *more); });
}

}  // namespace catena::cli
