#include "options/log_options.hpp"

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "catena/tables.hpp"
#include "command.hpp"
#include "io/column_file.hpp"
#include "options/companions.hpp"
#include "options/model_options.hpp"
#include "options/numbers.hpp"
#include "terminal/errors.hpp"
#include "terminal/words.hpp"

namespace catena::cli {
namespace {

std::vector<double> gear_ratios(const Robot& robot) {
  std::vector<double> gears;
  for (const int j : robot.moving_joints()) gears.push_back(robot.joints[static_cast<std::size_t>(j)].drive.gear_ratio);
  return gears;
}

Log read(const std::vector<std::string>& logs, const LogFormat& format) {
  Log log;
  for (const std::string& files : logs) {
    const std::vector<std::string> beside = split(files, ',');
    if (std::find(beside.begin(), beside.end(), "-") != beside.end()) claim_standard_input("--log");
    append(log, read_log(beside, format));
  }
  return log;
}

// One number for all, or one per joint, or some by name.
std::vector<double> by_joint(const std::string& text, const std::string& option,
                             const std::vector<std::string>& joints) {
  std::vector<double> out(joints.size(), 0.0);
  if (text.find('=') != std::string::npos) {
    for (const NamedNumber& own : parse_named(text, option)) out[joint_position(own.name, option, joints)] = own.value;
    return out;
  }
  const std::vector<double> typed = parse_numbers(text, option);
  if (typed.size() == 1) return std::vector<double>(joints.size(), typed[0]);
  if (typed.size() != joints.size())
    throw UsageError(fmt::format("{}: {} numbers for {} joints", option, typed.size(), joints.size()));
  return typed;
}

}  // namespace

void LogOptions::add(CLI::App& command, const std::vector<std::string>& companions) {
  const auto option = [&](const char* name, auto& value, const char* type, const char* help) {
    return command.add_option(name, value, help)->type_name(type);
  };
  const auto list = [&](const char* name, std::vector<std::string>& value, const char* type, const char* help) {
    return option(name, value, type, help)->expected(1)->allow_extra_args(false)->take_all();
  };
  list("--log", logs, "FILE[,FILE]",
       "a recorded log, CSV, .npz or .npy: t, q, qd if measured, tau or currents; separate files of one run with "
       "commas, and repeat the option for several runs");
  list("--column", columns, "TO=FROM",
       "which column is what: tau3=i_3, q#=joint_#_pos (# is 1, 2, …; @ is 0, 1, …), q6=m6/32-m5/45, t=2:stamp");
  list("--unit", units, "COLUMN=UNIT", "unit of a column: t=ms, q=deg, qd=rpm, tau=mNm, or a factor: tau3=0.12, q2=-1");
  list("--offset", offsets, "COLUMN=VALUE", "a constant to add at the joint, after units and gears: q2=-pi/2");
  list("--swap", swaps, "A,B", "two columns whose names are swapped: q1,q2");
  option("--columns", header, "NAMES", "names of the columns, for files without a header");
  option("--gear", gear, "RATIOS|model",
         "gear ratios, when positions and torques were measured at the motors; model: those of the model");
  option("--rate", rate, "HZ", "rows per second, instead of a clock")->check(CLI::PositiveNumber);
  option("--from", from, "S", "leave out everything before this time, in s since the first row");
  option("--to", to, "S", "leave out everything after this time");
  option("--cutoff", cutoff, "HZ", "cutoff of the low-pass filter; default: chosen from the spectra of the positions")
      ->check(CLI::PositiveNumber);
  option("--order", order, "N", "order of one pass of the filter; default 4")->check(CLI::Range(1, 12));
  option("--derivative", derivative, "filter|savgol", "how positions are differentiated")
      ->check(one_of({"filter", "savgol"}));
  command.add_flag("--derived-speeds", derived_speeds, "differentiate positions even if the log has speeds");
  option("--decimate", decimate, "K|auto", "take every K-th row after filtering");
  option("--gap", gap, "ROWS", "interpolate up to this many missing rows; default 5")->check(CLI::NonNegativeNumber);
  option("--rest", rest, "leave-out|hold|keep",
         "what to do with rows in which a joint is at rest, where friction may have any value between its limits; "
         "default leave-out")
      ->check(one_of({"leave-out", "hold", "keep"}));
  option("--dead-band", dead_band, "SPEED,...",
         "speed below which a joint counts as at rest; default: from the noise of its speed");
  for (const char* name :
       {"--column", "--unit", "--offset", "--swap", "--columns", "--gear", "--rate", "--from", "--to", "--cutoff",
        "--order", "--derivative", "--derived-speeds", "--decimate", "--gap", "--rest", "--dead-band"})
    goes_with(command, name, companions);
}

LogFormat LogOptions::format() const {
  LogFormat out;
  if (header)
    for (const std::string& name : split(*header, ',')) out.header.push_back(name);
  out.columns = columns, out.units = units, out.offsets = offsets, out.swaps = swaps;
  if (rate) out.period = 1.0 / *rate;
  return out;
}

PrepareOptions LogOptions::settings(const std::vector<std::string>& joints) const {
  PrepareOptions out;
  out.headroom = headroom;
  if (from) out.from = *from;
  if (to) out.to = *to;
  if (!(out.to > out.from)) throw UsageError("--to must be after --from");
  if (cutoff) out.filter.cutoff = *cutoff;
  if (order) out.filter.order = *order;
  if (derivative && *derivative == "savgol") out.derivative = DerivativeBy::savitzky_golay;
  out.measured_speeds = !derived_speeds;
  if (gap) out.longest_gap = static_cast<std::size_t>(*gap);
  if (rest) out.rest = *rest == "hold" ? Rest::hold : *rest == "keep" ? Rest::keep : Rest::leave_out;
  if (dead_band) out.dead_band = by_joint(*dead_band, "--dead-band", joints);
  if (decimate && *decimate != "auto") {
    const std::vector<double> typed = parse_numbers(*decimate, "--decimate");
    if (typed.size() != 1 || typed[0] < 1.0 || typed[0] != std::floor(typed[0]))
      throw UsageError("--decimate: a whole number from 1, or auto");
    out.decimation = static_cast<std::size_t>(typed[0]);
  }
  return out;
}

PreparedLog LogOptions::prepare(const Robot& robot, const Mechanism& mechanism) const {
  const std::string label = logs.empty() ? "" : logs[0];
  try {
    LogFormat own = format();
    own.joints = coordinate_names(mechanism);
    for (const Coordinate c : mechanism.coordinates.all())
      own.slides.push_back(!mechanism.links[index(mechanism.link_of(c))].revolute);
    const std::vector<double> gears = gear_ratios(robot);
    if (gear) own.gears = *gear == "model" ? gears : by_joint(*gear, "--gear", own.joints);
    if (std::find(own.gears.begin(), own.gears.end(), 0.0) != own.gears.end())
      throw UsageError("--gear: a gear cannot be 0");
    PreparedLog log = catena::prepare(read(logs, own), settings(own.joints));
    const std::vector<LogFinding> wrong = diagnose(log, mechanism, gear ? std::span<const double>() : gears);
    log.findings.insert(log.findings.end(), wrong.begin(), wrong.end());
    return log;
  } catch (const TableError& error) {
    throw InputError(error.what());
  } catch (const std::invalid_argument& error) {
    const std::string what = error.what();
    throw InputError(what.starts_with(split(label, ',')[0]) ? what : fmt::format("{}: {}", label, what));
  }
}

PreparedLog LogOptions::prepare_columns(const std::string& table) const {
  try {
    LogFormat own = format();
    std::vector<std::string> names = io::ColumnFile(table, own.header).names();
    const auto is_clock = [&](const std::string& name) {
      const auto named = std::find(columns.begin(), columns.end(), "t=" + name);
      return named != columns.end() || name == "t" || name == "time" || name == "timestamp";
    };
    names.erase(std::remove_if(names.begin(), names.end(), is_clock), names.end());
    own.joints = names;
    for (std::size_t k = 0; k < names.size(); ++k) own.columns.push_back(fmt::format("q{}={}", k + 1, names[k]));
    PrepareOptions set = settings(names);
    set.rest = Rest::keep;
    return catena::prepare(read({table}, own), set);
  } catch (const TableError& error) {
    throw InputError(error.what());
  } catch (const std::invalid_argument& error) {
    const std::string what = error.what();
    throw InputError(what.starts_with(table) ? what : fmt::format("{}: {}", table, what));
  }
}

void tell(const PreparedLog& log) {
  std::string first;
  for (const LogFinding& own : log.findings) {
    const bool warning = own.weight == LogFinding::Weight::warning;
    std::string line = own.text + (own.cure.empty() ? std::string() : fmt::format(" [{}]", own.cure));
    std::replace_if(
        line.begin(), line.end(), [](char c) { return static_cast<unsigned char>(c) < ' '; }, '?');
    if (warning && first.empty()) first = line;
    note((warning ? "warning: " : "") + line);
  }
  if (strict() && !first.empty()) throw std::domain_error(first);
}

Json findings_json(const PreparedLog& log) {
  Json list = Json::array();
  for (const LogFinding& own : log.findings) {
    Json one = {{"kind", own.kind}, {"warning", own.weight == LogFinding::Weight::warning}, {"number", own.number}};
    if (own.joint >= 0) one["joint"] = log.joints[static_cast<std::size_t>(own.joint)];
    one["text"] = own.text;
    if (!own.cure.empty()) one["cure"] = own.cure;
    list.push_back(one);
  }
  return {{"rows_read", log.rows_read},
          {"rows", log.rows()},
          {"stretches", log.data.stretches},
          {"period", log.data.period},
          {"rows_of_files", log.rows_of_files},
          {"cutoff", log.filter.cutoff},
          {"position_cutoff", log.position_filter.cutoff},
          {"order", log.filter.order},
          {"decimation", log.decimation},
          {"joints", log.joints},
          {"dead_band", log.dead_band},
          {"noise", log.noise},
          {"findings", list}};
}

}  // namespace catena::cli
