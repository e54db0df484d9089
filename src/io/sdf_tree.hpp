// The links and joints of an SDF file as a tree on the world, with closed loops where joints are left over.
#pragma once

#include <map>
#include <vector>

#include "io/sdf_joint.hpp"

namespace catena::io {

// `links`: of frames, the link of the robot, 0 for the world. Joints that point towards the world are turned round:
// their coordinates stay what they are.
void connect_sdf(SdfModel& shared, const SdfFrames& frames, const std::map<int, int>& links,
                 const std::vector<SdfJoint>& joints);

}  // namespace catena::io
