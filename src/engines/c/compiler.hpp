// Finds and identifies the system's C compiler, and runs it to build a shared library.
#pragma once

#include <functional>
#include <string>
#include <vector>

namespace catena::jit {

struct Compiler {
  std::vector<std::string> words;  // its path, and the arguments given with its name
  std::string identity;            // changes when the compiler is replaced
};

// `asked` with its arguments, or $CC, or the first of cc, gcc and clang on PATH. Throws CompileError.
Compiler find_compiler(const std::string& asked);

// Flags for a body of this many operations.
std::vector<std::string> flags_for(long instructions);

// Seconds that the compiler may take: those asked for, or of the environment, or the usual ones. Throws CompileError.
double seconds_allowed(double asked);

// Compiles `source` to `output`. A flag that the compiler rejects by name is left out. `tick` is called several times a
// second. Throws CompileError with the first line that says what is wrong.
void make_library(const Compiler& compiler, std::vector<std::string> flags, const std::string& source,
                  const std::string& output, double timeout, const std::function<void()>& tick);

// Identifies what -march=native depends on; empty when the system does not say.
std::string processor_identity();

}  // namespace catena::jit
