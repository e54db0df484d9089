// File descriptors that close themselves, and how their failures are told.
#pragma once

#include <fmt/format.h>

#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <string>
#include <string_view>
#include <utility>

#include "catena/model/validate.hpp"

namespace catena::io {

[[noreturn]] inline void fail(const std::string& file, const std::string& what) {
  throw ModelError(format_problems(file, {{0, what}}));
}
[[noreturn]] inline void fail_with_errno(const std::string& file, std::string_view what) {
  fail(file, fmt::format("{}: {}", what, std::strerror(errno)));
}

// A file descriptor that closes itself.
class File {
 public:
  explicit File(int descriptor) : descriptor_(descriptor) {}
  ~File() {
    if (descriptor_ >= 0) ::close(descriptor_);
  }
  File(const File&) = delete;
  File& operator=(const File&) = delete;

  bool open() const { return descriptor_ >= 0; }
  int get() const { return descriptor_; }
  bool close() { return ::close(std::exchange(descriptor_, -1)) == 0; }

 private:
  int descriptor_;
};

}  // namespace catena::io
