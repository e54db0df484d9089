#include "process.hpp"

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>

#include "../system/descriptor.hpp"
#include "catena/jit/compile.hpp"

extern char** environ;  // NOLINT(readability-redundant-declaration): not every system has it in a header

namespace catena::jit {

using system::Descriptor;
namespace {

using Clock = std::chrono::steady_clock;
constexpr std::size_t most_output = 64 * 1024;

// File actions and attributes of a start, freed with it.
struct Start {
  posix_spawn_file_actions_t actions{};
  posix_spawnattr_t attributes{};

  explicit Start(int output) {
    ::posix_spawn_file_actions_init(&actions);
    ::posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
    ::posix_spawn_file_actions_adddup2(&actions, output, 1);
    ::posix_spawn_file_actions_adddup2(&actions, output, 2);
    ::posix_spawnattr_init(&attributes);
    ::posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP);  // so that all of it can be killed
    ::posix_spawnattr_setpgroup(&attributes, 0);
  }
  ~Start() {
    ::posix_spawn_file_actions_destroy(&actions);
    ::posix_spawnattr_destroy(&attributes);
  }
  Start(const Start&) = delete;
  Start& operator=(const Start&) = delete;
};

// Reads until the other end is closed or the time is over; false then.
bool read_until(int descriptor, Clock::time_point end, std::string& output) {
  for (;;) {
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(end - Clock::now()).count();
    if (left <= 0) return false;
    pollfd waiting{descriptor, POLLIN, 0};
    const int ready = ::poll(&waiting, 1, static_cast<int>(std::min<long long>(left, 60'000)));
    if (ready < 0 && errno != EINTR) return true;
    if (ready <= 0) continue;
    char buffer[4096];
    const ssize_t got = ::read(descriptor, buffer, sizeof buffer);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return true;
    if (output.size() < most_output) output.append(buffer, static_cast<std::size_t>(got));
  }
}

// Its status, waiting for it no longer than the time allows.
bool wait_until(pid_t child, Clock::time_point end, int& status) {
  for (;;) {
    const pid_t done = ::waitpid(child, &status, WNOHANG);
    if (done == child || (done < 0 && errno != EINTR)) return true;
    if (Clock::now() >= end) return false;
    ::poll(nullptr, 0, 2);
  }
}

}  // namespace

Finished run_program(const std::vector<std::string>& words, double timeout) {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) throw CompileError("cannot start '" + words[0] + "': " + std::strerror(errno));
  const Descriptor from(ends[0]);
  Descriptor to(ends[1]);
  std::vector<char*> arguments;
  for (const std::string& word : words) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  const Start start(to.get());
  pid_t child = 0;
  const int failed =
      ::posix_spawn(&child, words[0].c_str(), &start.actions, &start.attributes, arguments.data(), environ);
  if (failed != 0) throw CompileError("cannot start '" + words[0] + "': " + std::strerror(failed));
  to.close();
  Finished finished;
  const auto end = Clock::now() + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(timeout));
  int status = 0;
  if (!read_until(from.get(), end, finished.output) || !wait_until(child, end, status)) {
    finished.timed_out = true;
    ::kill(-child, SIGKILL);
    while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
  }
  finished.status = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  return finished;
}

}  // namespace catena::jit
