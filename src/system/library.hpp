// Libraries that are loaded while the program runs.
#pragma once

#include <string>

namespace catena::system {

// Null where it cannot be loaded, and in `why` one line; `is_missing`: there is no such file.
void* load_library(const std::string& path, std::string& why, bool& is_missing);
void* find_in_library(void* library, const char* symbol);  // null where there is none of that name
void unload_library(void* library);

}  // namespace catena::system
