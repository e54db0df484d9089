// Changes of a Robot that leave a Robot: what hangs on it, and which of its joints move.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "catena/model/robot.hpp"

namespace catena {

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

}  // namespace catena
