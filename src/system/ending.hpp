// What a program would leave behind when a signal ends it: temporary files, and other programs that it started. They
// are recorded in static arrays, so that a signal handler can clean up. The library itself installs no handler.
#pragma once

#include <signal.h>  // NOLINT(modernize-deprecated-headers): kill() is POSIX
#include <sys/types.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <climits>
#include <cstddef>
#include <string_view>

namespace catena::system {

struct TemporaryName {
  std::atomic<bool> taken{false}, complete{false};
  std::array<char, PATH_MAX> path{};
};

inline constexpr std::size_t most_unfinished = 64;  // any beyond this number are left to the next run
inline std::array<TemporaryName, most_unfinished> unfinished_files;
inline std::array<std::atomic<pid_t>, most_unfinished> running_groups{};  // process groups; 0: a free entry

// Asks the running programs to end: the compiler then removes its own temporary files. May be called by a signal
// handler.
inline void end_programs() noexcept {
  for (const std::atomic<pid_t>& group : running_groups)
    if (const pid_t running = group.load(); running > 0) ::kill(-running, SIGTERM);
}

// May be called by a signal handler that ends the process.
inline void remove_unfinished_files() noexcept {
  for (const TemporaryName& name : unfinished_files)
    if (name.complete.load()) ::unlink(name.path.data());
  for (const TemporaryName& name : unfinished_files)  // folders, empty now
    if (name.complete.load()) ::rmdir(name.path.data());
}

// Records a file that a handler would remove; null where its name is too long or all entries are taken.
inline TemporaryName* note_unfinished(std::string_view path) noexcept {
  if (path.size() + 1 > PATH_MAX) return nullptr;
  for (TemporaryName& name : unfinished_files) {
    if (name.taken.exchange(true)) continue;
    path.copy(name.path.data(), path.size());
    name.path[path.size()] = '\0';
    name.complete.store(true);
    return &name;
  }
  return nullptr;
}
inline void forget_unfinished(TemporaryName* name) noexcept {
  if (name == nullptr) return;
  name->complete.store(false);
  name->taken.store(false);
}
inline bool is_unfinished_here(std::string_view path) noexcept {
  for (const TemporaryName& name : unfinished_files)
    if (name.complete.load() && path == name.path.data()) return true;
  return false;
}

// Records a process group that a handler would end, as long as this lives.
class RunningGroup {
 public:
  explicit RunningGroup(pid_t group) noexcept {
    for (std::atomic<pid_t>& place : running_groups) {
      pid_t free = 0;
      if (!place.compare_exchange_strong(free, group)) continue;
      place_ = &place;
      return;
    }
  }
  ~RunningGroup() {
    if (place_ != nullptr) place_->store(0);
  }
  RunningGroup(const RunningGroup&) = delete;
  RunningGroup& operator=(const RunningGroup&) = delete;

 private:
  std::atomic<pid_t>* place_ = nullptr;
};

}  // namespace catena::system
