#include "states/limit_check.hpp"

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <cmath>
#include <limits>
#include <stdexcept>
#include <utility>

#include "options/efforts.hpp"
#include "options/numbers.hpp"
#include "output/description.hpp"
#include "terminal/errors.hpp"

namespace catena::cli {
namespace {

using Outcome = TimeScale::Outcome;

std::string joint_name(const Robot& robot, int q) {
  if (q == all_joints) return "all joints";
  return robot.joints[static_cast<std::size_t>(robot.moving_joints()[static_cast<std::size_t>(q)])].name;
}

std::string unit(const Robot& robot, const LimitEvent& event) {
  if (event.kind == LimitKind::power) return "W";
  std::string effort(unit_of(robot, static_cast<std::size_t>(event.joint), unit::effort));
  if (event.kind == LimitKind::effort) return effort;
  const std::string length = effort == "N" ? "m" : "rad";
  return event.kind == LimitKind::speed ? length + "/s" : length;
}

// "effort of elbow at t = 0.4 s: 31.2 N m, limit 28"
std::string event_text(const LimitEvent& event, const Robot& robot) {
  return fmt::format("{} of {} at t = {:.6g} s: {:.6g} {}, limit {:.6g}", name_of(event.kind),
                     printable(joint_name(robot, event.joint)), event.time, event.value, unit(robot, event),
                     event.limit);
}

Json event_json(const LimitEvent& event, const Robot& robot) {
  return {{"kind", name_of(event.kind)},
          {"joint", event.joint == all_joints ? Json("total") : Json(joint_name(robot, event.joint))},
          {"time", event.time},
          {"value", event.value},
          {"limit", event.limit}};
}

// Says what a limit of zero means.
std::string forbidden_text(const LimitEvent& event, const Robot& robot) {
  const bool speed = event.kind == LimitKind::speed;
  return fmt::format("joint {} may {}: its {} limit in the model is 0 {}, and the motion {} from t = {:.6g} s on",
                     printable(joint_name(robot, event.joint)), speed ? "not move" : "exert nothing",
                     speed ? "velocity" : "effort", unit(robot, event), speed ? "moves it" : "asks it to", event.time);
}

std::string scale_text(const TimeScale& scale, const Robot& robot) {
  switch (scale.outcome) {
    case Outcome::unbounded:
      return "nothing limits the speed of this motion";
    case Outcome::impossible: {
      const bool zero = scale.binding.limit == 0.0 && scale.binding.kind != LimitKind::position;
      return "no time scaling respects the limits, however slow the motion; " +
             (zero ? forbidden_text(scale.binding, robot) : event_text(scale.binding, robot));
    }
    default:
      return fmt::format("the limits allow it in {:.6g} times the time{}; then {} of {} is at its limit", scale.factor,
                         scale.slower_too ? "" : " (but not in every longer time)", name_of(scale.binding.kind),
                         printable(joint_name(robot, scale.binding.joint)));
  }
}

}  // namespace

void LimitCheck::add(CLI::App& command) {
  command.add_option("--power", power, "power limits |tau qd| in W, one per joint or one for all")->type_name("P1,...");
  command
      .add_option("--total-power", total_power, "limit of |sum of tau qd|, for a power supply shared by all drives, W")
      ->type_name("P");
  command.add_flag("--scale-to-limits", scale, "run the motion in the shortest time that the limits allow");
}

LimitOptions LimitCheck::options(const Robot& robot) const {
  LimitOptions out;
  if (power) {
    const std::vector<double> none(static_cast<std::size_t>(robot.dof()), std::numeric_limits<double>::infinity());
    out.power = one_or_all(*power, "--power", robot, false, none);
  }
  if (total_power) out.total_power = *total_power;
  return out;
}

double scaling_factor(const LimitReport& report, const Robot& robot) {
  switch (report.time_scale.outcome) {
    case Outcome::impossible:
      throw std::domain_error(scale_text(report.time_scale, robot));
    case Outcome::unbounded:
      note("catena: --scale-to-limits: " + scale_text(report.time_scale, robot) + "; it is left unchanged");
      return 1.0;
    default:
      return report.time_scale.factor;
  }
}

Json limits_json(const LimitReport& report, const Robot& robot) {
  constexpr const char* outcomes[] = {"found", "impossible", "unbounded"};
  Json out{{"within_limits", report.respected()}, {"first", nullptr}};
  Json violations = Json::array(), peaks = Json::array();
  for (const Violation& violation : report.violations) {
    Json entry = event_json(violation.first, robot);
    entry["peak"] = violation.peak.value;
    entry["peak_time"] = violation.peak.time;
    violations.push_back(entry);
  }
  if (!report.violations.empty()) out["first"] = event_json(report.violations.front().first, robot);
  for (const LimitEvent& peak : report.peaks) peaks.push_back(event_json(peak, robot));
  out["violations"] = violations;
  out["peaks"] = peaks;
  const TimeScale& scale = report.time_scale;
  out["time_scale"] = scale.outcome == Outcome::impossible ? Json(nullptr) : Json(scale.factor);
  out["scaling"] = outcomes[static_cast<std::size_t>(scale.outcome)];
  out["binding"] = scale.outcome == Outcome::unbounded ? Json(nullptr) : event_json(scale.binding, robot);
  return out;
}

std::string limits_summary(const LimitReport& report, const Robot& robot, const std::string& prefix) {
  std::string out = prefix + "within all limits\n";
  if (!report.respected()) {
    const std::size_t others = report.violations.size() - 1;
    out = prefix + "first violation: " + event_text(report.violations.front().first, robot);
    if (others > 0) out += fmt::format(" ({} more)", others);
    out += "\n";
  }
  return out + prefix + "time scale: " + scale_text(report.time_scale, robot) + "\n";
}

std::string limits_text(const LimitReport& report, const Robot& robot) {
  TextTable table;
  for (const char* title : {"joint", "peak of"}) table.column(title, TextTable::Align::left);
  for (const char* title : {"value", "limit", "t"}) table.column(title);
  table.column("", TextTable::Align::left);
  int lowest_of = all_joints;  // each joint has two positions in the list, the lowest first
  for (const LimitEvent& peak : report.peaks) {
    std::string quantity(name_of(peak.kind));
    if (peak.kind == LimitKind::position)
      quantity = std::exchange(lowest_of, peak.joint) != peak.joint ? "lowest" : "highest";
    bool broken = false;
    for (const Violation& v : report.violations)
      broken |= v.first.kind == peak.kind && v.first.joint == peak.joint && v.first.limit == peak.limit;
    table.row({printable(joint_name(robot, peak.joint)), quantity, fmt::format("{:.6g}", peak.value),
               std::isfinite(peak.limit) ? fmt::format("{:.6g}", peak.limit) : "-", fmt::format("{:.6g}", peak.time),
               unit(robot, peak) + (broken ? "  beyond the limit" : "")});
  }
  return limits_summary(report, robot) + table.text();
}

void require_motors(const Robot& robot) {
  const std::vector<std::string> passive = passive_joints(robot);
  if (!passive.empty())
    throw UsageError(
        fmt::format("a motion of all joints needs a motor at each, and these are passive: {}; 'inverse --states' finds "
                    "how they move",
                    printable(fmt::format("{}", fmt::join(passive, ", ")))));
}

}  // namespace catena::cli
