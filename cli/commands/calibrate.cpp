// catena calibrate: corrections of a robot's kinematics from measured poses, and how poses depend on them.
#include <fmt/format.h>

#include <memory>
#include <optional>

#include "catena/calibration.hpp"
#include "catena/robot_file.hpp"
#include "command.hpp"
#include "io/formats.hpp"
#include "options/companions.hpp"
#include "options/frames.hpp"
#include "options/model_options.hpp"
#include "options/numbers.hpp"
#include "options/poses.hpp"
#include "output/output.hpp"
#include "terminal/errors.hpp"
#include "terminal/words.hpp"

namespace catena::cli {
namespace calibrate_command {

struct Options {
  ModelOptions model;
  std::string poses, validate, frame, parameters = "frames", known, kept, unit = "m", output;
  std::optional<std::string> q;
  int folds = 0;
  double outlier = 5.0;
  bool deg = false, json = false, sensitivity = false, force = false;
};

CalibrationOptions settings(const Options& options, const Mechanism& mechanism) {
  CalibrationOptions set;
  for (const KinematicForm form :
       {KinematicForm::offsets, KinematicForm::frames, KinematicForm::classic_dh, KinematicForm::modified_dh})
    if (name_of(form) == options.parameters) set.form = form;
  set.frame = mechanism.frames[static_cast<std::size_t>(frame_index(mechanism, options.frame))].name;
  for (const std::string& word : options.known.empty() ? std::vector<std::string>{} : split(options.known, ',')) {
    if (word != "base" && word != "tool")
      throw UsageError(fmt::format("--known takes base, tool or base,tool, not '{}'", printable(word)));
    (word == "base" ? set.base_known : set.tool_known) = true;
  }
  if (!options.kept.empty()) set.kept = split(options.kept, ',');
  set.outlier = options.outlier;
  return set;
}

Json errors_json(const PoseErrors& errors, bool oriented) {
  Json out{{"poses", errors.poses}, {"position_rms", errors.position}, {"position_worst", errors.worst_position}};
  if (oriented) out["orientation_rms"] = errors.orientation, out["orientation_worst"] = errors.worst_orientation;
  return out;
}

Json corrections_json(const std::vector<Correction>& list) {
  Json out = Json::array();
  for (const Correction& own : list)
    out.push_back({{"name", own.parameter.name},
                   {"unit", own.parameter.unit},
                   {"nominal", own.parameter.nominal},
                   {"value", own.parameter.nominal + own.change},
                   {"correction", own.change},
                   {"standard_error", own.standard_error},
                   {"interval", {own.lower, own.upper}}});
  return out;
}

Json pose_json(const Pose<double>& pose) {
  const Vec3<double> rpy = rpy_from_rotation(pose.R);
  return {{"xyz", {pose.p.x, pose.p.y, pose.p.z}}, {"rpy", {rpy.x, rpy.y, rpy.z}}};
}

struct Result {
  Calibration found;
  std::optional<PoseErrors> validated, folded;
  std::size_t left_out = 0;
  bool oriented = false;
};

Json to_json(const Result& result) {
  const Calibration& found = result.found;
  Json unseen = Json::array();
  for (const UnseenParameter& own : found.unseen) unseen.push_back({{"name", own.name}, {"as", own.as}});
  Json outliers = Json::array();
  for (const std::size_t pose : found.outliers) outliers.push_back(pose + 1);
  Json out{{"frame", found.frame},
           {"corrections", corrections_json(found.corrections)},
           {"unobservable", unseen},
           {"base", pose_json(found.base)},
           {"tool", pose_json(found.tool)},
           {"placements", corrections_json(found.placements)},
           {"before", errors_json(found.before, result.oriented)},
           {"after", errors_json(found.after, result.oriented)},
           {"position_sigma", found.position_sigma},
           {"condition", found.condition},
           {"outliers", outliers},
           {"without_numbers", result.left_out},
           {"covariance", found.corrections.empty() ? Rows{} : rows_of(found.covariance, found.corrections.size())}};
  if (result.oriented) out["orientation_sigma"] = found.orientation_sigma;
  if (result.validated) out["validation"] = errors_json(*result.validated, result.oriented);
  if (result.folded) out["folds"] = errors_json(*result.folded, result.oriented);
  return out;
}

std::string errors_text(const Result& result) {
  TextTable table;
  table.column("", TextTable::Align::left);
  for (const char* title : {"poses", "rms mm", "worst mm"}) table.column(title);
  if (result.oriented)
    for (const char* title : {"rms mrad", "worst mrad"}) table.column(title);
  const auto row = [&](const char* what, const PoseErrors& e) {
    std::vector<std::string> cells{what, fmt::format("{}", e.poses), fmt::format("{:.4g}", 1e3 * e.position),
                                   fmt::format("{:.4g}", 1e3 * e.worst_position)};
    if (result.oriented)
      cells.insert(cells.end(),
                   {fmt::format("{:.4g}", 1e3 * e.orientation), fmt::format("{:.4g}", 1e3 * e.worst_orientation)});
    table.row(cells);
  };
  row("model, base and tool placed", result.found.before);
  row("calibrated", result.found.after);
  if (result.folded) row("held out in turn", *result.folded);
  if (result.validated) row("validation", *result.validated);
  return table.text();
}

std::string to_text(const Result& result) {
  const Calibration& found = result.found;
  std::string text = errors_text(result);
  text += fmt::format("\none measured coordinate scatters by {:.3g} mm", 1e3 * found.position_sigma);
  if (result.oriented) text += fmt::format(", {:.3g} mrad", 1e3 * found.orientation_sigma);
  text += fmt::format("; condition number {:.3g}\n", found.condition);
  if (!found.outliers.empty()) {
    text += "left out, since they do not fit: poses";
    for (const std::size_t pose : found.outliers) text += fmt::format(" {}", pose + 1);
    text += "\n";
  }
  const auto place = [&](const char* what, const Pose<double>& pose) {
    const Vec3<double> rpy = rpy_from_rotation(pose.R);
    text += fmt::format("{} xyz {:.6f} {:.6f} {:.6f} m, rpy {:.6f} {:.6f} {:.6f} rad\n", what, pose.p.x, pose.p.y,
                        pose.p.z, rpy.x, rpy.y, rpy.z);
  };
  place("base link seen from the device:", found.base);
  place("measured point in the frame:   ", found.tool);
  TextTable table;
  table.column("parameter", TextTable::Align::left);
  for (const char* title : {"nominal", "correction", "std. error", "95 % from", "to"}) table.column(title);
  table.column("unit", TextTable::Align::left);
  for (const Correction& own : found.corrections)
    table.row({printable(own.parameter.name), fmt::format("{:.6g}", own.parameter.nominal),
               fmt::format("{:.6g}", own.change), fmt::format("{:.2g}", own.standard_error),
               fmt::format("{:.6g}", own.lower), fmt::format("{:.6g}", own.upper), std::string(own.parameter.unit)});
  text += "\n" + table.text();
  if (found.unseen.empty()) return text;
  text += "\nnot determined by these poses, and left unchanged:\n";
  for (const UnseenParameter& own : found.unseen)
    text += fmt::format("  {}{}\n", printable(own.name),
                        own.as.empty() ? ": no effect" : ": acts like " + printable(own.as));
  return text;
}

void print_sensitivity(const Options& options, const Robot& robot, const CalibrationOptions& set) {
  const std::vector<double> q = position_vector(options.q, "--q", robot, options.deg);
  const std::vector<KinematicParameter> parameters = kinematic_parameters(robot, set.form, set.frame);
  const std::vector<double> S = kinematic_sensitivity(robot, set.form, q, set.frame);
  const std::size_t p = parameters.size();
  Json list = Json::array();
  TextTable table;
  table.column("parameter", TextTable::Align::left);
  for (const char* title : {"x", "y", "z", "rx", "ry", "rz"}) table.column(title);
  table.column("m and rad by", TextTable::Align::left);
  for (std::size_t k = 0; k < p; ++k) {
    std::vector<std::string> cells{printable(parameters[k].name)};
    std::vector<double> column;
    for (std::size_t i = 0; i < 6; ++i) column.push_back(S[i * p + k]);
    for (const double entry : column) cells.push_back(fmt::format("{:.6g}", entry));
    cells.emplace_back(parameters[k].unit);
    table.row(cells);
    list.push_back({{"name", parameters[k].name}, {"unit", parameters[k].unit}, {"column", column}});
  }
  emit(options.json ? json_line({{"frame", set.frame}, {"sensitivity", list}}) : table.text());
}

void run(const Options& options) {
  if (!options.output.empty()) require_model_output(options.output, options.force);
  const Robot robot = options.model.load();
  const Mechanism mechanism = make_mechanism(robot, {.stiff = true});
  if (mechanism.nv() == 0)
    throw UsageError(fmt::format("{} has no moving joints: there is nothing to calibrate", robot.name));
  require_fixed_base(mechanism, "calibration does");
  if (mechanism.coordinates.is_closed()) require_uncoupled(mechanism, "calibrations");
  const CalibrationOptions set = settings(options, mechanism);
  if (options.sensitivity) return print_sensitivity(options, robot, set);
  if (options.poses.empty()) throw UsageError("give measured poses with --poses, or --sensitivity");
  const PoseFormat format{options.deg, options.unit == "mm" ? 1e-3 : 1.0};
  const PoseRows rows = read_poses(options.poses, "--poses", robot, mechanism, format);
  try {
    Result result{calibrate(robot, rows.poses, set), {}, {}, rows.left_out, !rows.poses.rotations.empty()};
    if (options.folds > 0) result.folded = cross_validate(robot, rows.poses, set, options.folds);
    if (!options.validate.empty()) {
      const PoseRows other = read_poses(options.validate, "--validate", robot, mechanism, format);
      if (other.poses.rotations.empty() == result.oriented)
        throw InputError(fmt::format("{}: only one of the tables has orientations", options.validate));
      result.validated = pose_errors(result.found, other.poses);
    }
    if (!options.output.empty()) save_robot(result.found.robot, options.output);
    if (rows.left_out > 0) note(fmt::format("{} rows have no measured pose and were left out", rows.left_out));
    emit(options.json ? json_line(to_json(result)) : to_text(result));
  } catch (const std::invalid_argument& error) {
    throw InputError(fmt::format("{}: {}", options.poses, error.what()));
  } catch (const std::domain_error& error) {
    throw FailedAt(fmt::format("{}: {}", options.poses, error.what()));
  }
}

void add_options(CLI::App& command, Options& options) {
  command
      .add_option("--poses", options.poses,
                  "table of measured poses: q1,… and x,y,z, and qx,qy,qz,qw or roll,pitch,yaw; CSV, or - for stdin")
      ->type_name("FILE");
  command.add_option("--frame", options.frame, "the link or frame that carries the measured point; default the tool")
      ->type_name("NAME");
  command
      .add_option("--parameters", options.parameters,
                  "what to correct: joint offsets, joint offsets and frames (default), or DH rows")
      ->check(one_of({"offsets", "frames", "classic", "modified"}))
      ->type_name("offsets|frames|classic|modified");
  command
      .add_option("--known", options.known,
                  "what is known and not fitted: base (poses are in the base link's frame), tool (poses are of the "
                  "frame itself), or both")
      ->type_name("base|tool|base,tool");
  command.add_option("--keep", options.kept, "names of parameters to leave unchanged")->type_name("NAME,...");
  command.add_option("--unit", options.unit, "of measured positions; default m")
      ->check(one_of({"m", "mm"}))
      ->type_name("m|mm");
  command.add_flag("--deg", options.deg, "revolute joints, roll, pitch and yaw in degrees; results stay in radians");
  command
      .add_option("--outlier", options.outlier,
                  "leave out poses that are off by more standard deviations than this; default 5")
      ->check(CLI::PositiveNumber)
      ->type_name("X");
  command.add_option("--validate", options.validate, "other poses, to measure the error on")->type_name("FILE");
  command
      .add_option("--folds", options.folds,
                  "divide the poses into K parts, hold out each in turn, and report the error on it")
      ->check(CLI::Range(2, 1000))
      ->type_name("K");
  command.add_flag("--sensitivity", options.sensitivity,
                   "do not calibrate; show how the frame moves and turns with each parameter at --q");
  command.add_option("--q", options.q, "joint positions; default 0")->type_name("Q1,Q2,...");
  command.add_option("-o,--output", options.output, "the corrected model: " + io::endings_in_words(io::Use::writing))
      ->type_name("FILE");
  command.add_flag("--force", options.force, "replace the output file if it exists");
  command.add_flag("--json", options.json,
                   "print one JSON object: corrections, unobservable, base, tool, before, after, covariance, outliers");
  goes_with(command, "--force", {"-o"});
  goes_with(command, "--q", {"--sensitivity"});
  for (const char* option : {"--known", "--keep", "--unit", "--outlier", "--validate", "--folds", "-o"})
    goes_with(command, option, {"--poses"});
}

}  // namespace calibrate_command

void add_calibrate(CLI::App& program) {
  using namespace calibrate_command;
  const auto options = std::make_shared<Options>();
  CLI::App* command = add_command(
      program, "calibrate", "Correct joint offsets, frames or rows from measured poses of the tool",
      "  catena calibrate ur5 --poses poses.csv -o calibrated.toml\n"
      "  catena calibrate ur5 --poses poses.csv --unit mm --parameters offsets --folds 5\n"
      "  catena calibrate ur5 --poses poses.csv --parameters modified --validate others.csv --json\n"
      "  catena calibrate ur5 --sensitivity --q 0,-1,1,0,0,0\n"
      "\n"
      "The measuring device may be anywhere, and so may the reflector on the tool, unless --known says otherwise.\n"
      "Parameters that the poses do not determine are named and left unchanged.");
  options->model.add_file(*command);
  add_options(*command, *options);
  command->callback([options] { run(*options); });
}

}  // namespace catena::cli
