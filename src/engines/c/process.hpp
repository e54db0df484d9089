// Runs another program without a shell.
#pragma once

#include <functional>
#include <string>
#include <vector>

namespace catena::jit {

struct Finished {
  int status = -1;  // its exit status; -1: killed by a signal
  bool timed_out = false;
  std::string output;  // standard output and error, up to a maximum length
};

// Runs words[0], a path, with the others as arguments and an empty standard input. `tick` is called several times a
// second. After `timeout` seconds the program and its children are ended; they are also ended, shortly after, when this
// process ends for any reason. Throws CompileError when the program cannot be started.
Finished run_program(const std::vector<std::string>& words, double timeout, const std::function<void()>& tick);

}  // namespace catena::jit
