// A file descriptor that is closed with its owner.
#pragma once

#include <unistd.h>

#include <utility>

namespace catena::jit {

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
  // False when what was written may be lost.
  bool close() { return descriptor_ < 0 || ::close(std::exchange(descriptor_, -1)) == 0; }

 private:
  int descriptor_;
};

}  // namespace catena::jit
