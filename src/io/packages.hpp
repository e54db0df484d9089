// Where ROS packages are, without a ROS installation: for package://NAME/… in URDF and $(find NAME) in xacro.
#pragma once

#include <map>
#include <string>
#include <vector>

namespace catena::io {

// Folders of packages by name, those of the earlier place where two have a name: in or below `folders`, around `file`
// (the package that it is in, and those beside that), in or below the folders of ROS_PACKAGE_PATH, and in share/ of
// AMENT_PREFIX_PATH. A package is a folder with a package.xml, which says its name; a folder right below one of
// `folders` also goes by its own. Throws ModelError where one of `folders` is none.
std::map<std::string, std::string> find_packages(const std::vector<std::string>& folders, const std::string& file);

// The entries of an environment variable that lists folders.
std::vector<std::string> listed_folders(const char* variable);

}  // namespace catena::io
