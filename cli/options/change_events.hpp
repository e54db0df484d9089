// Events of `simulate` that change the robot: "t=1.5 attach crucible.toml at tool as revolute".
#pragma once

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "catena/progressive.hpp"

namespace catena::cli {

// The forms, for help and messages.
inline constexpr const char* change_forms =
    "\"WHEN attach MODEL at FRAME [as fixed|revolute|prismatic] [axis X,Y,Z] [called NAME] [moving "
    "VX,VY,VZ,WX,WY,WZ]\", "
    "\"WHEN detach NAME\", \"WHEN set mass LINK M\"";

class ChangeEvents {
 public:
  explicit ChangeEvents(const Mechanism& robot);
  static bool is_change(const std::string& text);  // it has an action behind its trigger

  // trigger(words, robot) makes the event of the first word. Throws UsageError.
  using Trigger = std::function<Event(const std::string& word, const Mechanism& robot)>;
  void add(const std::string& text, const Trigger& trigger, ProgressiveSimulation& simulation);

  // Names of the joints that are attached, in the order of the events.
  const std::vector<std::string>& joints() const { return joints_; }
  // Names of all frames, of the robot and of what is attached to it.
  const std::vector<std::string>& frames() const { return frames_; }
  bool slides(const std::string& joint) const {
    return std::find(sliding_.begin(), sliding_.end(), joint) != sliding_.end();
  }

 private:
  void attach(const std::vector<std::string>& words, ProgressiveSimulation::Occasion& occasion);
  void detach(const std::vector<std::string>& words, ProgressiveSimulation::Occasion& occasion);
  void set_mass(const std::vector<std::string>& words, ProgressiveSimulation::Occasion& occasion);

  std::vector<std::string> frames_;            // of the robot and of parts, that something may be attached to
  std::vector<std::string> joints_, sliding_;  // of these
  std::vector<std::string> names_;             // that detach may use
  std::shared_ptr<std::map<std::string, Assembly::Handle>> known_ =
      std::make_shared<std::map<std::string, Assembly::Handle>>();  // attached while the run goes on
};

}  // namespace catena::cli
