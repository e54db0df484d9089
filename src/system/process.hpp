// Runs another program without a shell.
#pragma once

#include <cstddef>
#include <functional>
#include <stdexcept>
#include <string>
#include <vector>

namespace catena::system {

struct Program {
  std::vector<std::string> words;        // a path, then the arguments
  std::vector<std::string> variables{};  // "NAME=VALUE", in place of those of this process or beside them
  double timeout = 60.0;                 // s
  std::size_t most_output = 64 * 1024;   // bytes that are kept
  bool errors_apart = false;             // standard error is kept by itself
  bool ends_when_full = false;           // the program is ended where it prints more than is kept
};

struct Finished {
  int status = -1;  // its exit status; -1: killed by a signal
  bool timed_out = false, full = false;
  std::string output, errors;
};

struct StartError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// Runs a program with an empty standard input. `tick` is called several times a second. When its time is up the program
// and its children are ended; they are also ended, shortly after, when this process ends for any reason. Throws
// StartError when the program cannot be started.
Finished run_program(const Program& program, const std::function<void()>& tick = {});

// The path at which a shell would find the program; empty: none. Skips relative folders of PATH.
std::string on_path(const std::string& name);

}  // namespace catena::system
