// A table of states in, a table of results out, row by row: what every command with --states does.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "catena/model/robot.hpp"
#include "support/output.hpp"

namespace catena::cli {

struct StateStream {
  std::string input;                // CSV, .npy or "-"
  std::string output;               // CSV, .npy, "-" or empty: standard output
  std::vector<std::string> groups;  // columns read, the first required: {"q", "qd", "qdd"}
  std::string result;               // columns written: "tau"
  bool json = false;                // one JSON object on stdout instead of a CSV table

  // values: the groups one after the other, in radians and metres. result: one number a joint.
  using Compute = std::function<void(std::span<const double> values, std::span<double> result)>;

  // Runs all rows. A bad row or a failed computation leaves no output; Ctrl-C keeps the rows so far, then throws
  // Interrupted. `about` is added to the JSON object.
  void run(const Robot& robot, bool degrees, const Json& about, const Compute& compute) const;
};

}  // namespace catena::cli
