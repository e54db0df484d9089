// The visual shapes of the links in a URDF file. Dynamics does not use them: a Robot does not keep them, and code that
// draws reads them here, from the file.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "catena/math/pose.hpp"
#include "catena/robot_file.hpp"

namespace catena {

struct Visual {
  std::string link;
  Pose<double> origin{};  // in the link frame
  enum class Shape { mesh, box, cylinder, sphere } shape = Shape::mesh;
  std::array<double, 3> size{1.0, 1.0, 1.0};     // mesh: scale; box: x, y, z; cylinder: radius, length; sphere: radius
  std::string file;                              // of a mesh, as named in the URDF file
  std::string path;                              // where it was found; empty: nowhere
  std::optional<std::array<double, 4>> color{};  // red, green, blue, alpha
};

// The shapes of a .urdf file or of what xacro makes of a .xacro file; none for a file that is not URDF: the caller has
// already read the robot. Meshes named in the ROS way, package://NAME/…, are looked for in the packages of
// io/packages.hpp and the folders above the file; file://… and other names by their path, relative to the file's
// folder.
std::vector<Visual> read_visuals(const std::string& path, const LoadOptions& options = {});

}  // namespace catena
