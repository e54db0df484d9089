// Another program, run without a shell.
#pragma once

#include <functional>
#include <string>
#include <vector>

namespace catena::jit {

struct Finished {
  int status = -1;  // its exit status; -1: killed by a signal
  bool timed_out = false;
  std::string output;  // standard output and error, as far as kept
};

// Runs words[0], a path, with the others as arguments; its input is empty. `tick` is called several times a second.
// After `timeout` seconds it and what it started are ended, and so they are, soon, when this process ends in whatever
// way. Throws CompileError when it cannot be started.
Finished run_program(const std::vector<std::string>& words, double timeout, const std::function<void()>& tick);

}  // namespace catena::jit
