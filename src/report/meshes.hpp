// The visual shapes of a robot's links for the page: Mesh of page/src/data.ts.
#pragma once

#include <string>
#include <vector>

#include "catena/robot_file.hpp"
#include "report/robot.hpp"

namespace catena::report {

// From the file of the robot; "": none. Each mesh that is missing, too large or in a format that the page cannot
// draw adds a sentence to `notes`.
Json meshes(const Robot& robot, const std::string& file, const LoadOptions& options, std::vector<std::string>& notes);

}  // namespace catena::report
