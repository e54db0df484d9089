// The printers of the languages, and what their output files have in common.
#pragma once

#include <string>
#include <vector>

#include "catena/code.hpp"

namespace catena {

Code print_c(const std::vector<Program>& programs, const CodeOptions& options);
Code print_c_batch(const std::vector<Program>& programs, const CodeOptions& options);
Code print_cuda(const std::vector<Program>& programs, const CodeOptions& options);
Code print_python(const std::vector<Program>& programs, const CodeOptions& options);

// Lines without comment signs, unescaped: the caller escapes them for its language (escape.hpp).
std::vector<std::string> file_comment(const std::vector<Program>& programs, const CodeOptions& options);
std::vector<std::string> function_comment(const Program& program, const CodeOptions& options);

}  // namespace catena
