// xacro, the macro language in which most URDF files are written: run by the published program, not by Catena.
#pragma once

#include <string>
#include <string_view>

#include "catena/robot_file.hpp"

namespace catena::io {

// Whether an XML text has elements of xacro, outside comments.
bool is_xacro(std::string_view text);

// The text that xacro makes of a file, or of a text in memory that messages call `file`. Throws ModelError in one line:
// xacro is not installed, refuses the file, takes longer than a minute or writes more than 64 MiB.
std::string expand_xacro(std::string_view text, const std::string& file, bool is_on_disk, const LoadOptions& options);

}  // namespace catena::io
