// Signals that end the program: cleans up before it ends. Also lets a loop ask whether Ctrl-C was pressed, so that it
// can finish its file.
#pragma once

#include <csignal>

namespace catena::cli {

// From here on SIGINT, SIGTERM and SIGHUP end the program as usual, but leave no temporary file and no compiler behind.
void tidy_up_at_signals();

// True once SIGINT or SIGTERM arrived while a guard existed.
bool interrupted();

// Catches SIGINT and SIGTERM while it lives, and then ends a running compiler. Interrupted reads are not restarted, so
// a program waiting for input notices the signal.
class InterruptGuard {
 public:
  InterruptGuard();
  ~InterruptGuard();
  InterruptGuard(const InterruptGuard&) = delete;
  InterruptGuard& operator=(const InterruptGuard&) = delete;

 private:
  struct sigaction old_interrupt_ {
  }, old_terminate_{};
};

}  // namespace catena::cli
