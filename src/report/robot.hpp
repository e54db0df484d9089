// A robot as the page draws it: Description of page/src/data.ts. The program puts it into the page, and so does the
// module in the page (wasm/) after an edit; it is written here for both.
#pragma once

#include <nlohmann/json.hpp>
#include <vector>

#include "catena/robot.hpp"

namespace catena::report {

using Json = nlohmann::ordered_json;

// Links and joints in the order of the description. Of a free base: one joint, without the links between its parts.
std::vector<int> described_links(const Robot& robot);   // indices into Robot::links
std::vector<int> described_joints(const Robot& robot);  // indices into Robot::joints; -1: the floating joint

Json description(const Robot& robot);

// Rows by which every joint that moves is placed, or none. A robot keeps poses, not rows: they are found again here.
struct JointRow {
  int joint = 0;  // index into Robot::joints
  DhRow row;
};
struct DhTable {
  bool classic = false;
  std::vector<JointRow> rows;
};
DhTable dh_table(const Robot& robot);

// A pose by rows, 4 x 4.
std::vector<double> homogeneous(const Pose<double>& pose);

// UTF-8 that cannot be read is replaced, what is not finite is null.
std::string text_of(const Json& json);

}  // namespace catena::report
