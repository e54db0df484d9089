// A joint of an SDF file: what it joins, where, and the motions of one degree of freedom that it is made of.
#pragma once

#include <string>
#include <vector>

#include "io/sdf_frames.hpp"

namespace catena::io {

struct SdfMotion {
  std::string name{};
  JointType type = JointType::revolute;
  Vec3<double> axis{0.0, 0.0, 1.0};  // joint frame
  JointLimits limits{};
  JointDrive drive{};
  Coupling coupling{};
};

struct SdfJoint {
  int frame = 0;  // of SdfFrames
  std::string name, type;
  int parent = -1, child = -1;           // links of SdfFrames, 0: the world
  Pose<double> origin{}, child_frame{};  // joint frame in the parent link, child link in the joint frame
  std::vector<SdfMotion> motions;        // parent to child; of a gearbox, its two axes
  bool is_cut = false;                   // rather this one closes a loop than another
};

SdfJoint read_sdf_joint(const SdfFrames& frames, int frame);

}  // namespace catena::io
