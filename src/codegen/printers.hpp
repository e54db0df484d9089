// The printers of the languages, and what their output files have in common.
#pragma once

#include <string>
#include <vector>

#include "catena/code.hpp"
#include "codegen/body.hpp"

namespace catena {

Code print_c(const std::vector<Program>& programs, const CodeOptions& options);
Code print_c_batch(const std::vector<Program>& programs, const CodeOptions& options);
Code print_cuda(const std::vector<Program>& programs, const CodeOptions& options);
Code print_c_for_casadi(const std::vector<Program>& programs, const CodeOptions& options);
Code print_python(const std::vector<Program>& programs, const CodeOptions& options);
Code print_casadi(const std::vector<Program>& programs, const CodeOptions& options);
Code print_matlab(const std::vector<Program>& programs, const CodeOptions& options);

// Whether languages with matrices have it as one.
inline bool as_matrix(const Argument& a) { return a.matrix && !a.packed; }

// Statements of Python, with the functions of this module: "np", "casadi".
Dialect python_dialect(const std::string& module);
// Lines with any content as a docstring.
std::string python_docstring(const std::vector<std::string>& lines, const std::string& indent);

// Lines without comment signs, unescaped: the caller escapes them for its language (escape.hpp).
std::vector<std::string> file_comment(const std::vector<Program>& programs, const CodeOptions& options);
std::vector<std::string> function_comment(const Program& program, const CodeOptions& options);

}  // namespace catena
