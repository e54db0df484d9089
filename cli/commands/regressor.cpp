// catena regressor, beyond the matrix: the parameters of its columns, and the combinations of them that affect the
// torques.
#include <fmt/format.h>

#include <memory>

#include "catena/identify.hpp"
#include "catena/model/parameters.hpp"
#include "command.hpp"
#include "options/job_options.hpp"
#include "states/run_jobs.hpp"
#include "terminal/errors.hpp"

namespace catena::cli {
namespace regressor_command {

struct More {
  bool base = false, parameters = false;
};

void print_base(const Mechanism& robot, bool drives, bool json) {
  const std::vector<BaseParameter> found = base_parameters(robot, drives);
  const std::vector<std::string> names = parameter_names(parameter_joints(robot));
  if (!json) {
    TextTable table;
    table.column("base parameter", TextTable::Align::left);
    table.column("nominal");
    table.column("unit", TextTable::Align::left);
    for (const BaseParameter& own : found) table.row({own.text, fmt::format("{:.10g}", own.nominal), own.unit});
    return emit(table.text());
  }
  Json list = Json::array();
  for (const BaseParameter& own : found) {
    Json terms = Json::array();
    for (const auto& [parameter, factor] : own.terms)
      terms.push_back({{"parameter", names[index(parameter)]}, {"column", parameter + 1}, {"factor", factor}});
    list.push_back({{"name", own.text}, {"unit", own.unit}, {"nominal", own.nominal}, {"terms", terms}});
  }
  emit(json_line({{"base_parameters", list}}));
}

void print_parameters(const Mechanism& robot, bool json) {
  const std::vector<std::string> names = parameter_names(parameter_joints(robot)), units = parameter_units(robot);
  const std::vector<double> theta = standard_parameters(robot);
  Json list = Json::array();
  TextTable table;
  table.column("column");
  table.column("parameter", TextTable::Align::left);
  table.column("value");
  table.column("unit", TextTable::Align::left);
  table.column("", TextTable::Align::left);
  for (std::size_t k = 0; k < theta.size(); ++k) {
    const std::string_view words = parameter_infos[k % parameters_per_joint].words;
    list.push_back({{"name", names[k]}, {"unit", units[k]}, {"value", theta[k]}});
    table.row({std::to_string(k + 1), names[k], fmt::format("{:.10g}", theta[k]), units[k], std::string(words)});
  }
  emit(json ? json_line({{"parameters", list}}) : table.text());
}

void run(const JobInfo& job, const JobOptions& options, const More& more) {
  if (!more.base && !more.parameters) return run_jobs(options, {&job});
  const char* asked = more.base ? "--base" : "--parameters";
  if (!options.states.empty()) throw UsageError(fmt::format("{} describes the robot; leave out --states", asked));
  for (const InputInfo& info : all_inputs)
    if (options.inputs[static_cast<std::size_t>(info.input)])
      throw UsageError(fmt::format("{} describes the robot, not a state; leave out --{}", asked, info.name));
  options.base.refuse(asked);
  require_no_method(options, asked);
  options.engine.explain_generic("the result describes the robot and is not computed at a state");
  const Mechanism robot = options.model.mechanism(options.model.load());
  if (more.base) return print_base(robot, !options.model.rigid, options.json);
  print_parameters(robot, options.json);
}

}  // namespace regressor_command

void extend_regressor(CLI::App& command, const JobInfo& job, const std::shared_ptr<JobOptions>& options) {
  using namespace regressor_command;
  const auto more = std::make_shared<More>();
  CLI::Option* base = command.add_flag(
      "--base", more->base,
      "instead of Y: the combinations of parameters that torques depend on (with --rigid: only those of links)");
  command.add_flag("--parameters", more->parameters, "instead of Y: the parameters of its columns and their values")
      ->excludes(base);
  command.get_option("--json")->description(
      "print one JSON object: Y, method, engine; or base_parameters; or parameters");
  command.footer(command.get_footer() +
                 "\n  catena regressor panda --base\n"
                 "  catena regressor panda --parameters --json");
  command.callback([options, more, &job] { run(job, *options, *more); });
}

}  // namespace catena::cli
