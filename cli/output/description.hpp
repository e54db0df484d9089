// The descriptions of a robot that info and check print.
#pragma once

#include <string>
#include <vector>

#include "catena/robot.hpp"
#include "output/output.hpp"

namespace catena::cli {

// name, dof, joints, mass, warnings (all of them, one string each) and the other keys of the description.
Json describe_json(const Robot& robot);

// The same for people, as tables, without the warnings, which go to stderr.
std::string describe_text(const Robot& robot);

// The joints without a motor.
std::vector<std::string> passive_joints(const Robot& robot);

}  // namespace catena::cli
