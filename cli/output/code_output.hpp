// Generated code: where it goes, and what it costs, for readers and as JSON.
#pragma once

#include <string>
#include <vector>

#include "catena/code.hpp"
#include "output/output.hpp"

namespace catena::cli {

// The source, then the files that go with it; empty: standard output, or a file for each function.
std::vector<std::string> files_of(const std::string& output, const LanguageInfo& language);
// To these files, or to standard output.
void write_code(const Code& code, const std::vector<std::string>& files);
// For languages that find a function by the name of its file: one file each, in the folder that `output` names; or that
// file, where there is one function. Returns the files. Throws UsageError; `force`: see require_own.
std::vector<std::string> write_functions(const std::vector<Program>& programs, const CodeOptions& code,
                                         const std::string& output, bool force);

Json summary(const std::vector<Program>& programs, const CodeOptions& code, const std::vector<std::string>& files);
std::string table_text(const std::vector<Program>& programs, const CodeOptions& code);

// One line for each function that is abridged.
std::string abridged_text(const std::vector<Program>& programs, const CodeOptions& code);

}  // namespace catena::cli
