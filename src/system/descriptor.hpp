// File descriptors: one that its owner closes, and a function that writes a whole text. For the layers that write
// files.
#pragma once

#include <unistd.h>

#include <cerrno>
#include <string_view>
#include <utility>

#include "system/files.hpp"

namespace catena::system {

class Descriptor {
 public:
  explicit Descriptor(int descriptor = -1) : descriptor_(descriptor) {}
  ~Descriptor() { close(); }
  Descriptor(Descriptor&& other) noexcept : descriptor_(std::exchange(other.descriptor_, -1)) {}
  Descriptor& operator=(Descriptor&& other) noexcept {
    std::swap(descriptor_, other.descriptor_);
    return *this;
  }
  bool open() const { return descriptor_ >= 0; }
  int get() const { return descriptor_; }
  // False when written data may be lost.
  bool close() { return descriptor_ < 0 || ::close(std::exchange(descriptor_, -1)) == 0; }

 private:
  int descriptor_;
};

// False, with errno set, when not all of it could be written.
inline bool write_all(int descriptor, std::string_view text) {
  while (!text.empty()) {
    const std::ptrdiff_t put = write_some(descriptor, text.data(), text.size());
    if (put < 0 && errno == EINTR) continue;
    if (put <= 0) return false;
    text.remove_prefix(static_cast<std::size_t>(put));
  }
  return true;
}

}  // namespace catena::system
