#include "support/interrupt.hpp"

namespace catena::cli {
namespace {

volatile std::sig_atomic_t raised = 0;

extern "C" void remember_signal(int) { raised = 1; }

}  // namespace

bool interrupted() { return raised != 0; }

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
