// The text of a robot file as its reader takes it.
#pragma once

#include <string>

#include "catena/robot_file.hpp"

namespace catena::io {

struct SourceText {
  std::string text;
  std::string name;  // in messages; that of a text which was made of a file ends in no ending of a format
};

// What a language makes of a text, where its format is one (RobotFormat::expand); else the text itself.
SourceText expanded(SourceText source, bool is_on_disk, const LoadOptions& options);
// The same of a file; "-": standard input. Throws ModelError.
SourceText read_source(const std::string& path, const LoadOptions& options);

}  // namespace catena::io
