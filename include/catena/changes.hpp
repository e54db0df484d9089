// Robots made from other robots: payloads, locked joints, some links of a robot, and two robots joined into one.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "catena/robot.hpp"

namespace catena {

// Functions that change a Robot and return a Robot: what is attached to it, and which of its joints move.

struct JointValue {
  std::string joint;
  double value = 0.0;  // rad or m
};

// The robot with these joints fixed at these values; the others keep their order in q. A joint that mimics a locked one
// is locked too, at multiplier x value + offset, unless it has a value of its own. The tool does not change. There is a
// warning for a value outside the joint's limits and for a joint locked because it mimics. A locked joint is no longer
// in `independent` and `start`; closed loops have to be closed again. Throws ModelError for a name that no joint has or
// that occurs twice, a joint that is already fixed, and a value that is not finite.
Robot lock_joints(const Robot& robot, const std::vector<JointValue>& locks);

// The robot with a link "payload" ("payload_2", …) fixed to a link or frame; its mass centre and inertia are given in
// that frame. An empty name means the tool, which does not change. Throws ModelError for a frame that does not exist
// and for an inertia that validate() rejects.
Robot add_payload(const Robot& robot, std::string_view frame, const Inertial& payload);

// Elastic joints (JointDescription::elastic, docs/elastic-joints.md) put into links, joints and springs that every job
// knows. For a joint NAME, whose q stays that of its link and which is passive then, there are, on the same link and
// behind all other joints,
//
//   NAME_motor   θ, with the rotor, the friction, the torque offset and the limits of speed and effort of the joint
//   NAME_twist   follows q - θ, with the spring and the damping between the two
//   NAME_rotor   full coupling only: follows θ by the gear ratio, with the rotor as a body, which the link that carries
//                it has no more
//
// so that the coordinates are (q, θ). make_mechanism does it too. The robot itself where no joint is elastic. Throws
// ModelError if the robot is not valid.
Robot with_motors(const Robot& robot);
// The robot whose joints are all stiff: rotors turn with the links.
Robot with_stiff_joints(Robot robot);
bool has_elastic_joints(const Robot& robot);

// The robot with the mass and inertia of these links alone: their contribution to the model of the whole robot, which
// is the sum of the contributions of its links. Friction, rotors and springs belong to joints, not to links, so there
// are none, and no joint is elastic. There is no warning for joints that move nothing, but there is one for a link with
// neither mass nor inertia. Throws ModelError for a name that no link has.
Robot only_links(const Robot& robot, const std::vector<std::string>& names);

// Two robots become one: a gripper on a flange, an arm on a gantry, a load that swings from a hook.

// The robot a with the whole robot b attached to one of its links or frames, by a joint whose origin is given in that
// frame; the joint's parent and child are ignored. An empty frame means a's tool.
//
//   links, joints, frames   those of a, then those of b; the joint between comes before b's, so that q is a's, then
//                           the joint's own if it moves, then b's. b's base becomes an ordinary link, with its mass.
//   names   a's stay. A name of b that a also has gets `prefix`, by default b's name and "_": links and frames share a
//           namespace, joints have another. The new joint's name gets it too if a has a joint of that name; joints of b
//           give way to it. A joint without a name is named after b's base, "base_joint". Mimics follow their masters.
//   loops   those of a, then those of b, with their independent joints and where they start; they have to be closed
//           again. A loop of b that has the name of one of a's gets the prefix.
//   tool    b's, if b names one or has a joint that moves; else a's
//   name    "A with B"
//   gravity is a's; lenient if either of them is
//   warnings   those of both, unchanged, except for those that no longer hold, plus new ones
//
// Throws ModelError if a or b is not valid, for a frame that a does not have, for names that clash even with the
// prefix, and for a joint that validate() rejects.
Robot join(const Robot& a, std::string_view frame, const Robot& b, JointDescription joint,
           std::string_view prefix = {});

}  // namespace catena
