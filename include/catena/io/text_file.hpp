// Text files that exist whole or not at all.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "catena/io/write_error.hpp"

namespace catena {

struct TextFile {
  std::string path;
  std::string_view text;
};

// Writes through temporary files beside the paths, then renames: all files or none. Throws WriteError; old files, if
// there were any, are then still there.
void write_text_files(const std::vector<TextFile>& files);
void write_text_file(const std::string& path, std::string_view text);

}  // namespace catena
