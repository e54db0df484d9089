// The visual shapes of the links in a robot file. Dynamics does not use them: a Robot does not keep them, and code that
// draws reads them here, from the file.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "catena/math/pose.hpp"
#include "catena/robot_file.hpp"
#include "io/reading.hpp"

namespace catena {

struct Visual {
  std::string link;
  Pose<double> origin{};  // in the link frame
  enum class Shape { mesh, box, cylinder, sphere, capsule, ellipsoid } shape = Shape::mesh;
  // mesh: scale; box: x, y, z; cylinder: radius, length; sphere: radius; capsule: radius, length without the ends;
  // ellipsoid: three radii
  std::array<double, 3> size{1.0, 1.0, 1.0};
  std::string file;                              // of a mesh, as named in the robot file
  std::string path;                              // where it was found; empty: nowhere
  std::string obj{};                             // OBJ text of a mesh that no file, or none that is drawn, holds
  std::optional<std::array<double, 4>> color{};  // red, green, blue, alpha
};

// The shapes of a robot file by its format; none for a format that has none, an unreadable file and standard input: the
// caller has already read the robot.
std::vector<Visual> read_visuals(const std::string& path, const LoadOptions& options = {});

namespace io {

// Meshes named in the ROS way, package://NAME/…, are looked for in the packages of io/packages.hpp and the folders
// above the file; file://… and other names by their path, relative to the file's folder.
std::vector<Visual> urdf_visuals(const RobotText& source);
std::vector<Visual> mjcf_visuals(const RobotText& source);
std::vector<Visual> sdf_visuals(const RobotText& source);

}  // namespace io

}  // namespace catena
