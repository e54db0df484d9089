// MODEL and the options about it, the same for every command.
#pragma once

#include <optional>
#include <string>

#include "catena/model/mechanism.hpp"
#include "catena/model/robot.hpp"
#include "support/app.hpp"

namespace catena::cli {

struct ModelOptions {
  std::string model;
  bool strict = false;
  bool rigid = false;
  std::optional<double> snap;
  std::string gravity;

  void add_file(CLI::App& command);      // MODEL, --strict
  void add_dynamics(CLI::App& command);  // these and --rigid, --snap, --gravity

  // Reads the robot and prints its warnings to stderr.
  Robot load() const;

  // The robot as computed. With --snap, says on stderr what the snapping changes.
  Mechanism mechanism(const Robot& robot) const;
  // The same without a word, with this snap instead of --snap; none: that of exact robots.
  Mechanism mechanism_with(const Robot& robot, std::optional<double> tolerance) const;
};

// The largest change of a torque over random motions, relative to the largest torque of the same motion.
double torque_change(const Mechanism& exact, const Mechanism& snapped);

// Reads a model without a word: for commands that list the warnings themselves.
Robot read_model(const std::string& model, bool strict);

}  // namespace catena::cli
