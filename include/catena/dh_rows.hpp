// A robot in Denavit-Hartenberg rows: frames laid along its axes, one row a joint. docs/robot-files.md says how they
// are chosen.
#pragma once

#include <string_view>
#include <vector>

#include "catena/robot.hpp"

namespace catena {

enum class DhConvention { classic, modified };
constexpr std::string_view name_of(DhConvention convention) {
  return convention == DhConvention::classic ? "classic" : "modified";
}

// The same robot with every joint placed by its row: the same q, torques, named frames, drives, couplings and loops.
// Links that fixed joints held are merged into what carries them, and their names are frames. Fixed joints that are
// left place an axis that one row cannot reach.
struct DhForm {
  DhConvention convention = DhConvention::classic;
  Robot robot;
  std::vector<DhRow> rows;  // by joint of that robot; zero for the six of a free base
};
DhForm dh_form(const Robot& robot, DhConvention convention);  // throws ModelError if the robot is not valid

}  // namespace catena
