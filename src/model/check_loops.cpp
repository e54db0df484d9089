#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "catena/math/index.hpp"
#include "model/close_loops.hpp"
#include "model/words.hpp"

namespace catena {

using namespace words;

bool closes_loop(const Robot& robot, int link) {
  const auto on_it = [&](const std::string& name) {
    const auto is = [&](const FrameDescription& frame) { return frame.name == name && frame.link == link; };
    return robot.links[index(link)].name == name || std::any_of(robot.frames.begin(), robot.frames.end(), is);
  };
  return std::any_of(robot.loops.begin(), robot.loops.end(),
                     [&](const LoopDescription& loop) { return on_it(loop.frames[0]) || on_it(loop.frames[1]); });
}

void check_loops(const Robot& robot, Findings& findings) {
  std::vector<std::string> names;
  const auto has_frame = [&](const std::string& name) {
    const auto is = [&](const auto& of) { return of.name == name; };
    return std::any_of(robot.links.begin(), robot.links.end(), is) ||
           std::any_of(robot.frames.begin(), robot.frames.end(), is);
  };
  for (const LoopDescription& loop : robot.loops) {
    const auto error = [&](const std::string& what) {
      findings.errors.push_back({loop.line, "loop " + quoted(loop.name) + ": " + what});
    };
    if (loop.name.empty() || !printable(loop.name)) error("its name must be text without control characters");
    if (std::find(names.begin(), names.end(), loop.name) != names.end()) error("another loop has this name");
    names.push_back(loop.name);
    for (const std::string& frame : loop.frames)
      if (!has_frame(frame)) error(quoted(frame) + " is neither a link nor a frame of this robot");
    if (loop.frames[0] == loop.frames[1]) error("both of its frames are " + quoted(loop.frames[0]));
  }
  const auto check_joint = [&](const std::string& key, const std::string& name) {
    const int k = robot.joint_index(name);
    const auto error = [&](const std::string& what) {
      findings.errors.push_back({robot.line, key + ": " + quoted(name) + " " + what});
    };
    if (robot.loops.empty()) return error("is given, but the robot has no loop");
    if (k < 0) return error("is not a joint of this robot");
    if (!robot.joints[index(k)].moves()) return error("is fixed");
    if (robot.joints[index(k)].is_coupled()) error("is coupled to other joints");
  };
  for (const std::string& name : robot.independent) check_joint("independent", name);
  for (const auto& [name, value] : robot.start) {
    check_joint("start", name);
    if (!std::isfinite(value)) findings.errors.push_back({robot.line, "start: " + quoted(name) + " must be finite"});
  }
}

}  // namespace catena
