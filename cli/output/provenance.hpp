// What is needed to repeat a result: the command, the program, and the files that were read.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "output/output.hpp"

namespace catena::cli {

struct ReadFile {
  std::string use;                    // "model", "--log"
  std::string file;                   // "-": standard input
  std::optional<std::size_t> rows{};  // of a table
};
// {"command", "program", "instructions", "compiler", "date", "files": [{"use", "file", "rows", "bytes", "sha256"}, …]}
Json run_json(const std::vector<ReadFile>& files);

}  // namespace catena::cli
