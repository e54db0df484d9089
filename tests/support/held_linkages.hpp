// The four-bar linkage held where its crank stands at 0.4 rad.
#pragma once

#include <vector>

#include "catena/changes.hpp"
#include "support/four_bar.hpp"

namespace catena::test {

inline Robot upright() {
  Robot robot = four_bar();
  robot.gravity = {0.0, -9.81, 0.0};
  robot.tool = "coupler end";
  return robot;
}
// By its crank, which is locked and then a part of the ground; and by a second loop.
inline std::vector<Robot> held(Robot robot) {
  const Robot locked = lock_joints(robot, {{"crank", 0.4}});
  robot.add_frame("hole", 0, {rotation_about({0.0, 0.0, 1.0}, 0.4), {}});
  robot.loops.push_back({"bolt", LoopType::fixed, {"hole", "crank bar"}, 0});
  robot.independent.clear();
  robot.start["crank"] = 0.4;
  return {locked, robot};
}

}  // namespace catena::test
