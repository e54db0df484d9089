// A robot whose base moves freely: a drone, a satellite, a legged robot. The Robot's first six joints leave the base
// free: three that slide and three that turn, with massless links between them. Robot::floating is their common name.
// They have neither limits nor drives.
#pragma once

#include <string>
#include <vector>

#include "catena/robot.hpp"

namespace catena {

// The robot with its former base free in a new link, the world. If that name is taken: world_2 and so on. Throws
// ModelError if the base is already free.
Robot on_free_base(Robot robot, const std::string& joint = "floating_base", const std::string& world = "world");

// Replaces one joint by six, JOINT_x to JOINT_rz, which become the first ones.
void set_free(Robot& robot, std::size_t joint);

// The reverse: name, ends and pose of a single joint, whose type is not used.
JointDescription free_joint(const Robot& robot);
// Whether a joint (by index) is one of the six, and a link one of those between them.
bool is_free_part(const Robot& robot, std::size_t joint);
bool is_between_free_parts(const Robot& robot, int link);

// The names of the entries of q: those of the joints, except for the quaternion of a free base.
std::vector<std::string> position_names(const Robot& robot);

}  // namespace catena
