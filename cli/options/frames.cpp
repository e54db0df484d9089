#include "options/frames.hpp"

#include <fmt/format.h>

#include <vector>

#include "model/find_frame.hpp"
#include "terminal/errors.hpp"

namespace catena::cli {

int frame_index(const Mechanism& robot, const std::string& name) {
  if (name.empty()) return robot.tool;
  const int found = find_frame(robot, name);
  if (found >= 0) return found;
  std::vector<std::string> names;
  for (const auto& f : robot.frames) names.push_back(f.name);
  throw UsageError(fmt::format("--frame: {} has no frame '{}'; its frames are {}", robot.name, printable(name),
                               fmt::join(names, ", ")));
}

}  // namespace catena::cli
