// Logs of measured motions as options: which files, which columns in which units, which filter, and what to do at rest.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "catena/log.hpp"
#include "catena/robot.hpp"
#include "options/app.hpp"
#include "output/output.hpp"

namespace catena::cli {

struct LogOptions {
  std::vector<std::string> logs, columns, units, offsets, swaps;
  std::optional<std::string> header, gear, derivative, rest, dead_band, decimate;
  std::optional<double> rate, from, to, cutoff;
  std::optional<int> order, gap;
  bool derived_speeds = false;
  double headroom = 2.0;  // PrepareOptions::headroom

  // All of them; those but --log go with one of these options.
  void add(CLI::App& command, const std::vector<std::string>& companions = {"--log"});
  bool given() const { return !logs.empty(); }

  // Reads and prepares the logs, and looks for what is wrong with them. Throws UsageError and InputError.
  PreparedLog prepare(const Robot& robot, const Mechanism& mechanism) const;
  // The same for files without a robot: every column but the clock is a joint.
  PreparedLog prepare_columns(const std::string& table) const;

 private:
  LogFormat format() const;
  PrepareOptions settings(const std::vector<std::string>& joints) const;
};

// What was found, to stderr: notes, and warnings with what would mend them. With --strict a warning ends the program
// with status 1.
void tell(const PreparedLog& log);
Json findings_json(const PreparedLog& log);

}  // namespace catena::cli
