// catena filter: a recorded log cleaned, filtered and differentiated, and what is wrong with it.
#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <memory>

#include "catena/tables.hpp"
#include "command.hpp"
#include "options/log_options.hpp"
#include "options/model_options.hpp"
#include "output/output.hpp"
#include "output/timed_table.hpp"
#include "terminal/errors.hpp"

namespace catena::cli {
namespace filter_command {

struct Options {
  ModelOptions model;
  LogOptions log;
  std::string table, output;
  bool json = false, check = false;
};

// Calls `with` for every k-th row, counted separately in each stretch.
template <class F>
void each_row(const Options& options, const PreparedLog& log, F with) {
  const std::size_t step = options.log.decimate ? log.decimation : 1;
  for (std::size_t s = 0; s < log.data.stretches.size(); ++s)
    for (std::size_t i = log.first_row(s); i < log.end_row(s); i += step) with(i);
}

// t, then q, qd, qdd and tau.
void write(const Options& options, const PreparedLog& log) {
  const std::size_t n = log.joints.size();
  std::vector<std::string> groups{"q", "qd", "qdd"};
  if (!log.data.tau.empty()) groups.emplace_back("tau");
  TimedTable table(options.output, groups, n, options.json);
  std::vector<double> row;
  each_row(options, log, [&](std::size_t i) {
    row.clear();
    for (const std::vector<double>* group : {&log.data.q, &log.data.qd, &log.data.qdd, &log.data.tau})
      for (std::size_t j = 0; j < n && !group->empty(); ++j)
        row.push_back(group == &log.data.tau && log.invented[i * n + j] ? std::numeric_limits<double>::quiet_NaN()
                                                                        : (*group)[i * n + j]);
    table.add(log.t[i], row);
  });
  table.finish(findings_json(log));
}

// t, then the columns by their own names.
void write_columns(const Options& options, const PreparedLog& log) {
  const std::size_t n = log.joints.size();
  Json out;
  if (options.json && options.output.empty()) {
    out["t"] = Json::array();
    for (const std::string& name : log.joints) out[name] = Json::array();
    each_row(options, log, [&](std::size_t i) {
      out["t"].push_back(log.t[i]);
      for (std::size_t j = 0; j < n; ++j) out[log.joints[j]].push_back(log.data.q[i * n + j]);
    });
  } else {
    std::vector<std::string> names{"t"};
    names.insert(names.end(), log.joints.begin(), log.joints.end());
    TableWriter writer(options.output.empty() ? "-" : options.output, names);
    std::vector<double> row(n + 1);
    each_row(options, log, [&](std::size_t i) {
      row[0] = log.t[i];
      std::copy_n(log.data.q.begin() + static_cast<std::ptrdiff_t>(i * n), n, row.begin() + 1);
      writer.write(row);
    });
    writer.finish();
    if (!options.json) return;
    out = {{"output", options.output}, {"rows", writer.rows()}};
  }
  out["log"] = findings_json(log);
  emit(json_line(out));
}

void run(const Options& options) {
  const bool of_robot = options.table.empty();
  if (!of_robot && (options.log.given() || !options.model.model.empty()))
    throw UsageError("--table takes any columns and no robot; for the log of a robot give MODEL and --log");
  if (of_robot && options.model.model.empty()) throw UsageError("give MODEL and --log, or --table");
  if (of_robot && !options.log.given()) throw UsageError("filter needs --log");
  PreparedLog log;
  if (of_robot) {
    const Robot robot = options.model.load();
    const Mechanism mechanism = options.model.mechanism(robot);
    if (mechanism.nv() == 0)
      throw UsageError(fmt::format("{} has no moving joints: there is nothing to filter", robot.name));
    require_fixed_base(mechanism, "filtering logs does");
    log = options.log.prepare(robot, mechanism);
  } else {
    log = options.log.prepare_columns(options.table);
    std::erase_if(log.findings, [](const LogFinding& own) { return own.kind == "rest" || own.kind == "edges"; });
  }
  tell(log);
  if (options.check) {
    if (options.json) emit(json_line(findings_json(log)));
    return;
  }
  filter_torques(log);
  try {
    of_robot ? write(options, log) : write_columns(options, log);
  } catch (const TableError& error) {
    throw InputError(error.what());
  }
}

}  // namespace filter_command

void add_filter(CLI::App& program) {
  using namespace filter_command;
  const auto options = std::make_shared<Options>();
  CLI::App* command = add_command(
      program, "filter", "Clean, filter and differentiate a recorded log, and say what is wrong with it",
      "  catena filter panda --log raw.csv -o clean.csv\n"
      "  catena filter ur5 --log run1.csv --log run2.csv --unit t=ms --from 2 --to 12 --cutoff 8 -o clean.csv\n"
      "  catena filter ur5 --log log.csv --column q#=actual_q_@ --column tau#=actual_current_@ --unit tau=11.2 "
      "--check\n"
      "  catena filter arm.urdf --log angles.csv,torques.csv --rate 5000 --column q#=1:m_# --column tau#=2:m_# \\\n"
      "      --gear 32,32,45,-48,45,32 --offset q2=-pi/2 --decimate auto -o clean.csv\n"
      "  catena filter --table signals.csv --cutoff 10 -o smooth.csv\n"
      "\n"
      "Columns: t, then q, qd, qdd and tau of every joint, all low-pass filtered without phase shift, on an even "
      "clock,\n"
      "in radians and metres. tau is nan where it was not measured. Notes on what was done go to stderr, or with "
      "--json\n"
      "into the object. What seems wrong is a warning with its likely cure; with --strict the exit status is then 1.");
  options->model.of_links = true;
  options->model.add_dynamics(*command);
  command->get_option("MODEL")->required(false);
  options->log.headroom = 1.0;  // the table has motion and torques filtered alike
  options->log.add(*command, {"--log", "--table"});
  command
      ->add_option("--table", options->table,
                   "filter every column of a table instead, which has a clock or needs --rate")
      ->type_name("FILE");
  command->add_flag("--check", options->check, "only report what was found");
  command
      ->add_option("-o,--output", options->output, "where the table goes: CSV, .npy, .npz, or - for stdout (default)")
      ->type_name("FILE");
  command->add_flag("--json", options->json, "print one JSON object: t, q, qd, qdd, tau and what was found");
  command->callback([options] { run(*options); });
}

}  // namespace catena::cli
