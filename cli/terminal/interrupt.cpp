#include "terminal/interrupt.hpp"

#include <initializer_list>

#include "system/ending.hpp"

namespace catena::cli {
namespace {

volatile std::sig_atomic_t raised = 0;

// Ends a running compiler too; otherwise the program would wait for it.
extern "C" void remember_signal(int) {
  raised = 1;
  system::end_programs();
}

extern "C" void tidy_up_and_end(int signal) {
  system::end_programs();
  system::remove_unfinished_files();
  ::raise(signal);  // the default handler is in place again
}

}  // namespace

bool interrupted() { return raised != 0; }

void tidy_up_at_signals() {
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
    struct sigaction action {
    }, old{};
    action.sa_handler = tidy_up_and_end;
    action.sa_flags = static_cast<int>(SA_RESETHAND);
    sigemptyset(&action.sa_mask);
    sigaction(signal, nullptr, &old);
    if (old.sa_handler != SIG_IGN) sigaction(signal, &action, nullptr);  // nohup relies on signals staying ignored
  }
}

InterruptGuard::InterruptGuard() {
  struct sigaction action {};
  action.sa_handler = remember_signal;
  sigemptyset(&action.sa_mask);
  sigaction(SIGINT, &action, &old_interrupt_);
  sigaction(SIGTERM, &action, &old_terminate_);
}

InterruptGuard::~InterruptGuard() {
  sigaction(SIGINT, &old_interrupt_, nullptr);
  sigaction(SIGTERM, &old_terminate_, nullptr);
}

}  // namespace catena::cli
