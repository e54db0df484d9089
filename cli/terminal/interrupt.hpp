// Signals that end the program: cleans up before it ends. Also lets a loop ask whether Ctrl-C was pressed, so that it
// can finish its file.
#pragma once

#include "system/own_process.hpp"

namespace catena::cli {

// From here on what ends the program ends it as usual, but leaves no temporary file and no compiler behind.
void tidy_up_at_signals();

// True once Ctrl-C was pressed, or the program was asked to end, while a guard existed.
bool interrupted();
// The exit status that says so: 128 and the signal, as shells have it.
int status_of_signal();

// Catches these while it lives, and then ends a running compiler. Interrupted reads are not restarted, so a program
// waiting for input notices the signal.
class InterruptGuard {
 public:
  InterruptGuard();

 private:
  system::EndHandlers handlers_;
};

}  // namespace catena::cli
