// catena identify: parameters from a log of motions and torques.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <memory>
#include <optional>

#include "catena/changes.hpp"
#include "catena/identify.hpp"
#include "catena/model/parameters.hpp"
#include "catena/robot_file.hpp"
#include "catena/tables.hpp"
#include "command.hpp"
#include "io/formats.hpp"
#include "options/companions.hpp"
#include "options/frames.hpp"
#include "options/job_options.hpp"
#include "options/log_options.hpp"
#include "options/model_options.hpp"
#include "options/numbers.hpp"
#include "output/identification_output.hpp"
#include "output/identification_report.hpp"
#include "output/output.hpp"
#include "output/provenance.hpp"
#include "terminal/errors.hpp"
#include "terminal/words.hpp"

namespace catena::cli {
namespace identify_command {

struct Options {
  ModelOptions model;
  LogOptions log;
  std::string states, validate, loaded, load, payload_at, payload_mass, mass_bounds, prior_model, online, friction;
  std::vector<std::string> only;
  std::optional<std::string> weights;
  std::optional<double> prior, centre_within, forgetting;
  int folds = 0;
  std::string output, report;
  PlotOption plot;
  bool deg = false, json = false, physical = false, force = false, offsets = false, subset = false;

  std::string label() const { return log.given() ? log.logs.front() : states; }
  bool draws() const { return plot.given() || !report.empty(); }
};

// What was measured, and how rows are made of it.
struct Data {
  Measurements measured;
  IdentificationOptions set;
  LogCurves log;
  std::optional<Json> findings;
  std::vector<std::pair<std::string, std::optional<Json>>> others{};  // findings of further logs
};

Measurements read_states(const std::string& path, bool deg, const Robot& robot, const Mechanism& mechanism) {
  const std::size_t n = index(mechanism.nv());
  std::vector<InputInfo> inputs;
  for (const InputInfo& info : all_inputs)
    if (info.of_motion()) inputs.push_back(info);
  TableFormat format{.joints = mechanism.nv(), .joint_names = coordinate_names(mechanism), .groups = {}};
  for (const InputInfo& info : inputs) format.groups.emplace_back(info.name);
  format.required = static_cast<int>(format.groups.size());
  const std::vector<double> units = column_units(inputs, robot, deg);
  if (path == "-") claim_standard_input("--states");
  Measurements data;
  std::vector<double>* groups[] = {&data.q, &data.qd, &data.qdd, &data.tau};
  try {
    TableReader reader(path, format);
    for (TableRow row; reader.next(row);)
      for (std::size_t k = 0; k < units.size(); ++k) groups[k / n]->push_back(row.values[k] * units[k]);
  } catch (const TableError& error) {
    throw InputError(error.what());
  }
  return data;
}

// From --log, with the same filter for further logs, or from --states.
Data read(const Options& options, const Robot& robot, const Mechanism& mechanism, const std::string& other = {},
          const Data* like = nullptr) {
  Data out;
  if (!options.log.given()) {
    out.measured = read_states(other.empty() ? options.states : other, options.deg, robot, mechanism);
    return out;
  }
  LogOptions log = options.log;
  if (!other.empty()) log.logs = {other};
  if (like != nullptr) log.cutoff = like->set.cutoff, log.decimate = std::to_string(like->set.decimate);
  PreparedLog prepared = log.prepare(robot, mechanism);
  tell(prepared);
  out.findings = findings_json(prepared);
  out.set.cutoff = prepared.filter.cutoff, out.set.filter_order = prepared.filter.order;
  out.set.decimate = prepared.decimation;
  out.measured = std::move(prepared.data);
  out.log = {std::move(prepared.t),  out.measured.stretches,         std::move(prepared.spectra), {},
             prepared.filter.cutoff, prepared.position_filter.cutoff};
  if (out.measured.tau.empty()) throw InputError(fmt::format("{}: no torques or currents", log.logs.front()));
  return out;
}

std::vector<JointFriction> frictions(const std::string& text, const Robot& robot) {
  const auto kind = [](const std::string& word) {
    const std::optional<JointFriction> found = friction_named(word);
    if (!found)
      throw UsageError(
          fmt::format("--friction '{}': one of none, viscous, coulomb, tanh, stribeck, asymmetric, auto, or "
                      "JOINT=KIND,...",
                      printable(word)));
    return *found;
  };
  if (text.empty()) return {};
  if (text.find('=') == std::string::npos) return {kind(text)};
  const std::vector<std::string> names = joint_names(robot);
  std::vector<JointFriction> out(names.size(), JointFriction::coulomb);
  for (const std::string& item : split(text, ',')) {
    const std::size_t at = item.rfind('=');
    if (at == std::string::npos) throw UsageError(fmt::format("--friction '{}': write JOINT=KIND", printable(item)));
    out[joint_position(item.substr(0, at), "--friction", names)] = kind(item.substr(at + 1));
  }
  return out;
}

// The joints of the tree whose links are named; what is fixed to a moving link counts as that.
std::vector<int> fitted_joints(const std::vector<std::string>& lists, const Robot& robot, const Mechanism& mechanism) {
  std::vector<int> out;
  for (const std::string& list : lists)
    for (const std::string& name : split(list, ',')) {
      const int link = mechanism.frames[index(require_link(robot, name, "--only"))].link;
      if (link == base_link) throw UsageError(fmt::format("--only: link '{}' does not move", printable(name)));
      const int joint = mechanism.link(link).q;
      if (std::find(out.begin(), out.end(), joint) == out.end()) out.push_back(joint);
    }
  std::sort(out.begin(), out.end());
  return out;
}

IdentificationOptions settings(const Options& options, const Robot& robot, const Mechanism& mechanism,
                               IdentificationOptions set) {
  set.drives = !options.model.rigid;
  set.friction = frictions(options.friction, robot);
  set.offsets = options.offsets, set.subset = options.subset, set.folds = options.folds;
  set.only = fitted_joints(options.only, robot, mechanism);
  set.weights_from_residuals = options.log.given();
  if (!options.weights) return set;
  set.weights_from_residuals = *options.weights == "residual";
  if (set.weights_from_residuals) return set;
  set.weights =
      one_or_all(*options.weights, "--weights", robot, false, std::vector<double>(robot.moving_joints().size(), 1.0));
  if (std::any_of(set.weights.begin(), set.weights.end(), [](double w) { return w <= 0.0; }))
    throw UsageError("--weights: a weight is a positive number, or all are 'residual'");
  return set;
}

// "0.5,2": two numbers in order; one: both.
std::pair<double, double> bounds_of(const std::string& text, const char* option) {
  const std::vector<double> v = parse_numbers(text, option);
  if (v.size() != 2 || !(v[0] >= 0.0) || !(v[0] < v[1]))
    throw UsageError(fmt::format("{} '{}': write LEAST,MOST", option, printable(text)));
  return {v[0], v[1]};
}

PhysicalOptions physical_settings(const Options& options, const Robot& robot, const Mechanism& mechanism) {
  PhysicalOptions set;
  if (options.prior) set.prior = *options.prior;
  if (!options.prior_model.empty())
    set.prior_parameters = standard_parameters(options.model.beside(options.prior_model, "--prior-model", robot));
  if (options.mass_bounds.empty() && !options.centre_within) return set;
  const std::vector<double> theta =
      set.prior_parameters.empty() ? standard_parameters(mechanism) : set.prior_parameters;
  for (std::size_t j = 0; j < index(mechanism.joints()); ++j) {
    BodyBounds own;
    const double mass = theta[j * parameters_per_joint];
    if (!options.mass_bounds.empty() && mass > 0.0) {
      const auto [least, most] = bounds_of(options.mass_bounds, "--mass-bounds");
      own.least_mass = least * mass, own.most_mass = most * mass;
    }
    if (options.centre_within && mass > 0.0) own.centre_within = *options.centre_within;
    set.bounds.push_back(own);
  }
  return set;
}

// Torques from currents, where gains were found.
void to_torques(const std::vector<Estimate>& gains, Measurements& data) {
  for (std::size_t k = 0; !gains.empty() && k < data.tau.size(); ++k) data.tau[k] *= gains[k % gains.size()].value;
}

// The currents of both logs give gains and parameters; the data are torques afterwards.
Identification fit_with_gains(const Options& options, const Robot& robot, const Mechanism& mechanism, Data& data) {
  const Data loaded = read(options, robot, mechanism, options.loaded, &data);
  data.others.emplace_back("loaded_log", loaded.findings);
  ModelOptions with = options.model;
  with.payloads.push_back(options.load);
  const std::vector<double> heavy = standard_parameters(with.mechanism(with.read()));
  std::vector<double> load = standard_parameters(mechanism);
  for (std::size_t k = 0; k < load.size(); ++k) load[k] = heavy[k] - load[k];
  Identification found = identify_gains(mechanism, data.measured, loaded.measured, load, data.set);
  to_torques(found.gains, data.measured);
  return found;
}

// The estimate along the log, one row for each of it: t, then the base parameters.
void write_online(const Options& options, const Mechanism& mechanism, const Data& data) {
  const std::size_t n = index(mechanism.nv());
  const double period = data.measured.period > 0.0 ? data.measured.period : 1.0;
  const double forgetting = options.forgetting ? std::exp(-period / *options.forgetting) : 1.0;
  RecursiveIdentification recursive(mechanism, data.set.drives, forgetting, data.set.weights);
  std::vector<std::string> names{"t"};
  for (const BaseParameter& own : recursive.parameters()) names.push_back(own.text);
  TableWriter writer(options.online, names);
  std::vector<double> row(names.size());
  for (std::size_t k = 0; k < data.measured.q.size() / n; ++k) {
    const auto at = [&](const std::vector<double>& v) { return std::span(v).subspan(k * n, n); };
    const auto used =
        data.measured.used.empty() ? std::span<const std::uint8_t>() : std::span(data.measured.used).subspan(k * n, n);
    recursive.add(at(data.measured.q), at(data.measured.qd), at(data.measured.qdd), at(data.measured.tau), used);
    const std::span<const double> values = recursive.values();
    row[0] = k < data.log.t.size() ? data.log.t[k] : static_cast<double>(k);
    std::copy(values.begin(), values.end(), row.begin() + 1);
    writer.write(row);
  }
  writer.finish();
}

// What was read, and what is needed to repeat it.
void complete(Json& out, const Options& options, const Robot& robot, const Data& data) {
  out["robot"] = robot.name;
  if (data.findings) out["log"] = *data.findings;
  for (const auto& [key, findings] : data.others)
    if (findings) out[key] = *findings;
  std::vector<ReadFile> files{{"model", options.model.model == "-" ? "-" : find_model(options.model.model)}};
  if (!options.prior_model.empty()) files.push_back({"--prior-model", find_model(options.prior_model)});
  const auto add = [&](const char* use, const std::string& beside, std::optional<std::size_t> rows) {
    for (const std::string& file : options.log.given() ? split(beside, ',') : std::vector{beside})
      files.push_back({use, file, rows});
  };
  const auto rows_of = [&](const char* key) {
    return out.contains(key) ? std::optional(out[key]["rows_read"].get<std::size_t>()) : std::nullopt;
  };
  for (std::size_t k = 0; k < options.log.logs.size(); ++k)
    add("--log", options.log.logs[k], out["log"]["rows_of_files"][k].get<std::size_t>());
  if (!options.states.empty()) add("--states", options.states, data.measured.q.size() / out["joints"].size());
  if (!options.loaded.empty()) add("--loaded", options.loaded, rows_of("loaded_log"));
  if (!options.validate.empty() && options.payload_at.empty())
    add("--validate", options.validate, rows_of("validation_log"));
  out["run"] = run_json(files);
}

// --report and --plot.
void draw(const Json& out, const Options& options, const Mechanism& mechanism, Data& data,
          const std::vector<FrictionCurve>& friction, const std::function<ComparedTorques()>& compared) {
  if (!data.log.t.empty()) add_torque_spectra(data.log, data.measured, index(mechanism.nv()));
  IdentificationCurves curves = curves_of(mechanism, std::move(data.log), compared());
  curves.friction = friction;
  options.plot.write(out["robot"].get<std::string>(), curves.panels());
  if (options.report.empty()) return;
  const std::string page = identification_report(out, curves);
  write_text_file(options.report, page);
  note(fmt::format("{}: {:.2f} MB; open it in a browser", options.report, static_cast<double>(page.size()) / 1e6));
}

void run_payload(const Options& options, const Robot& robot, const Mechanism& mechanism, Data& data) {
  PayloadOptions set{.fit = data.set};
  if (!options.payload_mass.empty()) {
    if (options.payload_mass.find(',') == std::string::npos)
      set.mass = parse_numbers(options.payload_mass, "--payload-mass").front();
    else
      std::tie(set.bounds.least_mass, set.bounds.most_mass) = bounds_of(options.payload_mass, "--payload-mass");
  }
  if (options.centre_within) set.bounds.centre_within = *options.centre_within;
  const PayloadFit fit = identify_payload(mechanism, data.measured, frame_index(mechanism, options.payload_at), set);
  tell(fit.doubts);
  if (!options.output.empty()) save_robot(add_payload(robot, options.payload_at, fit.body), options.output);
  Json out = to_json(fit, mechanism);
  out["frame"] = options.payload_at;
  complete(out, options, robot, data);
  if (options.draws())
    draw(out, options, mechanism, data, {}, [&] { return compare_torques(mechanism, fit, data.measured); });
  emit(options.json ? json_line(out) : to_text(fit, mechanism));
}

void run_fit(const Options& options, const Robot& robot, const Mechanism& mechanism, Data& data) {
  IdentifyResult result;
  result.period = data.measured.period * static_cast<double>(data.set.decimate);
  result.found = options.loaded.empty() ? identify(mechanism, data.measured, data.set)
                                        : fit_with_gains(options, robot, mechanism, data);
  if (!options.online.empty()) write_online(options, mechanism, data);
  tell(result.found.doubts);
  const PhysicalOptions physical = result.physical = physical_settings(options, robot, mechanism);
  const bool possible = options.physical || !options.output.empty();
  if (possible) result.fit = fit_physical(mechanism, result.found, physical);
  if (options.folds > 0) result.folds = cross_validate(mechanism, result.found, possible ? &physical : nullptr);
  if (!options.validate.empty()) {
    Data other = read(options, robot, mechanism, options.validate, &data);
    data.others.emplace_back("validation_log", other.findings);
    to_torques(result.found.gains, other.measured);
    result.validation = validate(mechanism, result.found, result.fit ? &*result.fit : nullptr, other.measured);
  }
  if (!options.output.empty()) {
    save_robot(with_parameters(robot, result.fit->parameters, result.fit->stribeck_speeds), options.output);
    if (std::any_of(result.found.friction.begin(), result.found.friction.end(), [](const FrictionCurve& own) {
          return own.kind == JointFriction::tanh || own.viscous != own.viscous_back;
        }))
      note(
          "the file has only the nearest viscous and dry friction; the curves of tanh and asymmetric friction are in "
          "the output");
  }
  Json out = to_json(result, mechanism);
  complete(out, options, robot, data);
  if (options.draws())
    draw(out, options, mechanism, data, result.found.friction,
         [&] { return compare_torques(mechanism, result.found, result.fit ? &*result.fit : nullptr, data.measured); });
  emit(options.json ? json_line(out) : to_text(result, mechanism));
}

void run(const Options& options) {
  if (options.log.given() == !options.states.empty()) throw UsageError("give either --log or --states");
  if (!options.output.empty()) require_model_output(options.output, options.force);
  if (!options.report.empty() && !options.report.ends_with(".html") && !options.report.ends_with(".htm"))
    throw UsageError(fmt::format("--report {}: the name must end in .html", printable(options.report)));
  if (!options.report.empty()) require_new(options.report, options.force);
  options.plot.require();
  const Robot robot = options.model.load();
  const Mechanism mechanism = options.model.mechanism(robot);
  if (mechanism.nv() == 0)
    throw UsageError(fmt::format("{} has no moving joints: there is nothing to identify", robot.name));
  require_fixed_base(mechanism, "identification does");
  settings(options, robot, mechanism, {});  // complains before a long log is read
  Data data = read(options, robot, mechanism);
  data.set = settings(options, robot, mechanism, data.set);
  try {
    options.payload_at.empty() ? run_fit(options, robot, mechanism, data)
                               : run_payload(options, robot, mechanism, data);
  } catch (const std::invalid_argument& error) {
    throw InputError(fmt::format("{}: {}", options.label(), error.what()));
  } catch (const std::domain_error& error) {
    throw FailedAt(fmt::format("{}: {}", options.label(), error.what()));
  }
}

void add_fit(CLI::App& command, Options& options) {
  const auto text = [&](const char* name, auto& value, const char* type, const char* help) {
    return command.add_option(name, value, help)->type_name(type);
  };
  text("--weights", options.weights, "W1,W2,...",
       "weights of each joint's squared errors, 1/σ²: one for all, one per joint, or JOINT=X,...; residual: from the "
       "residuals, repeated until they settle (default with --log)");
  text("--friction", options.friction, "KIND",
       "none, viscous, coulomb (default), tanh, stribeck, asymmetric, or auto: by cross-validation; or JOINT=KIND,...");
  command.add_flag("--offsets", options.offsets, "fit a constant in each joint's torque");
  text("--only", options.only, "LINK,...", "fit these links and their joints' drives; all others are as in the model")
      ->allow_extra_args(false);
  command.add_flag("--subset", options.subset,
                   "hold parameters that the motion does not determine at the model's values, and name them");
  text("--folds", options.folds, "K", "divide the log into K parts, and hold out each in turn")
      ->check(CLI::Range(2, 100));
  text("--validate", options.validate, "FILE", "another log or table, to measure the residuals of the fit on");
  text("--online", options.online, "FILE", "write a table of the estimates along the log, by recursive least squares");
  text("--forgetting", options.forgetting, "S",
       "time after which a row counts 1/e as much, s (or rows, without a clock)")
      ->check(CLI::PositiveNumber);
  goes_with(command, "--forgetting", {"--online"});
  text("--loaded", options.loaded, "FILE",
       "a second run, with the load of --load: tau are currents, and gains are found from both runs");
  text("--load", options.load, "FRAME:mass,cx,cy,cz[,...]", "the known load of --loaded, written as for --payload");
  goes_with(command, "--load", {"--loaded"});
  goes_with(command, "--loaded", {"--load"});
  text("--payload-at", options.payload_at, "FRAME",
       "fit only a load fixed to this frame; the robot is as in the model");
  text("--payload-mass", options.payload_mass, "M|LEAST,MOST", "mass of that load, known or bounded, kg");
  goes_with(command, "--payload-mass", {"--payload-at"});
}

void add_possible(CLI::App& command, Options& options) {
  command.add_flag("--physical", options.physical,
                   "also find the nearest parameters that a real robot can have: masses and inertias of real bodies");
  command
      .add_option("--prior", options.prior,
                  "how many standard errors a change by a link's whole mass counts as; default 0.1")
      ->check(CLI::NonNegativeNumber)
      ->type_name("W");
  command.add_option("--prior-model", options.prior_model, "a model with other prior values")->type_name("FILE");
  command.add_option("--mass-bounds", options.mass_bounds, "each link's mass as a multiple of the prior's: 0.5,2")
      ->type_name("LEAST,MOST");
  command
      .add_option("--centre-within", options.centre_within,
                  "the farthest that mass centres may be from the prior's (--payload-at: from the frame's origin), m")
      ->check(CLI::PositiveNumber)
      ->type_name("M");
  for (const char* name : {"--prior", "--prior-model", "--mass-bounds"}) goes_with(command, name, {"--physical", "-o"});
  goes_with(command, "--centre-within", {"--physical", "-o", "--payload-at"});
}

}  // namespace identify_command

void add_identify(CLI::App& program) {
  using namespace identify_command;
  const auto options = std::make_shared<Options>();
  CLI::App* command = add_command(
      program, "identify", "Identify parameters from measured motions and torques",
      "  catena excite panda --time 10 -o motion.csv\n"
      "  catena identify panda --log raw.csv --friction auto --offsets --folds 5\n"
      "  catena identify panda --log raw.csv -o identified.toml --prior 1 --mass-bounds 0.5,2 --validate other.csv\n"
      "  catena identify panda --log raw.csv --folds 5 --physical --report panda.html\n"
      "  catena identify ur5 --states measured.csv --weights residual --subset --json\n"
      "  catena identify ur5 --log free.csv --loaded held.csv --load tool:2.5,0,0,0.05\n"
      "  catena identify ur5 --log held.csv --payload-at tool --payload-mass 1,4 -o with_load.toml\n"
      "  catena identify ur5 --log raw.csv --online estimates.csv --forgetting 5\n"
      "\n"
      "Friction and rotors are identified too, and springs where the model has one. --rigid assumes that there are "
      "none.");
  options->model.of_links = true;
  options->model.add_dynamics(*command);
  for (const char* name : {"--friction", "--only"}) command->remove_option(command->get_option(name));
  command
      ->add_option("--states", options->states,
                   "table of measurements: CSV (q1,…,qd1,…,qdd1,…,tau1,…), .npy, .npz, or - for stdin")
      ->type_name("FILE");
  options->log.add(*command);
  add_fit(*command, *options);
  command->add_flag("--deg", options->deg, "revolute joints of --states in degrees; results stay in radians");
  add_possible(*command, *options);
  command
      ->add_option("-o,--output", options->output,
                   "the model with these parameters: " + io::endings_in_words(io::Use::writing))
      ->type_name("FILE");
  command
      ->add_option(
          "--report", options->report,
          "write a page with torques, residuals, spectra, friction, intervals, and what is needed to repeat the fit")
      ->type_name("FILE.html");
  options->plot.add(*command, "the torques, measured and predicted,");
  command->add_flag("--force", options->force, "replace the output file if it exists");
  goes_with(*command, "--force", {"-o", "--report"});
  command->add_flag("--json", options->json,
                    "print one JSON object: estimates with their terms, covariance, friction, doubts, what is left by "
                    "joint, physical, validation, folds, gains, log, run");
  command->callback([options] { run(*options); });
}

}  // namespace catena::cli
