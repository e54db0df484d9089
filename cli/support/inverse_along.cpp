#include "support/inverse_along.hpp"

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <charconv>
#include <functional>
#include <stdexcept>

#include "catena/dynamics/inverse_dynamics.hpp"
#include "catena/io/state_table.hpp"
#include "support/companions.hpp"
#include "support/errors.hpp"
#include "support/interrupt.hpp"
#include "support/numbers.hpp"
#include "support/progress.hpp"
#include "support/timed_table.hpp"

namespace catena::cli {
namespace {

using Setting = InverseAlong::Setting;

void stop_when_interrupted() {
  if (interrupted()) throw Interrupted("interrupted: the table is not complete");
}

std::vector<std::string_view> fields_of(std::string_view text) {
  std::vector<std::string_view> fields;
  std::size_t start = 0;
  bool quoted = false;
  for (std::size_t k = 0; k <= text.size(); ++k) {
    if (k < text.size() && text[k] == '"') quoted = !quoted;
    if (k < text.size() && (quoted || text[k] != ',')) continue;
    std::string_view field = text.substr(start, k - start);
    while (!field.empty() && (field.front() == ' ' || field.front() == '"')) field.remove_prefix(1);
    while (!field.empty() && (field.back() == ' ' || field.back() == '"')) field.remove_suffix(1);
    fields.push_back(field);
    start = k + 1;
  }
  return fields;
}

struct Row {
  double t;
  std::span<const double> q, qd, qdd;
};

// The rows of a table in radians and metres, with their times: the column t, or the row's number over the rate.
class RowSource {
 public:
  RowSource(const std::string& path, const Setting& setting, std::optional<double> rate)
      : path_(path),
        units_(joint_units(setting.robot, setting.degrees)),
        reader_(path, {.joints = static_cast<int>(units_.size()),
                       .joint_names = setting.mechanism.joint_names,
                       .groups = {"q", "qd", "qdd"},
                       .required = 3,
                       .results = {"tau"},
                       .batches = false,
                       .stop = interrupted}),
        rate_(rate),
        values_(3 * units_.size()) {
    const std::vector<std::string_view> names = fields_of(reader_.carried_header());
    for (std::size_t k = 0; k < names.size(); ++k)
      if (names[k] == "t") time_column_ = k;
    if (!time_column_ && !rate_) throw InputError(path + ": has no column t; give --rate, the rows a second");
    if (time_column_ && rate_) throw UsageError("the table has its times in column t; leave out --rate");
  }

  bool next(Row& row) {
    TableRow read;
    stop_when_interrupted();
    if (!reader_.next(read)) return false;
    const std::size_t n = units_.size();
    for (std::size_t k = 0; k < values_.size(); ++k) values_[k] = read.values[k] * units_[k % n];
    const std::span<const double> all(values_);
    row = {time_column_ ? time_of(read.carried) : static_cast<double>(count_) / *rate_, all.first(n), all.subspan(n, n),
           all.last(n)};
    ++count_;
    return true;
  }

  const TableReader& reader() const { return reader_; }
  const std::string& path() const { return path_; }

 private:
  double time_of(std::string_view carried) const {
    const std::vector<std::string_view> fields = fields_of(carried);
    const std::string_view text = *time_column_ < fields.size() ? fields[*time_column_] : std::string_view{};
    double t = 0.0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), t);
    if (text.empty() || error != std::errc{} || end != text.data() + text.size())
      throw InputError(fmt::format("{}: column t: '{}' is not a number", reader_.place(), printable(text)));
    return t;
  }

  std::string path_;
  std::vector<double> units_;
  TableReader reader_;
  std::optional<double> rate_;
  std::optional<std::size_t> time_column_;
  std::vector<double> values_;
  std::uint64_t count_ = 0;
};

LimitOptions limit_options(const LimitCheck& limits, const Setting& setting) {
  LimitOptions options = limits.options(setting.robot);
  options.formulation = setting.formulation;
  options.wrenches = setting.wrenches;
  return options;
}

// Sends every row through a monitor, run in `factor` times its time. visit gets the new time and the torques.
LimitReport monitor_table(RowSource source, const Setting& setting, const LimitOptions& options, double factor,
                          const std::function<void(double, std::span<const double>)>& visit) {
  LimitMonitor monitor(setting.mechanism, options);
  Progress progress(source.reader().bytes_total());
  std::vector<double> qd, qdd;
  std::optional<double> start;
  for (Row row{}; source.next(row); progress.update(source.reader().bytes_read())) {
    if (!start) start = row.t;
    qd.assign(row.qd.begin(), row.qd.end());
    qdd.assign(row.qdd.begin(), row.qdd.end());
    for (double& v : qd) v /= factor;
    for (double& a : qdd) a /= factor * factor;
    const double t = factor == 1.0 ? row.t : *start + factor * (row.t - *start);
    try {
      visit(t, monitor.add(t, row.q, qd, qdd));
    } catch (const std::domain_error& error) {
      throw FailedAt(source.reader().place() + ": " + error.what());
    } catch (const std::invalid_argument& error) {
      throw InputError(source.reader().place() + ": " + error.what());
    }
  }
  stop_when_interrupted();
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
  for (const char* option : {"--time", "--times", "--accelerations", "--profile", "--samples"})
    goes_with(command, option, {"--to", "--via"});
  for (const char* option : {"--rate", "--power", "--total-power", "--scale-to-limits"})
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
  for (std::uint64_t k = 0; k < times.count(); ++k) {
    stop_when_interrupted();
    path.at(times.at(k), q, qd, qdd);
    inverse(q, qd, qdd, tau, setting.wrenches);
    out.add(times.at(k), tau);
  }
  about["limits"] = limits_json(report, setting.robot);
  out.finish(about);
  return report;
}

void InverseAlong::run(const Setting& setting) const {
  const InterruptGuard interrupt;
  Json about{{"method", setting.formulation.empty() ? std::string(job_info("inverse").standard(setting.robot.dof()))
                                                    : setting.formulation},
             {"engine", "generic"}};
  LimitReport report;
  if (table.empty()) {
    report = run_typed(setting, about);
  } else {
    if (motion.given() || motion.detailed())
      throw UsageError("--trajectory brings the motion; leave out --from, --to, --via, --profile, times and --samples");
    if (motion.rate && !(*motion.rate > 0.0)) throw UsageError("--rate: give rows a second, such as 1000");
    if (limits.scale && table == "-") throw UsageError("--scale-to-limits reads the table twice; give a file");
    if (setting.robot.dof() == 0) throw UsageError(fmt::format("{} has no moving joints", setting.robot.name));
    const LimitOptions options = limit_options(limits, setting);
    try {
      double factor = 1.0;
      if (limits.scale) {
        const auto ignore = [](double, std::span<const double>) {};
        RowSource rows(table, setting, motion.rate);
        factor = scaling_factor(monitor_table(std::move(rows), setting, options, 1.0, ignore), setting.robot);
        about["scaled_by"] = factor;
      }
      RowSource rows(table, setting, motion.rate);
      const bool named = rows.reader().named();
      TimedTable out(setting.output, {"tau"}, static_cast<std::size_t>(setting.robot.dof()), setting.json,
                     named ? setting.mechanism.joint_names : std::vector<std::string>{});
      report = monitor_table(std::move(rows), setting, options, factor,
                             [&](double t, std::span<const double> tau) { out.add(t, tau); });
      about["limits"] = limits_json(report, setting.robot);
      out.finish(about);
    } catch (const TableError& error) {
      throw InputError(error.what());
    }
  }
  note(limits_summary(report, setting.robot, "catena: "));
}

}  // namespace catena::cli
