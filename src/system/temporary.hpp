// Files under temporary names: NAME.PID.NUMBER.tmp beside NAME. They are removed by their owner, by a signal that ends
// the process where the program asks for that (system/ending.hpp), and, after a kill, when the same name is written
// the next time.
#pragma once

#include <atomic>
#include <cerrno>
#include <charconv>
#include <filesystem>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

#include "system/descriptor.hpp"
#include "system/ending.hpp"
#include "system/files.hpp"
#include "system/own_process.hpp"

namespace catena::system {

// NAME.PID.NUMBER, a unique name.
inline std::string temporary_stem(const std::string& name) {
  static std::atomic<unsigned> count{0};
  return name + "." + std::to_string(number_of_process()) + "." + std::to_string(count++);
}

// A file name whose file is removed with its owner.
class Temporary {
 public:
  Temporary() = default;
  explicit Temporary(std::string path) : path_(std::move(path)), noted_(note_unfinished(path_)) {}
  ~Temporary() { remove(); }
  Temporary(Temporary&& other) noexcept
      : path_(std::exchange(other.path_, {})), noted_(std::exchange(other.noted_, nullptr)) {}
  Temporary& operator=(Temporary&& other) noexcept {
    std::swap(path_, other.path_);
    std::swap(noted_, other.noted_);
    return *this;
  }

  const std::string& path() const { return path_; }
  // Creates the file. While open it is locked, which tells others that it is being written. Where it is not open, errno
  // says why, and the name belongs to another process.
  Descriptor create(Mode mode) {
    using namespace opening;
    Descriptor file(open_file(path_, to_read | to_write | make | only_new | no_link, mode));
    const int reason = errno;
    file.open() ? void(lock(file.get(), Lock::exclusive)) : forget();
    errno = reason;
    return file;
  }
  void remove() {
    const int reason = errno;
    if (!path_.empty()) remove_file(path_.c_str());
    forget();
    errno = reason;
  }
  bool rename(const std::string& name) {
    if (!rename_file(path_, name)) return false;
    forget();
    return true;
  }

 private:
  void forget() {
    forget_unfinished(std::exchange(noted_, nullptr));
    path_.clear();
  }

  std::string path_;
  TemporaryName* noted_ = nullptr;
};

// The process number in NAME.PID.NUMBER, 0 where there is none.
inline long owner_of(std::string_view stem) {
  const std::size_t last = stem.rfind('.');
  if (last == std::string_view::npos || last == 0) return 0;
  const std::size_t before = stem.rfind('.', last - 1);
  if (before == std::string_view::npos) return 0;
  const auto number = [](std::string_view digits) {
    long value = -1;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
    return error == std::errc{} && end == digits.data() + digits.size() ? value : -1;
  };
  const long owner = number(stem.substr(before + 1, last - before - 1));
  return number(stem.substr(last + 1)) >= 0 && owner > 0 ? owner : 0;
}

// Whether nobody writes the file any more: the process in its name is gone, and so is the lock of a process with the
// same number on another machine or in another container.
inline bool is_abandoned(long owner, const std::string& path) {
  if (owner == 0 || is_unfinished_here(path)) return false;
  if (owner != number_of_process() && process_exists(owner)) return false;
  const Descriptor file(open_file(path, opening::to_read | opening::no_link | opening::at_once));
  if (!file.open()) return errno == ENOENT;
  FileStatus about;
  return status_of(file.get(), about) && about.kind == FileStatus::Kind::regular && about.own &&
         lock(file.get(), Lock::shared);
}

// Removes the temporary files of `path` that killed processes left.
inline void remove_abandoned(const std::string& path) {
  constexpr std::string_view ending = ".tmp";
  const std::filesystem::path target(path);
  const std::filesystem::path folder = target.has_parent_path() ? target.parent_path() : ".";
  const std::string prefix = target.filename().string() + ".";
  std::error_code ignored;
  for (std::filesystem::directory_iterator file(folder, ignored), end; !ignored && file != end;
       file.increment(ignored)) {
    const std::string name = file->path().filename().string();
    if (!name.starts_with(prefix) || !name.ends_with(ending)) continue;
    const std::string_view stem = std::string_view(name).substr(0, name.size() - ending.size());
    if (stem.substr(prefix.size()).find_first_not_of("0123456789.") != std::string_view::npos) continue;
    const std::string found = (target.parent_path() / name).string();
    if (is_abandoned(owner_of(stem), found)) remove_file(found.c_str());
  }
}

}  // namespace catena::system
