// A robot whose base moves freely: a drone, a satellite, a legged robot. Of the Robot its first six joints are what
// leaves the base free, three that slide and three that turn, with massless links between; Robot::floating is the name
// that they have as one. They have neither limits nor drives.
#pragma once

#include <string>
#include <vector>

#include "catena/robot.hpp"

namespace catena {

// The robot with what was its base free in a link of its own, the world. Where that name is taken: world_2 and so on.
// Throws ModelError where the base is free already.
Robot on_free_base(Robot robot, const std::string& joint = "floating_base", const std::string& world = "world");

// Makes six joints of one, JOINT_x to JOINT_rz, which become the first.
void set_free(Robot& robot, std::size_t joint);

// And as one again: name, ends and place of a joint whose type is nobody's.
JointDescription free_joint(const Robot& robot);
// Whether a joint (by index) is one of the six, and a link one of those between.
bool is_free_part(const Robot& robot, std::size_t joint);
bool is_between_free_parts(const Robot& robot, int link);

// The names of the entries of q: those of the joints, but for the quaternion of a free base.
std::vector<std::string> position_names(const Robot& robot);

}  // namespace catena
