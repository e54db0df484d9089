// catena identify: base parameters from a table of motions and torques.
#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <optional>

#include "catena/identify.hpp"
#include "catena/robot_file.hpp"
#include "catena/tables.hpp"
#include "command.hpp"
#include "io/formats.hpp"
#include "options/companions.hpp"
#include "options/job_options.hpp"
#include "options/model_options.hpp"
#include "options/numbers.hpp"
#include "output/output.hpp"
#include "terminal/errors.hpp"

namespace catena::cli {
namespace identify_command {

struct Options {
  ModelOptions model;
  std::string states;
  std::optional<std::string> weights;
  std::string output;
  bool deg = false, json = false, physical = false, force = false;
};

Measurements read(const Options& options, const Robot& robot, const Mechanism& mechanism) {
  const std::size_t n = index(mechanism.nv());
  if (n == 0) throw UsageError(fmt::format("{} has no moving joints: there is nothing to identify", robot.name));
  require_fixed_base(mechanism, "identification does");
  std::vector<InputInfo> inputs;
  for (const InputInfo& info : all_inputs)
    if (info.by_joint()) inputs.push_back(info);
  TableFormat format{.joints = mechanism.nv(), .joint_names = coordinate_names(mechanism), .groups = {}};
  for (const InputInfo& info : inputs) format.groups.emplace_back(info.name);
  format.required = static_cast<int>(format.groups.size());
  const std::vector<double> units = column_units(inputs, robot, options.deg);
  if (options.states == "-") claim_standard_input("--states");
  Measurements data;
  std::vector<double>* groups[] = {&data.q, &data.qd, &data.qdd, &data.tau};
  try {
    TableReader reader(options.states, format);
    for (TableRow row; reader.next(row);)
      for (std::size_t k = 0; k < units.size(); ++k) groups[k / n]->push_back(row.values[k] * units[k]);
  } catch (const TableError& error) {
    throw InputError(error.what());
  }
  return data;
}

IdentificationOptions settings(const Options& options, const Robot& robot) {
  IdentificationOptions set;
  set.drives = !options.model.rigid;
  if (!options.weights) return set;
  if (*options.weights == "residual") {
    set.weights_from_residuals = true;
    return set;
  }
  set.weights =
      one_or_all(*options.weights, "--weights", robot, false, std::vector<double>(robot.moving_joints().size(), 1.0));
  if (std::any_of(set.weights.begin(), set.weights.end(), [](double w) { return w <= 0.0; }))
    throw UsageError("--weights: a weight is a positive number, or all are 'residual'");
  return set;
}

Json to_json(const Identification& found, const std::optional<PhysicalFit>& fit, const Mechanism& robot) {
  Json list = Json::array();
  for (const Estimate& own : found.estimates)
    list.push_back({{"name", own.parameter.text},
                    {"unit", own.parameter.unit},
                    {"value", own.value},
                    {"standard_error", own.standard_error},
                    {"interval", {own.lower, own.upper}},
                    {"nominal", own.parameter.nominal}});
  Json out = {{"estimates", list},
              {"condition", found.condition},
              {"samples", found.samples},
              {"equations", found.equations},
              {"joints", coordinate_names(robot)},
              {"residual_rms", found.residuals},
              {"weights", found.weights},
              {"covariance", rows_of(found.covariance, found.estimates.size())}};
  if (fit)
    out["physical"] = {{"values", fit->values},
                       {"parameters", fit->parameters},
                       {"residual_rms", fit->residuals},
                       {"distance", fit->distance}};
  return out;
}

std::string to_text(const Identification& found, const std::optional<PhysicalFit>& fit, const Mechanism& robot) {
  std::string text = fmt::format("{} samples, {} torques, {} base parameters; condition number {:.4g}\n", found.samples,
                                 found.equations, found.estimates.size(), found.condition);
  if (fit) text += fmt::format("possible parameters are {:.4g} standard errors away\n", fit->distance);
  TextTable joints;
  joints.column("joint", TextTable::Align::left);
  joints.column("residual rms");
  for (std::size_t j = 0; j < found.residuals.size(); ++j)
    joints.row({printable(robot.name_of(Coordinate(j))), fmt::format("{:.4g}", found.residuals[j])});
  TextTable table;
  for (const char* title : {"value", "std. error", "95 % from", "to", "nominal"}) table.column(title);
  if (fit) table.column("possible");
  for (const char* title : {"unit", "base parameter"}) table.column(title, TextTable::Align::left);
  for (std::size_t k = 0; k < found.estimates.size(); ++k) {
    const Estimate& own = found.estimates[k];
    std::vector<std::string> cells{fmt::format("{:.6g}", own.value), fmt::format("{:.3g}", own.standard_error),
                                   fmt::format("{:.6g}", own.lower), fmt::format("{:.6g}", own.upper),
                                   fmt::format("{:.6g}", own.parameter.nominal)};
    if (fit) cells.push_back(fmt::format("{:.6g}", fit->values[k]));
    cells.insert(cells.end(), {own.parameter.unit, own.parameter.text});
    table.row(cells);
  }
  return text + "\n" + joints.text() + "\n" + table.text();
}

void run(const Options& options) {
  if (!options.output.empty()) require_model_output(options.output, options.force);
  const Robot robot = options.model.load();
  const Mechanism mechanism = options.model.mechanism(robot);
  const IdentificationOptions set = settings(options, robot);
  const Measurements data = read(options, robot, mechanism);
  try {
    const Identification found = identify(mechanism, data, set);
    std::optional<PhysicalFit> fit;
    if (options.physical || !options.output.empty()) fit = fit_physical(mechanism, found);
    if (!options.output.empty()) save_robot(with_parameters(robot, fit->parameters), options.output);
    emit(options.json ? json_line(to_json(found, fit, mechanism)) : to_text(found, fit, mechanism));
  } catch (const std::invalid_argument& error) {
    throw InputError(fmt::format("{}: {}", options.states, error.what()));
  } catch (const std::domain_error& error) {
    throw FailedAt(fmt::format("{}: {}", options.states, error.what()));
  }
}

}  // namespace identify_command

void add_identify(CLI::App& program) {
  using namespace identify_command;
  const auto options = std::make_shared<Options>();
  CLI::App* command = add_command(program, "identify", "Identify base parameters from measured motions and torques",
                                  "  catena excite panda --time 10 -o motion.csv\n"
                                  "  catena inverse panda --states motion.csv -o torques.csv\n"
                                  "  catena identify panda --states measured.csv --weights residual\n"
                                  "  catena identify ur5 --states measured.npz --rigid --json\n"
                                  "  catena identify ur5 --states measured.csv -o identified.toml\n"
                                  "\n"
                                  "Friction and rotors are identified too; --rigid leaves them out: there are none.");
  options->model.add_dynamics(*command);
  command
      ->add_option("--states", options->states,
                   "table of measurements: CSV (q1,…,qd1,…,qdd1,…,tau1,…), .npy, .npz, or - for stdin")
      ->required()
      ->type_name("FILE");
  command
      ->add_option("--weights", options->weights,
                   "of each joint's squared errors, 1/σ²: one, one a joint, or JOINT=X,...; residual: from a first fit")
      ->type_name("W1,W2,...");
  command->add_flag("--deg", options->deg, "revolute joints in degrees; results stay in radians");
  command->add_flag("--physical", options->physical,
                    "the nearest parameters that a real robot can have too: masses and inertias of real bodies");
  command
      ->add_option("-o,--output", options->output,
                   "the model with these parameters: " + io::endings_in_words(io::Use::writing))
      ->type_name("FILE");
  command->add_flag("--force", options->force, "replace the output file when it exists");
  goes_with(*command, "--force", {"-o"});
  command->add_flag("--json", options->json,
                    "print one JSON object: estimates, condition, samples, equations, joints, residual_rms, weights, "
                    "covariance, physical");
  command->callback([options] { run(*options); });
}

}  // namespace catena::cli
