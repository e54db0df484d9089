// For readers that take a path: the input as a file in a folder that holds nothing else, and texts that name no file
// outside that folder.
#pragma once

#include <string>

#include "fuzz/targets.hpp"

namespace catena::fuzz {

// Of this process; removed at its end.
const std::string& own_folder();
// The path of a file there with these bytes.
std::string as_file(Input input, const std::string& name);

inline std::string as_text(Input input) { return {input.begin(), input.end()}; }
// The same, where no path in it leads out of the folder: no root, no "..", no slash or dot by its number.
std::string as_text_of_folder(Input input);

}  // namespace catena::fuzz
