// What a program would leave behind when a signal ends it: temporary files, and other programs that it started. They
// are recorded in static arrays, so that a signal handler can clean up. The library itself installs no handler.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "system/files.hpp"

namespace catena::system {

inline constexpr std::size_t longest_path = 4096;
struct TemporaryName {
  std::atomic<bool> taken{false}, complete{false};
  std::array<char, longest_path> path{};
};

inline constexpr std::size_t most_unfinished = 64;  // any beyond this number are left to the next run
inline std::array<TemporaryName, most_unfinished> unfinished_files;
// A program with everything that it started: a process group of POSIX, a job object of Windows. 0: a free entry.
using Group = std::intptr_t;
inline std::array<std::atomic<Group>, most_unfinished> running_groups{};
inline std::atomic<unsigned> times_ended{0};
void ask_to_end(Group group) noexcept;

// Asks the running programs to end: the compiler then removes its own temporary files. May be called by a signal
// handler.
inline void end_programs() noexcept {
  ++times_ended;
  for (const std::atomic<Group>& group : running_groups)
    if (const Group running = group.load(); running != 0) ask_to_end(running);
}

// May be called by a signal handler that ends the process.
inline void remove_unfinished_files() noexcept {
  for (const TemporaryName& name : unfinished_files)
    if (name.complete.load()) remove_file(name.path.data());
  for (const TemporaryName& name : unfinished_files)  // folders, empty now
    if (name.complete.load()) remove_folder(name.path.data());
}

// Records a file that a handler would remove; null where its name is too long or all entries are taken.
inline TemporaryName* note_unfinished(std::string_view path) noexcept {
  if (path.size() + 1 > longest_path) return nullptr;
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

// Records a group that a handler would end, as long as this lives. `ended_before` is times_ended from before its
// program was started: a handler that ran since then did not find the group, which is asked to end here.
class RunningGroup {
 public:
  RunningGroup(Group group, unsigned ended_before) noexcept {
    for (std::atomic<Group>& place : running_groups) {
      Group free = 0;
      if (!place.compare_exchange_strong(free, group)) continue;
      place_ = &place;
      break;
    }
    if (times_ended.load() != ended_before) ask_to_end(group);
  }
  ~RunningGroup() {
    if (place_ != nullptr) place_->store(0);
  }
  RunningGroup(const RunningGroup&) = delete;
  RunningGroup& operator=(const RunningGroup&) = delete;

 private:
  std::atomic<Group>* place_ = nullptr;
};

}  // namespace catena::system
