// What info and check say about a robot.
#pragma once

#include <string>

#include "catena/model/robot.hpp"
#include "support/output.hpp"

namespace catena::cli {

// name, dof, joints, mass, warnings and the rest of the description.
Json describe_json(const Robot& robot);

// The same for people, as tables.
std::string describe_text(const Robot& robot);

// For commands that list the warnings on stdout: stderr gets them too, unless a person would read them twice.
void warn_beside_listing(const Robot& robot, bool json);

}  // namespace catena::cli
