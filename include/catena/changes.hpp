// Robots made of robots: payloads, locked joints, parts of a robot, and two robots joined to one.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "catena/robot.hpp"

namespace catena {

// Changes of a Robot that leave a Robot: what hangs on it, and which of its joints move.

struct JointValue {
  std::string joint;
  double value = 0.0;  // rad or m
};

// The robot with these joints fixed at these values; the others keep their order in q. A joint that mimics a locked one
// is locked with it, at multiplier x value + offset, unless it has a value of its own. The tool stays what it was. A
// value outside the joint's limits is a warning, and so is a joint that is locked because it mimics. Throws ModelError
// for a name that no joint has or that comes twice, a joint that is fixed already, and a value that is not finite.
Robot lock_joints(const Robot& robot, const std::vector<JointValue>& locks);

// The robot with a link "payload" ("payload_2", …) fixed to a link or frame; its mass centre and inertia are given in
// that frame. An empty name stands for the tool, which stays what it was. Throws ModelError for a frame that nobody has
// and for an inertia that validate() refuses.
Robot add_payload(const Robot& robot, std::string_view frame, const Inertial& payload);

// The robot with the mass and inertia of these links alone: what they add to the model of the whole robot, which is the
// sum of what its links add. Friction and rotors belong to joints, not to links: there are none. Joints that move
// nothing then get no warning; a link that has neither mass nor inertia does. Throws ModelError for a name that no link
// has.
Robot only_links(const Robot& robot, const std::vector<std::string>& names);

// Two robots become one: a gripper on a flange, an arm on a gantry, a load that swings from a hook.

// The robot a with the whole robot b on one of its links or frames, by a joint whose origin is given in that frame; the
// joint's parent and child are not read. An empty frame stands for a's tool.
//
//   links, joints, frames   those of a, then those of b; the joint between comes before b's, so that q is a's, the
//                           joint's own where it moves, b's. b's base is a link like any other, with its mass.
//   names   a's stay. A name of b that a has too gets `prefix` before it, by default b's name and "_": links and frames
//           share one room, joints have another. So does the new joint's name when a has a joint of it; b's joints make
//           way for it. A joint without a name is called after b's base, "base_joint". Mimics follow their masters.
//   tool    b's, where b names one or has a joint that moves; else a's stays what it was
//   name    "A with B"
//   gravity is a's; lenient where one of them is
//   warnings   of both, in their own words, less what no longer holds, and what is new
//
// Throws ModelError when a or b is not valid, for a frame that a does not have, for names that clash even with the
// prefix, and for a joint that validate() refuses.
Robot join(const Robot& a, std::string_view frame, const Robot& b, JointDescription joint,
           std::string_view prefix = {});

}  // namespace catena
