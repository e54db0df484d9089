// Limits along a motion: their options, and the report for people and programs.
#pragma once

#include <optional>
#include <string>

#include "catena/trajectory.hpp"
#include "options/app.hpp"
#include "output/output.hpp"

namespace catena::cli {

// --power, --total-power, --scale-to-limits
struct LimitCheck {
  std::optional<std::string> power;
  std::optional<double> total_power;
  bool scale = false;

  void add(CLI::App& command);
  LimitOptions options(const Robot& robot) const;  // from --power and --total-power
};

// The factor by which to scale a motion in time. Throws std::domain_error where no scaling helps; where nothing limits
// the speed, says so on stderr and returns 1.
double scaling_factor(const LimitReport& report, const Robot& robot);

// Keys: within_limits, first, violations, peaks, time_scale, scaling, binding.
Json limits_json(const LimitReport& report, const Robot& robot);

// Two lines: the first violation, and the time scale. `prefix` starts each.
std::string limits_summary(const LimitReport& report, const Robot& robot, const std::string& prefix = {});

// The summary and a table of peaks.
std::string limits_text(const LimitReport& report, const Robot& robot);

// Prescribing the motion of all joints requires a motor at each. Throws UsageError that names the joints without one.
void require_motors(const Robot& robot);

}  // namespace catena::cli
