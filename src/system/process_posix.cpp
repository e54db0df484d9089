#include "system/process.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#ifdef __linux__
#include <sys/syscall.h>
#endif

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <sstream>
#include <string_view>

#include "system/descriptor.hpp"
#include "system/ending.hpp"
#include "system/own_process.hpp"

extern char** environ;  // NOLINT(readability-redundant-declaration): not every system has it in a header

namespace catena::system {
namespace {

using Clock = std::chrono::steady_clock;
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
  char** variables;
  int output, errors, failure;  // for what the program prints, and for errno where it cannot be started
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
  ::dup2(plan.errors, 2);
  ::sigprocmask(SIG_SETMASK, &plan.mask, nullptr);
  ::execve(plan.words[0], plan.words, plan.variables);
  fail_to_start(plan);
}

// Waits up to this long for the program to end; true with its status if it does.
bool ends_within(pid_t program, int milliseconds, int& status) {
  sigset_t child;
  sigemptyset(&child);
  sigaddset(&child, SIGCHLD);
  if (::waitpid(program, &status, WNOHANG) == program) return true;
#ifdef __APPLE__  // which has no sigtimedwait
  constexpr timespec moment{0, 5'000'000L};
  for (int left = milliseconds; left > 0; left -= 5) {
    ::nanosleep(&moment, nullptr);
    if (::waitpid(program, &status, WNOHANG) == program) return true;
  }
#else
  const timespec wait{milliseconds / 1000, (milliseconds % 1000) * 1'000'000L};
  ::sigtimedwait(&child, nullptr, &wait);
#endif
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

// No other program inherits it; macOS cannot say so while opening.
int open_pipe(int* ends) {
#ifdef __APPLE__
  if (::pipe(ends) != 0) return -1;
  return ::fcntl(ends[0], F_SETFD, FD_CLOEXEC) | ::fcntl(ends[1], F_SETFD, FD_CLOEXEC);
#else
  return ::pipe2(ends, O_CLOEXEC);
#endif
}

struct Pipe {
  Descriptor from, to;
  explicit Pipe(const std::string& program) {
    int ends[2];
    if (open_pipe(ends) != 0) throw StartError("cannot start '" + program + "': " + std::strerror(errno));
    from = Descriptor(ends[0]);
    to = Descriptor(ends[1]);
  }
};

std::vector<char*> pointers(const std::vector<std::string>& texts) {
  std::vector<char*> out;
  for (const std::string& text : texts) out.push_back(const_cast<char*>(text.c_str()));
  out.push_back(nullptr);
  return out;
}

std::string_view name_of(std::string_view variable) { return variable.substr(0, variable.find('=')); }

std::vector<std::string> environment(const std::vector<std::string>& own) {
  std::vector<std::string> all = own;
  for (char** variable = environ; variable != nullptr && *variable != nullptr; ++variable)
    if (std::none_of(own.begin(), own.end(), [&](const std::string& o) { return name_of(o) == name_of(*variable); }))
      all.emplace_back(*variable);
  return all;
}

// Returns the keeper of the program; throws StartError where it cannot be started.
pid_t start(const Program& program, Pipe& output, Pipe& errors) {
  std::vector<char*> words = pointers(program.words);
  const std::vector<std::string> all_variables = environment(program.variables);
  std::vector<char*> variables = pointers(all_variables);
  Pipe failure(program.words[0]);
  Plan plan{words.data(),     variables.data(),
            output.to.get(),  program.errors_apart ? errors.to.get() : output.to.get(),
            failure.to.get(), {},
            ::getpid()};
  sigset_t all;
  sigfillset(&all);
  ::pthread_sigmask(SIG_SETMASK, &all, &plan.mask);  // no handler of this process runs in the keeper
  const pid_t keeper = ::fork();
  if (keeper == 0) keep(plan);
  int reason = errno;
  if (keeper > 0) ::setpgid(keeper, keeper);  // set by both processes, whichever runs first
  ::pthread_sigmask(SIG_SETMASK, &plan.mask, nullptr);
  output.to.close();
  errors.to.close();
  failure.to.close();
  ssize_t told = keeper < 0 ? 1 : 0;
  while (keeper > 0 && (told = ::read(failure.from.get(), &reason, sizeof reason)) < 0 && errno == EINTR) {
  }
  if (told > 0) {
    while (keeper > 0 && ::waitpid(keeper, nullptr, 0) < 0 && errno == EINTR) {
    }
    throw StartError("cannot start '" + program.words[0] + "': " + std::strerror(reason));
  }
  return keeper;
}

// Takes what can be read now; false where the other end is closed.
bool read_some(int descriptor, std::size_t most, std::string& to, bool& full) {
  char buffer[4096];
  const ssize_t got = ::read(descriptor, buffer, sizeof buffer);
  if (got <= 0) return got < 0 && errno == EINTR;
  if (to.size() < most)
    to.append(buffer, static_cast<std::size_t>(got));
  else
    full = true;
  return true;
}

// Reads until the other ends are closed (true), or the time is up, the program prints too much or the tick says so
// (false).
bool read_until(const Program& program, Pipe& output, Pipe& errors, Clock::time_point end, Finished& finished,
                const std::function<bool()>& tick) {
  pollfd waiting[] = {{output.from.get(), POLLIN, 0}, {errors.from.get(), POLLIN, 0}};
  std::string* const texts[] = {&finished.output, &finished.errors};
  while (waiting[0].fd >= 0 || waiting[1].fd >= 0) {
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(end - Clock::now()).count();
    if (left <= 0 || (finished.full && program.ends_when_full)) return false;
    const int ready = ::poll(waiting, 2, static_cast<int>(std::min<long long>(left, tick_ms)));
    if (!tick()) return false;
    if (ready < 0 && errno != EINTR) return true;
    for (std::size_t k = 0; ready > 0 && k < 2; ++k)
      if (waiting[k].fd >= 0 && waiting[k].revents != 0 &&
          !read_some(waiting[k].fd, program.most_output, *texts[k], finished.full))
        waiting[k].fd = -1;  // poll() passes over it
  }
  return true;
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

void ask_to_end(Group group) noexcept { ::kill(-static_cast<pid_t>(group), SIGTERM); }

Finished run_program(const Program& program, const std::function<void()>& tick) {
  std::exception_ptr stopped;  // by the tick: the program is ended first
  const auto guarded = [&] {
    try {
      if (tick) tick();
    } catch (...) {
      stopped = std::current_exception();
    }
    return !stopped;
  };
  Pipe output(program.words[0]), errors(program.words[0]);
  const unsigned ended_before = times_ended.load();
  const pid_t keeper = start(program, output, errors);
  const RunningGroup running(keeper, ended_before);
  Finished finished;
  const auto end =
      Clock::now() + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(program.timeout));
  int status = 0;
  if (!read_until(program, output, errors, end, finished, guarded) || !wait_until(keeper, end, status)) {
    finished.timed_out = !(finished.full && program.ends_when_full);
    ::kill(-keeper, SIGTERM);  // the compiler removes its own temporary files
    if (!wait_until(keeper, Clock::now() + std::chrono::milliseconds(grace_ms), status)) {
      ::kill(-keeper, SIGKILL);
      while (::waitpid(keeper, &status, 0) < 0 && errno == EINTR) {
      }
    }
  }
  if (stopped) std::rethrow_exception(stopped);
  finished.status = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  return finished;
}

std::string on_path(const std::string& name) {
  const auto can_run = [](const std::string& path) {
    struct stat about {};
    return ::stat(path.c_str(), &about) == 0 && S_ISREG(about.st_mode) && ::access(path.c_str(), X_OK) == 0;
  };
  if (name.find('/') != std::string::npos) return can_run(name) ? name : "";
  const char* path = std::getenv("PATH");  // NOLINT(concurrency-mt-unsafe): read only
  std::istringstream folders(path != nullptr ? path : "");
  for (std::string folder; std::getline(folders, folder, ':');)
    if (folder.starts_with('/') && can_run(folder + "/" + name)) return folder + "/" + name;
  return "";
}

}  // namespace catena::system
