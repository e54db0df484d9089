// Ctrl-C as a question a loop can ask, so that it can finish its file.
#pragma once

#include <csignal>

namespace catena::cli {

// True once SIGINT or SIGTERM came while a guard was there.
bool interrupted();

// Catches SIGINT and SIGTERM while it lives. Reads are not restarted, so a program that waits for input notices.
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
