#include "terminal/interrupt.hpp"

#include <csignal>

#include "system/ending.hpp"

namespace catena::cli {
namespace {

volatile std::sig_atomic_t raised = 0;

// Ends a running compiler too; otherwise the program would wait for it.
extern "C" void remember_signal(int signal) {
  raised = signal;
  system::end_programs();
}

extern "C" void tidy_up_and_end(int signal) {
  system::end_programs();
  system::remove_unfinished_files();
  std::raise(signal);  // the default handler is in place again
}

}  // namespace

bool interrupted() { return raised != 0; }

int status_of_signal() { return 128 + (raised != 0 ? static_cast<int>(raised) : SIGINT); }

void tidy_up_at_signals() { static const system::EndHandlers handlers(tidy_up_and_end, true); }

InterruptGuard::InterruptGuard() : handlers_(remember_signal, false) {}

}  // namespace catena::cli
