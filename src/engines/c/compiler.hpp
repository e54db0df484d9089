// The system's C compiler: found, named, asked to make a shared library.
#pragma once

#include <functional>
#include <string>
#include <vector>

namespace catena::jit {

struct Compiler {
  std::vector<std::string> words;  // its path, and the arguments that came with its name
  std::string identity;            // changes when another compiler takes its place
};

// `asked` with its arguments, or $CC, or the first of cc, gcc and clang on PATH. Throws CompileError.
Compiler find_compiler(const std::string& asked);

// Flags for a body of so many operations.
std::vector<std::string> flags_for(long instructions);

// Makes `output` of `source`. A flag that the compiler refuses by name is left out. `tick` is called several times a
// second. Throws CompileError with the first line that says what is wrong.
void make_library(const Compiler& compiler, std::vector<std::string> flags, const std::string& source,
                  const std::string& output, double timeout, const std::function<void()>& tick);

// What -march=native depends on; empty when this system does not tell.
std::string processor_identity();

}  // namespace catena::jit
