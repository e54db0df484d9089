#include "engines/c/process.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>

#include "catena/compile.hpp"
#include "system/descriptor.hpp"
#include "system/ending.hpp"

extern char** environ;  // NOLINT(readability-redundant-declaration): not every system has it in a header

namespace catena::jit {

using system::Descriptor;
namespace {

using Clock = std::chrono::steady_clock;
constexpr std::size_t most_output = 64 * 1024;
constexpr int grace_ms = 1000;  // from asking a program to end until it is killed
constexpr int tick_ms = 200;
constexpr int watch_ms = 50;  // how often the keeper checks that this process still exists

// --- In the keeper and the program: between fork() and exec() only async-signal-safe functions may be called. ---

void close_all() {
#ifdef SYS_close_range
  if (::syscall(SYS_close_range, 0U, ~0U, 0U) == 0) return;
#endif
  constexpr int most = 4096;
  for (int k = 0; k < most; ++k) ::close(k);
}

void usual_signals() {
  struct sigaction usual {};
  usual.sa_handler = SIG_DFL;
  for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGCHLD, SIGPIPE, SIGXFSZ}) ::sigaction(signal, &usual, nullptr);
}

struct Plan {
  char** words;
  int output, failure;  // for the program's output, and for errno where it cannot be started
  sigset_t mask;
  pid_t user;  // the process that runs it
};

[[noreturn]] void fail_to_start(const Plan& plan) {
  const int reason = errno;
  [[maybe_unused]] const ssize_t told = ::write(plan.failure, &reason, sizeof reason);
  ::_exit(127);
}

[[noreturn]] void become_program(const Plan& plan) {
  const int nothing = ::open("/dev/null", O_RDONLY | O_CLOEXEC);
  ::dup2(nothing, 0);
  ::dup2(plan.output, 1);
  ::dup2(plan.output, 2);
  ::sigprocmask(SIG_SETMASK, &plan.mask, nullptr);
  ::execve(plan.words[0], plan.words, environ);
  fail_to_start(plan);
}

// Waits up to this long for the program to end; true with its status if it does.
bool ends_within(pid_t program, int milliseconds, int& status) {
  sigset_t child;
  ::sigemptyset(&child);
  ::sigaddset(&child, SIGCHLD);
  if (::waitpid(program, &status, WNOHANG) == program) return true;
  const timespec wait{milliseconds / 1000, (milliseconds % 1000) * 1'000'000L};
  ::sigtimedwait(&child, nullptr, &wait);
  return ::waitpid(program, &status, WNOHANG) == program;
}

// The keeper leads the process group of the program and of everything it starts, and ends them when the user process is
// gone: a killed process cannot do that itself, and a compiler does not pass the signal on to its children.
[[noreturn]] void keep(const Plan& plan) {
  ::setpgid(0, 0);
  usual_signals();
  const pid_t program = ::fork();
  if (program == 0) become_program(plan);
  if (program < 0) fail_to_start(plan);
  close_all();
  int status = 0;
  while (!ends_within(program, watch_ms, status))
    if (::getppid() != plan.user) {
      ::kill(0, SIGTERM);  // blocked in this process
      ends_within(program, grace_ms, status);
      ::kill(0, SIGKILL);
    }
  if (WIFEXITED(status)) ::_exit(WEXITSTATUS(status));
  ::kill(0, SIGKILL);  // also kills the program's children and this process
  ::_exit(127);
}

// --- In the calling process. ---

struct Pipe {
  Descriptor from, to;
  explicit Pipe(const std::string& program) {
    int ends[2];
    if (::pipe2(ends, O_CLOEXEC) != 0) throw CompileError("cannot start '" + program + "': " + std::strerror(errno));
    from = Descriptor(ends[0]);
    to = Descriptor(ends[1]);
  }
};

// Returns the keeper of the program; throws CompileError where it cannot be started.
pid_t start(const std::vector<std::string>& words, Pipe& output) {
  std::vector<char*> arguments;
  for (const std::string& word : words) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  Pipe failure(words[0]);
  Plan plan{arguments.data(), output.to.get(), failure.to.get(), {}, ::getpid()};
  sigset_t all;
  ::sigfillset(&all);
  ::pthread_sigmask(SIG_SETMASK, &all, &plan.mask);  // no handler of this process runs in the keeper
  const pid_t keeper = ::fork();
  if (keeper == 0) keep(plan);
  int reason = errno;
  if (keeper > 0) ::setpgid(keeper, keeper);  // set by both processes, whichever runs first
  ::pthread_sigmask(SIG_SETMASK, &plan.mask, nullptr);
  output.to.close();
  failure.to.close();
  ssize_t told = keeper < 0 ? 1 : 0;
  while (keeper > 0 && (told = ::read(failure.from.get(), &reason, sizeof reason)) < 0 && errno == EINTR) {
  }
  if (told > 0) {
    while (keeper > 0 && ::waitpid(keeper, nullptr, 0) < 0 && errno == EINTR) {
    }
    throw CompileError("cannot start '" + words[0] + "': " + std::strerror(reason));
  }
  return keeper;
}

// Reads until the other end is closed (true) or the time is up (false).
bool read_until(int descriptor, Clock::time_point end, std::string& output, const std::function<void()>& tick) {
  for (;;) {
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(end - Clock::now()).count();
    if (left <= 0) return false;
    pollfd waiting{descriptor, POLLIN, 0};
    const int ready = ::poll(&waiting, 1, static_cast<int>(std::min<long long>(left, tick_ms)));
    tick();
    if (ready < 0 && errno != EINTR) return true;
    if (ready <= 0) continue;
    char buffer[4096];
    const ssize_t got = ::read(descriptor, buffer, sizeof buffer);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return true;
    if (output.size() < most_output) output.append(buffer, static_cast<std::size_t>(got));
  }
}

// Waits for the child's status until `end`; false when the time is up.
bool wait_until(pid_t child, Clock::time_point end, int& status) {
  for (;;) {
    const pid_t done = ::waitpid(child, &status, WNOHANG);
    if (done == child || (done < 0 && errno != EINTR)) return true;
    if (Clock::now() >= end) return false;
    ::poll(nullptr, 0, 2);
  }
}

}  // namespace

Finished run_program(const std::vector<std::string>& words, double timeout, const std::function<void()>& tick) {
  Pipe output(words[0]);
  const pid_t keeper = start(words, output);
  const system::RunningGroup running(keeper);
  Finished finished;
  const auto end = Clock::now() + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(timeout));
  int status = 0;
  if (!read_until(output.from.get(), end, finished.output, tick) || !wait_until(keeper, end, status)) {
    finished.timed_out = true;
    ::kill(-keeper, SIGTERM);  // the compiler removes its own temporary files
    if (!wait_until(keeper, Clock::now() + std::chrono::milliseconds(grace_ms), status)) {
      ::kill(-keeper, SIGKILL);
      while (::waitpid(keeper, &status, 0) < 0 && errno == EINTR) {
      }
    }
  }
  finished.status = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  return finished;
}

}  // namespace catena::jit
