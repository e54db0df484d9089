// What a URDF file says of the look of its links. Dynamics knows nothing of it: a Robot does not keep it, and who draws
// reads it here, from the file.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "catena/math/pose.hpp"

namespace catena {

struct Visual {
  std::string link;
  Pose<double> origin{};  // in the link
  enum class Shape { mesh, box, cylinder, sphere } shape = Shape::mesh;
  std::array<double, 3> size{1.0, 1.0, 1.0};     // of a mesh its scale; x, y, z; radius, length; radius
  std::string file;                              // of a mesh, as the file names it
  std::string path;                              // where it was found; empty: nowhere
  std::optional<std::array<double, 4>> color{};  // red, green, blue, alpha
};

// Those of a .urdf file; none of a .toml file, of a file that cannot be read and of what is no URDF: who asks has read
// the robot before. Meshes are looked for as ROS names them, package://NAME/…, in the folders above the file and those
// of ROS_PACKAGE_PATH and AMENT_PREFIX_PATH; file://… and other names by their path, seen from the file's folder.
std::vector<Visual> read_visuals(const std::string& urdf_path);

}  // namespace catena
