// Text files that exist whole or not at all.
#pragma once

#include <string>
#include <string_view>

namespace catena {

// Writes through a temporary file beside `path`, then renames. Throws ModelError "PATH: what is wrong"; the old file,
// if there was one, is then still there.
void write_text_file(const std::string& path, std::string_view text);

}  // namespace catena
