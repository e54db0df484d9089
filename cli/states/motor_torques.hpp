// Torques of motors anywhere in closed loops: `catena inverse --motors`.
#pragma once

#include <string>

#include "options/job_options.hpp"

namespace catena::cli {

// --motors, --motor-weights
struct MotorOptions {
  std::string motors, weights;

  void add(CLI::App& command);
  bool given() const { return !motors.empty() || !weights.empty(); }
  void run(const JobOptions& options) const;
};

}  // namespace catena::cli
