// A robot in Denavit-Hartenberg rows: frames laid along its axes, one row per joint. docs/robot-files.md says how they
// are chosen.
#pragma once

#include <optional>
#include <vector>

#include "catena/robot.hpp"

namespace catena {

// The same robot with every joint placed by its row: the same q, torques, named frames, drives, couplings and loops.
// Links that fixed joints held are merged into what carries them, and their names are frames. Fixed joints that are
// left place an axis that one row cannot reach.
struct DhForm {
  DhConvention convention = DhConvention::classic;
  Robot robot;
  std::vector<DhRow> rows;  // by joint of that robot; zero for the six of a free base
};
DhForm dh_form(const Robot& robot, DhConvention convention);  // throws ModelError if the robot is not valid

// Whether the joint is exactly where its row puts it.
bool keeps_row(const JointDescription& joint);
// The robot itself in the rows that placed its joints; none if a moving joint does not keep one, or if some are classic
// and some modified. Fixed joints may have other poses.
std::optional<DhForm> rows_as_written(const Robot& robot);

}  // namespace catena
