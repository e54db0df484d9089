// MODEL and the options about it, the same for every command.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "catena/mechanism.hpp"
#include "catena/robot.hpp"
#include "options/app.hpp"

namespace catena::cli {

struct ModelOptions {
  std::string model;
  bool lenient = false;
  std::vector<std::string> locks, payloads, passive, frictions, kept;
  bool floating_base = false;
  bool rigid = false;
  std::optional<double> snap;
  std::string gravity;
  bool tells_locked = false;  // says on stderr which links --lock takes from energies, momentum and mass

  void add_changes(CLI::App& command);   // --strict, --lenient, --lock, --payload, --friction, --passive, …
  void add_file(CLI::App& command);      // these and MODEL
  void add_dynamics(CLI::App& command);  // these and --only, --rigid, --snap, --gravity

  bool changes() const {
    return floating_base || !locks.empty() || !payloads.empty() || !passive.empty() || !frictions.empty() ||
           !kept.empty();
  }

  // Reads the robot, changed as the options say, and prints its warnings to stderr.
  Robot load() const;
  // The same for a model by another name: of a command that takes several. The gravity stays the model's.
  Robot load(const std::string& other) const;

  // The two halves of it, for a robot that is made of others: reads without a word, and speaks of what came out.
  Robot read() const;
  void report(const Robot& robot) const;

  // The robot as computed. With --snap, says on stderr what the snapping changes.
  Mechanism mechanism(const Robot& robot) const;
  // Another model with the same joints, which `option` names: what a controller takes this robot for. Locked as this
  // one is, but without its payloads. Throws UsageError where the joints differ.
  Mechanism beside(const std::string& other, const std::string& option, const Robot& robot) const;
  MechanismOptions mechanism_options() const;  // --rigid and --snap
  // The same without a word, with this snap instead of --snap; none: that of exact robots.
  Mechanism mechanism_with(const Robot& robot, std::optional<double> tolerance) const;

 private:
  Robot read(const std::string& other, bool refuse) const;  // refuse: warnings of the file are errors
  Robot changed(Robot robot) const;
  bool degrees() const;  // the command has --deg, and it was given

  const CLI::App* command_ = nullptr;
};

// Prints them to stderr, those of one kind as one line.
void warn(const std::vector<Warning>& warnings);

// What MODEL is called in messages: "<stdin>" for "-".
std::string model_label(const std::string& model);

// A link by name, and a link, a frame or "tool" by name; `option` names it in messages. Throw UsageError with the
// nearest name.
int require_link(const Robot& robot, const std::string& name, std::string_view option);
std::string frame_to_hang_on(const Robot& robot, const std::string& name, std::string_view option);

// Where a model may be written: the name says the format, and a file that is there stays, unless forced. Throws
// UsageError.
void require_model_output(const std::string& path, bool force);

// Standard input can be read once. Throws UsageError when something else has claimed it before. `who` is an option, or
// MODEL.
void claim_standard_input(const std::string& who);

// The largest change of a torque over random motions, relative to the largest torque of the same motion.
double torque_change(const Mechanism& exact, const Mechanism& snapped);

}  // namespace catena::cli
