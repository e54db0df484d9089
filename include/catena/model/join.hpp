// Two robots become one: a gripper on a flange, an arm on a gantry, a load that swings from a hook.
#pragma once

#include <string_view>

#include "catena/model/robot.hpp"

namespace catena {

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
