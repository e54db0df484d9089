// Files that a command writes at once.
#pragma once

#include <string>

namespace catena::cli {

// The whole text or no file: it takes its name when it is complete. Links are followed; a device or pipe is written to
// as it is. Throws std::runtime_error when it cannot be written.
void write_text_file(const std::string& path, const std::string& text);

}  // namespace catena::cli
