// Whether a file is a shared library from its beginning to its end. A loader maps what the file's headers announce, and
// a process that reads beyond the end of the file is ended by the system.
#pragma once

#include <string>

namespace catena::engines {

// False for a library that is cut off. Files of other formats, and other systems, are left to the loader.
bool is_whole_library(const std::string& path);

}  // namespace catena::engines
