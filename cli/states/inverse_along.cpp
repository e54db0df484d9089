#include "states/inverse_along.hpp"

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <functional>
#include <stdexcept>

#include "catena/dynamics.hpp"
#include "catena/tables.hpp"
#include "options/companions.hpp"
#include "options/job_options.hpp"
#include "options/numbers.hpp"
#include "output/motion_table.hpp"
#include "output/timed_table.hpp"
#include "terminal/errors.hpp"
#include "terminal/interrupt.hpp"
#include "terminal/progress.hpp"

namespace catena::cli {
namespace {

using Setting = InverseAlong::Setting;

LimitOptions limit_options(const LimitCheck& limits, const Setting& setting) {
  LimitOptions options = limits.options(setting.robot);
  options.formulation = setting.formulation;
  options.wrenches = setting.wrenches;
  return options;
}

void record(const Setting& setting, double t, std::initializer_list<std::span<const double>> parts) {
  if (setting.recording == nullptr) return;
  std::vector<double> row{t};
  for (const std::span<const double>& part : parts) row.insert(row.end(), part.begin(), part.end());
  setting.recording->add(row);
}

// Sends every row through a monitor, with times multiplied by `factor`. visit gets the new time and the torques.
LimitReport monitor_table(MotionTable source, const Setting& setting, const LimitOptions& options, double factor,
                          bool last, const std::function<void(double, std::span<const double>)>& visit) {
  LimitMonitor monitor(setting.mechanism, options);
  Progress progress(source.reader().bytes_total());
  std::vector<double> qd, qdd;
  std::optional<double> start;
  for (MotionTable::Row row; source.next(row); progress.update(source.reader().bytes_read())) {
    if (!start) start = row.t;
    qd.assign(row.inputs[1].begin(), row.inputs[1].end());
    qdd.assign(row.inputs[2].begin(), row.inputs[2].end());
    for (double& v : qd) v /= factor;
    for (double& a : qdd) a /= factor * factor;
    const double t = factor == 1.0 ? row.t : *start + factor * (row.t - *start);
    try {
      const std::span<const double> tau = monitor.add(t, row.inputs[0], qd, qdd);
      visit(t, tau);
      if (last) record(setting, t, {row.inputs[0], qd, qdd, tau});
    } catch (const std::domain_error& error) {
      throw FailedAt(source.reader().place() + ": " + error.what());
    } catch (const std::invalid_argument& error) {
      throw InputError(source.reader().place() + ": " + error.what());
    }
  }
  progress.clear();
  if (!start) throw InputError(source.path() + ": has no rows");
  return monitor.report();
}

}  // namespace

void InverseAlong::add(CLI::App& command) {
  command
      .add_option("--trajectory", table, "motion: CSV (t,q1,…,qd1,…,qdd1,…), .npz, .npy with --rate, or - for stdin")
      ->type_name("FILE");
  motion.add(command);
  limits.add(command);
  plot.add(command, "the torques of a motion");
  for (const char* option : {"--time", "--times", "--accelerations", "--time-optimal", "--profile", "--samples"})
    goes_with(command, option, {"--to", "--via"});
  for (const char* option : {"--rate", "--power", "--total-power", "--scale-to-limits", "--plot"})
    goes_with(command, option, sources);
}

LimitReport InverseAlong::run_typed(const Setting& setting, Json& about) const {
  const LimitOptions options = limit_options(limits, setting);
  Trajectory path = motion.make(setting.robot, setting.mechanism, setting.degrees);
  LimitReport report = check_limits(path, setting.mechanism, options);
  if (limits.scale) {
    const double factor = scaling_factor(report, setting.robot);
    path = path.scaled(factor);
    report = check_limits(path, setting.mechanism, options);
    about["scaled_by"] = factor;
  }
  const SampleTimes times(motion, path);
  const std::size_t n = path.joints();
  InverseDynamics<double> inverse(setting.mechanism, setting.formulation);
  std::vector<double> q(n), qd(n), qdd(n), tau(n);
  TimedTable out(setting.output, {"tau"}, n, setting.json);
  MotionPlot picture(plot, setting.robot, {quantity_of(Input::tau)});
  for (std::uint64_t k = 0; k < times.count(); ++k) {
    stop_when_interrupted();
    path.at(times.at(k), q, qd, qdd);
    inverse(q, qd, qdd, tau, setting.wrenches);
    out.add(times.at(k), tau);
    picture.add(times.at(k), tau);
    record(setting, times.at(k), {q, qd, qdd, tau});
  }
  about["limits"] = limits_json(report, setting.robot);
  out.finish(about);
  picture.write(setting.robot.name);
  return report;
}

void InverseAlong::run(const Setting& setting) const {
  plot.require();
  const InterruptGuard interrupt;
  const std::string method(setting.formulation.empty() ? job_of(Kind::torque).standard_for(setting.mechanism)
                                                       : std::string_view(setting.formulation));
  Json about{{"method", method}, {"engine", "generic"}};
  LimitReport report;
  if (table.empty()) {
    report = run_typed(setting, about);
  } else {
    if (motion.given() || motion.detailed())
      throw UsageError(
          "--trajectory already gives the motion; leave out --from, --to, --via, --profile, times and --samples");
    if (motion.rate && !(*motion.rate > 0.0)) throw UsageError("--rate: give rows per second, such as 1000");
    if (limits.scale && table == "-") throw UsageError("--scale-to-limits reads the table twice; give a file");
    if (setting.robot.dof() == 0) throw UsageError(fmt::format("{} has no moving joints", setting.robot.name));
    const LimitOptions options = limit_options(limits, setting);
    const auto open = [&] {
      return MotionTable(table, setting.robot, setting.mechanism, {Input::q, Input::qd, Input::qdd}, setting.degrees,
                         motion.rate);
    };
    try {
      double factor = 1.0;
      if (limits.scale) {
        const auto ignore = [](double, std::span<const double>) {};
        MotionTable rows = open();
        factor = scaling_factor(monitor_table(std::move(rows), setting, options, 1.0, false, ignore), setting.robot);
        about["scaled_by"] = factor;
      }
      MotionTable rows = open();
      const bool named = rows.reader().named();
      TimedTable out(setting.output, {"tau"}, static_cast<std::size_t>(setting.robot.dof()), setting.json,
                     named ? coordinate_names(setting.mechanism) : std::vector<std::string>{});
      MotionPlot picture(plot, setting.robot, {quantity_of(Input::tau)});
      report =
          monitor_table(std::move(rows), setting, options, factor, true, [&](double t, std::span<const double> tau) {
            out.add(t, tau);
            picture.add(t, tau);
          });
      about["limits"] = limits_json(report, setting.robot);
      out.finish(about);
      picture.write(setting.robot.name);
    } catch (const TableError& error) {
      throw InputError(error.what());
    }
  }
  note(limits_summary(report, setting.robot, "catena: "));
}

}  // namespace catena::cli
