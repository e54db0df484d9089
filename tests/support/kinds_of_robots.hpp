// Robots of every kind with a base at rest: 1, 7 and 40 joints, trees, forces at joints, coupled and passive joints,
// closed loops, a payload.
#pragma once

#include <functional>
#include <utility>
#include <vector>

#include "catena/changes.hpp"
#include "catena/robot_file.hpp"
#include "support/random_robot.hpp"

namespace catena::test {

inline std::vector<Robot> kinds_of_robots() {
  std::vector<Robot> all;
  Random random(36);
  const auto add = [&](RobotOptions options, const std::function<void(Robot&)>& change = {}) {
    options.massless_links = false;
    Robot robot = random_robot(random, options);
    if (change) change(robot);
    all.push_back(std::move(robot));
  };
  for (const int joints : {1, 7, 40}) add({.joints = joints, .drives = joints == 7});
  add({.joints = 8, .shape = Shape::tree, .drives = true});
  add({.joints = 9, .shape = Shape::tree, .drives = true}, [&](Robot& robot) { couple_some(random, robot); });
  for (const char* name : {"pelican_crucible", "palletizer", "gripper", "parallelogram", "ur5"})
    all.push_back(load_robot(find_model(name)));
  all.push_back(
      add_payload(load_robot(find_model("panda")), "", {2.0, {0.01, 0.02, 0.05}, {0.01, 0.01, 0.01, 0.0, 0.0, 0.0}}));
  return all;
}

}  // namespace catena::test
