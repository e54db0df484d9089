// Programs printed as source code: C99, C with vector types over batches, CUDA C, Python with NumPy.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "catena/codegen/program.hpp"

namespace catena {

enum class Language { c, c_batch, cuda, python };

enum class SineSource {
  built_in,      // ours, beyond its range the library's (math.h)
  library,       // sin and cos of math.h
  freestanding,  // ours alone: no header at all
};

struct CodeOptions {
  std::string name = "robot";  // functions are NAME_inverse, NAME_inertia, …
  Language language = Language::c;
  bool single_precision = false;
  SineSource sines = SineSource::built_in;
  int lanes = 0;  // c_batch: states at once; 0: 32 bytes worth
  std::string version = "";
};

struct Code {
  std::string source;
  std::string header;  // prototypes; empty where the language has none
};

// One file with a function for each program. The same programs and options give the same bytes.
Code print_code(const std::vector<Program>& programs, const CodeOptions& options);

// NAME_inverse; jobs that share a call are joined: NAME_inverse_inertia.
std::string function_name(const Program& program, const CodeOptions& options);

// A C identifier made of any text.
std::string identifier(std::string_view text);

// Bytes of local variables if none shares its place with another, as without optimization.
long stack_bound(const Program& program, const CodeOptions& options);

}  // namespace catena
