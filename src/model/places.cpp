#include "model/places.hpp"

#include <algorithm>

#include "catena/validate.hpp"
#include "model/words.hpp"

namespace catena {

bool has_frame(const Robot& robot, std::string_view name) {
  return robot.link_index(name) >= 0 ||
         std::any_of(robot.frames.begin(), robot.frames.end(), [&](const auto& f) { return f.name == name; });
}

Place place_of(const Robot& robot, std::string_view frame, const std::string& what) {
  const std::string name = frame.empty() ? robot.tool_name() : std::string(frame);
  if (const int link = robot.link_index(name); link >= 0) return {link, {}};
  for (const FrameDescription& f : robot.frames)
    if (f.name == name) return {f.link, f.pose};
  throw ModelError(robot.name + ": no link or frame '" + words::escaped(name) + "' that " + what + " could hang on");
}

void close_again(Robot& robot) {
  robot.closed.clear();
  for (JointDescription& joint : robot.joints) joint.dependent = false;
  const std::vector<Problem> problems = close_loops(robot);
  if (!problems.empty()) throw ModelError(format_problems(robot.name, problems));
}

void require_valid(const Robot& robot) {
  const Findings findings = validate(robot);
  if (!findings.ok()) throw ModelError(format_problems(robot.name, findings.errors));
}

}  // namespace catena
