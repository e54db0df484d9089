// What an MJCF file says about joints and bodies beside the tree: actuators, tendons, equalities, key frames.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "io/mjcf_element.hpp"

namespace catena::io {

// What was read of the tree, by the names of the file.
struct MjcfTree {
  struct Coordinate {
    std::string joint;  // empty: of several degrees of freedom
    std::size_t positions = 1;
  };
  std::map<std::string, std::size_t> joints;  // that turn or slide: index into Robot::joints
  std::map<std::string, double> references;   // their positions in the pose of the file
  std::map<std::string, int> bodies;          // link
  std::map<std::string, std::string> sites;   // frame
  std::vector<Pose<double>> places;           // of the links in the world, in the pose of the file
  std::vector<Coordinate> coordinates;        // in the order of MuJoCo's qpos
};

// Before joints are composed, so that the indices hold.
void read_actuators(MjcfModel& model, const MjcfTree& tree, const std::vector<const MjcfNode*>& sections);
void read_equalities(MjcfModel& model, const MjcfTree& tree, const std::vector<const MjcfNode*>& sections,
                     const std::vector<const MjcfNode*>& tendons);
// After them: the first key, where loops are closed from.
void read_keys(MjcfModel& model, const MjcfTree& tree, const std::vector<const MjcfNode*>& sections);

}  // namespace catena::io
