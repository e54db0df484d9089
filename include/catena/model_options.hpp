// Options about a robot as people type them, "--payload tool:2,0,0,0.1": one list, which the program and the C
// interface both read.
#pragma once

#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "catena/mechanism.hpp"
#include "catena/robot_file.hpp"

namespace catena {

// An option, or a number of it, is not understood or does not fit the robot.
class OptionError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// What the options say, as it was typed.
struct ModelChanges {
  bool strict = false, lenient = false;
  std::vector<std::string> xacro, package_path;
  std::vector<std::string> locks, payloads, frictions, passive, kept;
  std::string assembly, gravity;
  bool floating_base = false, rigid = false, stiff = false;
  std::optional<double> snap;

  // Whether changed() does anything.
  bool any() const {
    return floating_base || !assembly.empty() || !locks.empty() || !payloads.empty() || !passive.empty() ||
           !frictions.empty() || !kept.empty();
  }
  LoadOptions reading() const;
  // The robot with everything but its gravity changed; `degrees`: angles of --lock and --assembly. Throws OptionError,
  // and ModelError where the robot would not be valid.
  Robot changed(Robot robot, bool degrees = false) const;
  // The same with its gravity, and refused where `strict` and there are warnings.
  Robot applied(Robot robot) const;
  MechanismOptions mechanism_options() const;
};

// An option: where its value is stored. Exactly one of the four pointers is set.
struct ModelOption {
  std::string_view name{}, value{}, words{};  // "--lock", "JOINT=X,...", one line; flags have no value
  bool of_dynamics = false;                   // for what computes only, not for what reads and writes files
  bool of_reading = false;                    // says how the file is read; the others change the robot
  bool ModelChanges::*flag = nullptr;
  std::string ModelChanges::*text = nullptr;
  std::vector<std::string> ModelChanges::*texts = nullptr;  // repeatable
  std::optional<double> ModelChanges::*number = nullptr;
};
std::span<const ModelOption> model_options();

// A line of options. Words end at blanks; a part in single or double quotes keeps its blanks. Throws OptionError.
ModelChanges parse_model_options(std::string_view line);

// Throws ModelError that lists the warnings, if there are any.
void refuse_warnings(const Robot& robot);

}  // namespace catena
