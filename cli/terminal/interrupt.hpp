// Signals that end the program: what is left behind then is removed. And Ctrl-C as a question a loop can ask, so that
// it can finish its file.
#pragma once

#include <csignal>

namespace catena::cli {

// From here on SIGINT, SIGTERM and SIGHUP end the program as ever, but no temporary file and no compiler stays behind.
void tidy_up_at_signals();

// True once SIGINT or SIGTERM came while a guard was there.
bool interrupted();

// Catches SIGINT and SIGTERM while it lives, and ends a compiler that runs then. Reads are not restarted, so a program
// that waits for input notices.
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
