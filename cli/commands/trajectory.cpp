// catena trajectory: a motion through points, written as a table and checked against the model's limits.
#include "catena/trajectory.hpp"

#include <fmt/format.h>

#include <memory>

#include "catena/changes.hpp"
#include "catena/elastic.hpp"
#include "command.hpp"
#include "options/companions.hpp"
#include "options/model_options.hpp"
#include "options/motion_options.hpp"
#include "output/motion_plot.hpp"
#include "output/output.hpp"
#include "output/timed_table.hpp"
#include "pages/report_option.hpp"
#include "states/limit_check.hpp"
#include "terminal/errors.hpp"
#include "terminal/interrupt.hpp"
#include "terminal/progress.hpp"

namespace catena::cli {
namespace trajectory_command {

struct Options {
  ModelOptions model;
  MotionOptions motion;
  LimitCheck limits;
  PlotOption plot, phase;
  ReportOption report;
  std::string output;
  bool deg = false, check = false, json = false, feed_forward = false;
};

void write(const Options& options, const Trajectory& motion, const Json& about) {
  const std::size_t n = motion.joints();
  const SampleTimes times(options.motion, motion);
  const InterruptGuard interrupt;
  TimedTable table(options.output, {"q", "qd", "qdd"}, n, options.json);
  Progress progress(options.output.empty() ? 0 : times.count());
  std::vector<double> row(3 * n);
  const std::span<double> q(row);
  for (std::uint64_t k = 0; k < times.count(); ++k, progress.update(k)) {
    if (interrupted()) throw Interrupted("interrupted: nothing was written");
    motion.at(times.at(k), q.first(n), q.subspan(n, n), q.last(n));
    table.add(times.at(k), row);
  }
  progress.clear();
  table.finish(about);
}

// The motion of links and motors, and the torques of the motors.
void write_elastic(const Options& options, const Robot& robot, const Trajectory& motion, const Json& about) {
  if (options.motion.profile != std::string(name_of(ProfileKind::septic)))
    throw UsageError(
        "--feed-forward goes with --profile septic: motors behind springs cannot follow a jerk that jumps");
  if (options.check) throw UsageError("--check treats joints as stiff; leave out --feed-forward");
  if (options.model.rigid) throw UsageError("--rigid removes elastic joints; leave out --feed-forward");
  ElasticInverse inverse(robot);
  const std::size_t n = motion.joints(), all = index(inverse.motors().nv());
  const SampleTimes times(options.motion, motion);
  const InterruptGuard interrupt;
  TimedTable table(options.output, {"q", "qd", "qdd", "tau"}, all, options.json);
  std::vector<double> links(5 * n), row(4 * all);
  const auto of = [](std::vector<double>& rows, std::size_t k, std::size_t width) {
    return std::span(rows).subspan(k * width, width);
  };
  for (std::uint64_t k = 0; k < times.count(); ++k) {
    if (interrupted()) throw Interrupted("interrupted: nothing was written");
    motion.at(times.at(k), of(links, 0, n), of(links, 1, n), of(links, 2, n), of(links, 3, n), of(links, 4, n));
    inverse({of(links, 0, n), of(links, 1, n), of(links, 2, n), of(links, 3, n), of(links, 4, n)},
            {of(row, 0, all), of(row, 1, all), of(row, 2, all), of(row, 3, all)});
    table.add(times.at(k), row);
  }
  table.finish(about);
}

// Draws the whole motion, whatever part of it is written.
void draw(const Options& options, const Robot& robot, const Trajectory& motion) {
  if (!options.plot.given()) return;
  constexpr int points = 1000;
  const std::size_t n = motion.joints();
  MotionPlot plot(options.plot, robot, {quantity_of(Input::q), quantity_of(Input::qd), quantity_of(Input::qdd)});
  std::vector<double> row(3 * n);
  const std::span<double> q(row);
  for (int k = 0; k <= points; ++k) {
    const double t = motion.start() + motion.duration() * k / points;
    motion.at(t, q.first(n), q.subspan(n, n), q.last(n));
    plot.add(t, row);
  }
  plot.write(robot.name);
}

void write_report(const Options& options, const Robot& robot, const Mechanism& mechanism, const Trajectory& motion) {
  if (!options.report.given()) return;
  const std::size_t n = motion.joints();
  const SampleTimes times(options.motion, motion);
  report::Scene scene = scene_of(options.model, robot, "trajectory");
  report::Recording recording(scene.robot);
  recording.add_time();
  for (const Input input : {Input::q, Input::qd, Input::qdd}) recording.add_group(input);
  std::vector<double> row(1 + 3 * n);
  const std::span<double> values = std::span(row).subspan(1);
  for (std::uint64_t k = 0; k < times.count(); ++k) {
    row[0] = times.at(k);
    motion.at(row[0], values.first(n), values.subspan(n, n), values.last(n));
    recording.add(row);
  }
  recording.complete(mechanism, {}, false);
  scene.q = recording.numbers("q", 0);
  scene.recordings.push_back(std::move(recording));
  options.report.write(scene);
}

// The speed along the path, and the largest from which the end can be reached: the phase plane.
void draw_phase(const PlotOption& plot, const Robot& robot, const TimeOptimal& found) {
  PlotPanel panel{
      "path (length of the chords)", "speed along the path, 1/s", {{"motion", {}, {}}, {"at most", {}, {}}}};
  double fastest = 0.0;
  for (const PathPoint& point : found.path) fastest = std::max(fastest, point.speed);
  for (const PathPoint& point : found.path)
    for (PlotCurve& curve : panel.curves) {
      const double speed = &curve == panel.curves.data() ? point.speed : point.most;
      if (speed <= 3.0 * fastest) curve.x.push_back(point.s), curve.y.push_back(speed);
    }
  plot.write(robot.name, {panel});
}

Trajectory make(const Options& options, const Robot& robot, const Mechanism& mechanism, Json& about) {
  if (!options.motion.time_optimal) return options.motion.make(robot, mechanism, options.deg);
  require_motors(robot);
  TimeOptimal found = options.motion.make_optimal(robot, mechanism, options.deg);
  about["time_optimal"] = {{"least", found.least}, {"idle", found.idle}, {"rounds", found.rounds}};
  for (const PathPoint& point : found.path) {
    about["time_optimal"]["s"].push_back(point.s);
    about["time_optimal"]["speed"].push_back(point.speed);
    about["time_optimal"]["most"].push_back(point.most);
  }
  if (options.phase.given()) draw_phase(options.phase, robot, found);
  return std::move(found.motion);
}

void run(const Options& options) {
  if (!options.motion.given()) throw UsageError("give the points of the motion: --from and --to, or --via");
  if (options.check && options.output == "-")
    throw UsageError("--check prints its report to standard output; give a file with -o");
  if (options.check && options.output.empty() && (options.motion.samples || options.motion.rate))
    throw UsageError(fmt::format("with --check, {} needs -o, because otherwise no table is written",
                                 options.motion.rate ? "--rate" : "--samples"));
  options.plot.require();
  options.phase.require();
  if (options.motion.time_optimal && options.limits.scale)
    throw UsageError("--time-optimal is as fast as the limits allow; leave out --scale-to-limits");
  options.report.require();
  const Robot robot = options.model.load();
  if (options.check || options.limits.scale) require_motors(robot);
  const Mechanism mechanism = options.model.mechanism(robot);
  Json about;
  Trajectory motion = make(options, robot, mechanism, about);
  const LimitOptions limits = options.limits.options(robot);
  if (options.limits.scale) {
    const double factor = scaling_factor(check_limits(motion, mechanism, limits), robot);
    motion = motion.scaled(factor);
    about["scaled_by"] = factor;
  }
  about["duration"] = motion.duration();
  draw(options, robot, motion);
  write_report(options, with_stiff_joints(robot), mechanism, motion);
  if (options.feed_forward) return write_elastic(options, robot, motion, about);
  if (!options.check) {
    write(options, motion, about);
    return;
  }
  const LimitReport report = check_limits(motion, mechanism, limits);
  if (options.json) about.update(limits_json(report, robot));
  if (!options.output.empty()) write(options, motion, about);
  if (options.json && options.output.empty()) emit(json_line(about));
  if (!options.json) emit(fmt::format("duration {:.10g} s\n", motion.duration()) + limits_text(report, robot));
  if (!report.respected()) throw std::domain_error("the motion does not respect the limits");
}

}  // namespace trajectory_command

void add_trajectory(CLI::App& program) {
  using namespace trajectory_command;
  const auto options = std::make_shared<Options>();
  CLI::App* command = add_command(
      program, "trajectory", "Plan a motion through points, and check it against the limits",
      "  catena trajectory ur5 --from 0,-1,1,0,0,0 --to 1,-1,0.5,0,1,0 --time 2 -o motion.csv\n"
      "  catena trajectory planar2r --via \"0,0;1,-0.5;2,1\" --times 0,1,2.5 --profile cubic --rate 1000\n"
      "  catena trajectory ur5 --to 90,-90,90,0,0,0 --deg --accelerations 200 --profile trapezoidal --check\n"
      "  catena trajectory ur5 --to 1,-1,1,0,0,0 --time 1 --scale-to-limits --total-power 500 -o motion.csv\n"
      "  catena trajectory ur5 --via \"0,-1,1,0,0,0;1,-1.5,1,0,1,0;2,-1,0.5,0,0,0\" --time-optimal --phase-plot "
      "phase.svg -o motion.csv\n"
      "  catena trajectory examples/elastic_arm.toml --to 1,-0.5,0.5 --time 1 --profile septic --feed-forward -o "
      "motion.csv\n"
      "\n"
      "Columns: t, then q, qd, qdd of every joint, in radians and metres whatever --deg says; a .npy table has no t.\n"
      "A .npz archive has the arrays t, q, qd and qdd. Elastic joints count as stiff; with --feed-forward, q, qd and "
      "qdd\n"
      "are those of the links, then of the motors, and tau is beside them: docs/elastic-joints.md.");
  options->model.of_links = true;
  options->model.add_dynamics(*command);
  options->motion.add(*command);
  options->limits.add(*command);
  command->add_flag("--deg", options->deg, "typed points, speeds and accelerations of revolute joints in degrees");
  command->add_flag("--check", options->check,
                    "report on the limits: first violation, peaks, time scale; exit status 1 if they are violated");
  command
      ->add_option("-o,--output", options->output, "where the table goes: CSV, .npy, .npz, or - for stdout (default)")
      ->type_name("FILE");
  command->add_flag("--feed-forward", options->feed_forward,
                    "for elastic joints: the motion of links and motors, and the torques that produce it");
  options->plot.add(*command, "positions, speeds and accelerations");
  command
      ->add_option("--phase-plot", options->phase.file,
                   "draw the speed along the path, and the largest speed that can still stop in time")
      ->type_name("FILE.svg|FILE.png");
  goes_with(*command, "--phase-plot", {"--time-optimal"});
  options->report.add(*command);
  command->add_flag("--json", options->json, "print one JSON object: t, q, qd, qdd; with --check the report");
  for (const char* option : {"--power", "--total-power"}) goes_with(*command, option, {"--check", "--scale-to-limits"});
  for (const char* option : {"--rigid", "--snap"})
    goes_with(*command, option, {"--check", "--scale-to-limits", "--time-optimal", "--feed-forward"});
  for (const char* option : {"--payload", "--friction", "--only", "--gravity"})
    goes_with(*command, option, {"--check", "--scale-to-limits", "--time-optimal", "--report", "--feed-forward"});
  command->callback([options] { run(*options); });
}

}  // namespace catena::cli
