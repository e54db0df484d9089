// MODEL and the options about it, the same in every command.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "catena/mechanism.hpp"
#include "catena/model_options.hpp"
#include "catena/robot.hpp"
#include "catena/robot_file.hpp"
#include "io/option_texts.hpp"
#include "options/app.hpp"

namespace catena::cli {

struct ModelOptions : ModelChanges {
  std::string model;
  bool of_links = false;      // the command concerns only links: its mechanism is stiff. Set before add_dynamics()
  bool tells_locked = false;  // says on stderr which links --lock removes from energies, momentum and mass

  void add_changes(CLI::App& command);   // --strict, --lock, --payload, …: model_options()
  void add_file(CLI::App& command);      // these and MODEL
  void add_dynamics(CLI::App& command);  // these and --only, --rigid, --stiff, --snap, --gravity

  // refuse: warnings of the file are errors; notes: takes what the file has and dynamics do not need
  LoadOptions reading(bool refuse = false, std::vector<std::string>* notes = nullptr) const;

  // Reads the robot, changed as the options say, and prints its warnings to stderr.
  Robot load() const;
  // The same for another model, for commands that take several. Keeps the gravity of that model.
  Robot load(const std::string& other, std::vector<std::string>* notes = nullptr) const;  // LoadOptions::notes

  // The two halves of load(), for a robot built from others: read() prints nothing, report() prints the warnings.
  Robot read() const;
  void report(const Robot& robot) const;

  // The robot as computed. With --snap, says on stderr what the snapping changes.
  Mechanism mechanism(const Robot& robot) const;
  // Another model with the same joints, named by `option`: the model that a controller assumes for this robot. Has the
  // same joints locked, but not the payloads. Throws UsageError where the joints differ.
  Mechanism beside(const std::string& other, const std::string& option, const Robot& robot) const;
  MechanismOptions mechanism_options() const;  // --rigid and --snap
  // Like mechanism(), but prints nothing and uses this tolerance instead of --snap; none: that of exact robots.
  Mechanism mechanism_with(const Robot& robot, std::optional<double> tolerance) const;

 private:
  Robot read(const std::string& other, bool refuse, std::vector<std::string>* notes = nullptr) const;
  Robot changed(Robot robot) const;
  Robot as_computed(Robot robot) const;  // with motors of elastic joints, or without elasticity
  bool degrees() const;                  // whether the command has --deg and it was given

  const CLI::App* command_ = nullptr;
  bool computes_ = false;  // add_dynamics() was called
};

// Prints them to stderr, one line per kind.
void warn(const std::vector<Warning>& warnings);

// The name of MODEL in messages: "<stdin>" for "-".
std::string model_label(const std::string& model);

using io::frame_to_hang_on;
using io::require_link;

// Checks where a model is to be written: the ending selects the format, and an existing file is kept, unless forced.
// Throws UsageError.
void require_model_output(const std::string& path, bool force);
void require_new(const std::string& path, bool force);  // or told to be replaced

// Standard input can be read only once. Throws UsageError when something else has claimed it before. `who` is an
// option, or MODEL.
void claim_standard_input(const std::string& who);

// The largest change of a torque over random motions, relative to the largest torque of the same motion.
double torque_change(const Mechanism& exact, const Mechanism& snapped);

}  // namespace catena::cli
