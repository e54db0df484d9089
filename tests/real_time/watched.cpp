#include "real_time/watched.hpp"

#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstddef>
#include <new>
#include <stdexcept>

namespace catena::test {
namespace {

constexpr int no_filter = 99;  // the child's status where the system has no seccomp

struct Shared {
  std::size_t at = 0;  // the call that runs
  Seen seen[1];        // one for each call
};
Shared* shared = nullptr;

void caught(int, siginfo_t* about, void*) {
  shared->seen[shared->at].system_call = about->si_syscall;
  ::_exit(0);
}

// From here on this process may only end.
bool catch_system_calls() {
  struct sigaction action {};
  action.sa_sigaction = caught;
  action.sa_flags = SA_SIGINFO;
  ::sigaction(SIGSYS, &action, nullptr);
  constexpr auto number = offsetof(seccomp_data, nr);
  sock_filter rules[] = {BPF_STMT(BPF_LD | BPF_W | BPF_ABS, number),
                         BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_exit_group, 0, 1),
                         BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW), BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_TRAP)};
  const sock_fprog filter{sizeof rules / sizeof rules[0], rules};
  return ::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 && ::prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter) == 0;
}

[[noreturn]] void run_from(std::size_t first, const std::vector<WatchedCall>& calls, int times) {
  if (!catch_system_calls()) ::_exit(no_filter);
  for (std::size_t k = first; k < calls.size(); ++k) {
    shared->at = k;
    Seen& seen = shared->seen[k];
    counted = {};
    try {
      for (int time = 0; time < times; ++time) calls[k].run();
    } catch (...) {
      seen.threw = true;
    }
    seen.counts = counted;
  }
  shared->at = calls.size();
  ::_exit(0);
}

}  // namespace

std::string Seen::words() const {
  std::string out;
  const auto add = [&](long count, const char* what) {
    if (count > 0) out += std::to_string(count) + " " + what + " ";
  };
  add(counts.heap, "of the heap");
  add(counts.locks, "locks");
  add(counts.made_late, "statics made");
  if (system_call >= 0) out += "system call " + std::to_string(system_call) + " ";
  return out + (threw ? "threw" : "");
}

std::vector<Seen> watched(const std::vector<WatchedCall>& calls, int times) {
  const std::size_t bytes = sizeof(Shared) + calls.size() * sizeof(Seen);
  void* memory = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) throw std::bad_alloc();
  shared = new (memory) Shared;
  for (std::size_t k = 0; k < calls.size(); ++k) new (&shared->seen[k]) Seen;
  for (std::size_t first = 0; first < calls.size(); first = shared->at + 1) {  // a child ends with the first it catches
    const pid_t child = ::fork();
    if (child == 0) run_from(first, calls, times);
    int status = 0;
    ::waitpid(child, &status, 0);
    if (WIFEXITED(status) && WEXITSTATUS(status) == no_filter) throw std::runtime_error("the system has no seccomp");
    if (!WIFEXITED(status))
      throw std::runtime_error("ended by signal " + std::to_string(WTERMSIG(status)) + " in " + calls[shared->at].name);
  }
  std::vector<Seen> all(shared->seen, shared->seen + calls.size());
  ::munmap(memory, bytes);
  return all;
}

}  // namespace catena::test
