// The look of a robot's links for the page: Mesh of page/src/data.ts.
#pragma once

#include <string>
#include <vector>

#include "report/robot.hpp"

namespace catena::report {

// Of the URDF file that the robot is from; "": none. What is missing, too large or of a format that the page does not
// draw is said in `notes`, a sentence each.
Json meshes(const Robot& robot, const std::string& urdf_path, std::vector<std::string>& notes);

}  // namespace catena::report
