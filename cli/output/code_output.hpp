// What generated code costs, for readers and as JSON.
#pragma once

#include <string>
#include <vector>

#include "catena/code.hpp"
#include "output/output.hpp"

namespace catena::cli {

Json summary(const std::vector<Program>& programs, const CodeOptions& code, const std::vector<std::string>& files);
std::string table_text(const std::vector<Program>& programs, const CodeOptions& code);

// One line for each function that is abridged.
std::string abridged_text(const std::vector<Program>& programs, const CodeOptions& code);

}  // namespace catena::cli
