// A file that grows under a temporary name beside its own and takes its place when it is complete.
#pragma once

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <string>
#include <system_error>

#include "descriptor.hpp"

namespace catena::system {

// The file behind a chain of links, whether it exists or not: the file is replaced, and the links stay. Empty, and
// errno, when the chain does not end.
inline std::string behind_links(const std::string& path) {
  constexpr int most_links = 40;  // as the kernel has it
  std::filesystem::path file(path);
  for (int k = 0; k < most_links; ++k) {
    std::error_code no_link;
    const std::filesystem::path target = std::filesystem::read_symlink(file, no_link);
    if (no_link) return file.string();
    file = file.parent_path() / target;  // an absolute target stands for itself
  }
  errno = ELOOP;
  return {};
}

// A name beside `path` that nobody else has.
inline std::string temporary_beside(const std::string& path) {
  static std::atomic<unsigned> count{0};
  return path + "." + std::to_string(::getpid()) + "." + std::to_string(count++) + ".tmp";
}

class ReplacedFile {
 public:
  // Without a file, open() is false and errno says why.
  explicit ReplacedFile(const std::string& path) : final_name_(behind_links(path)) {
    if (final_name_.empty()) return;
    struct stat old {};
    const bool replaces = ::stat(final_name_.c_str(), &old) == 0;
    constexpr mode_t all = 0777;
    temporary_ = temporary_beside(final_name_);
    // As private as the old file from the first byte on; a new one is as the umask says.
    file_ = Descriptor(
        ::open(temporary_.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, replaces ? old.st_mode & all : mode_t{0666}));
    if (!file_.open()) {
      temporary_.clear();
    } else if (replaces) {
      ::fchmod(file_.get(), old.st_mode & all);
    }
  }
  ~ReplacedFile() {
    const int reason = errno;
    if (!temporary_.empty()) ::unlink(temporary_.c_str());
    errno = reason;
  }
  ReplacedFile(const ReplacedFile&) = delete;
  ReplacedFile& operator=(const ReplacedFile&) = delete;

  bool open() const { return file_.open(); }
  int get() const { return file_.get(); }
  const std::string& final_name() const { return final_name_; }

  // False, and errno, when it did not work: then the old file is still there.
  bool take_place() {
    if (!file_.close() || std::rename(temporary_.c_str(), final_name_.c_str()) != 0) return false;
    temporary_.clear();
    return true;
  }

 private:
  std::string final_name_, temporary_;
  Descriptor file_;
};

}  // namespace catena::system
