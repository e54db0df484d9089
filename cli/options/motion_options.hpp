// A motion as typed: points, times or limits, a profile, and the sampling of the output.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "catena/mechanism.hpp"
#include "catena/time_optimal.hpp"
#include "options/app.hpp"

namespace catena::cli {

struct MotionOptions {
  std::optional<std::string> from, to, via, times, speeds, accelerations, jerks, profile;
  bool time_optimal = false;
  std::optional<double> time, rate;
  std::optional<std::int64_t> samples;

  void add_path(CLI::App& command);  // points, their times or limits, profile
  void add(CLI::App& command);       // these, the total time, and the sampling of the output
  bool given() const { return from || to || via; }
  // Without the rate, which a table may also need.
  bool detailed() const { return time || times || speeds || accelerations || time_optimal || profile || samples; }

  // Throws UsageError where options are missing or contradict each other, std::invalid_argument where numbers do.
  Trajectory make(const Robot& robot, const Mechanism& mechanism, bool degrees) const;
  TimeOptimal make_optimal(const Robot& robot, const Mechanism& mechanism, bool degrees) const;  // --time-optimal
};

// The times at which a motion is written. With a rate, the last row may lie past the end, where the robot is at rest.
class SampleTimes {
 public:
  SampleTimes(const MotionOptions& options, const Trajectory& motion);
  std::uint64_t count() const { return count_; }
  double at(std::uint64_t k) const;

 private:
  double start_, end_, rate_;
  std::uint64_t count_;
  bool to_the_end_;  // the last sample lies exactly at the end
};

}  // namespace catena::cli
