// A robot in the form that the page draws: Description of page/src/data.ts. Used both by the program that writes the
// page and, after an edit, by the module inside the page (wasm/).
#pragma once

#include <nlohmann/json.hpp>
#include <vector>

#include "catena/robot.hpp"

namespace catena::report {

using Json = nlohmann::ordered_json;

// Links and joints in the order of the description. A free base counts as one joint, without its intermediate links.
std::vector<int> described_links(const Robot& robot);   // indices into Robot::links
std::vector<int> described_joints(const Robot& robot);  // indices into Robot::joints; -1: the floating joint

Json description(const Robot& robot);

// A position of the robot in which its loops are closed; without loops, zero.
std::vector<double> closed_start(const Robot& robot);

// Denavit-Hartenberg rows, or none: those the robot was written in, else those that can be seen in the poses of all
// moving joints.
struct JointRow {
  int joint = 0;  // index into Robot::joints
  DhRow row;
};
struct DhTable {
  bool classic = false;
  std::vector<JointRow> rows;
};
DhTable dh_table(const Robot& robot);

// A pose as a 4 x 4 matrix by rows.
std::vector<double> homogeneous(const Pose<double>& pose);

// Invalid UTF-8 is replaced, numbers that are not finite become null.
std::string text_of(const Json& json);

}  // namespace catena::report
