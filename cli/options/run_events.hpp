// The events of `simulate` as typed after --event: those that are recorded or end the run, "position:elbow:0.5:stop",
// and those that change the robot, "t=1.5 attach crucible.toml at tool as revolute".
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "catena/progressive.hpp"

namespace catena::cli {

// The accepted forms, for help and messages.
inline constexpr const char* change_forms =
    "\"WHEN attach MODEL at FRAME [as fixed|revolute|prismatic] [axis X,Y,Z] [called NAME] [moving "
    "VX,VY,VZ,WX,WY,WZ]\", "
    "\"WHEN detach NAME\", \"WHEN set mass LINK M\", \"WHEN close FRAME to FRAME [as TYPE] [called NAME]\", "
    "\"WHEN open NAME\"";

class RunEvents {
 public:
  // Reads the models to be attached and prints their warnings. Throws UsageError.
  RunEvents(const std::vector<std::string>& texts, const Mechanism& robot);

  bool change_robot() const { return !occasions_.empty(); }
  // Throw UsageError where a joint or a frame does not exist: at once, or when the run starts.
  void add_to(Simulation& simulation, const Mechanism& robot) const;
  void add_to(ProgressiveSimulation& simulation) const;
  // Whether an event that ends the run has this name.
  bool stop_run(const std::string& name) const;

  // Names of the joints that events attach, in the order of the events.
  const std::vector<std::string>& joints() const { return joints_; }
  bool slides(const std::string& joint) const;
  // What the run has made of the robot so far: itself without its loops after each change, and its joints in the
  // order of Sample::q_tree.
  struct Phase {
    double t = 0.0;
    Robot robot;
    std::vector<std::string> joints;
  };
  const std::vector<Phase>& phases() const { return *phases_; }
  // Names of all frames of the robot and of the parts attached to it.
  const std::vector<std::string>& frames() const { return frames_; }

 private:
  using Occasion = ProgressiveSimulation::Occasion;
  Occasion change(const std::string& text);
  std::function<void(Change&)> attach(const std::vector<std::string>& words);
  std::function<void(Change&)> detach(const std::string& name) const;
  std::function<void(Change&)> close(const std::vector<std::string>& words);

  std::vector<std::string> watched_;  // events that do not change the robot
  std::vector<Occasion> occasions_;
  std::vector<std::string> frames_;            // of the robot and of its parts, to which something may be attached
  std::vector<std::string> joints_, sliding_;  // of the attached parts
  std::vector<std::string> names_;             // names that detach accepts
  std::shared_ptr<std::map<std::string, Assembly::Handle>> known_ =
      std::make_shared<std::map<std::string, Assembly::Handle>>();  // parts attached so far in the run
  std::shared_ptr<std::vector<Phase>> phases_ = std::make_shared<std::vector<Phase>>();
};

}  // namespace catena::cli
