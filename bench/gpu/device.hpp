// Arrays and time on the device, for the benchmark.
#pragma once

#include <cstddef>
#include <functional>
#include <string>

#include "engines/cuda/session.hpp"

namespace catena::bench {

class Device {
 public:
  explicit Device(int index);
  const gpu::SessionPointer& session() const { return session_; }
  gpu::DeviceMemory memory(std::size_t bytes) const { return gpu::DeviceMemory(session_, bytes); }
  void to_device(gpu::DevicePointer to, const void* from, std::size_t bytes) const;
  void to_host(void* to, gpu::DevicePointer from, std::size_t bytes) const;
  void poison(gpu::DevicePointer to, std::size_t bytes) const;  // with bytes that make no number
  void wait() const;
  // Median of milliseconds of the work, which goes to stream(), after three that are not counted.
  double milliseconds(int repeats, const std::function<void()>& work) const;
  gpu::Stream stream() const { return stream_.get(); }

  // Fills with numbers between -range and range, each its own.
  void fill(gpu::DevicePointer to, std::size_t count, bool single, double range, unsigned seed) const;
  // Makes entries 3 to 6 of every state, a quaternion, one of length 1.
  void normalize(gpu::DevicePointer q, std::size_t states, std::size_t state, std::size_t entry, bool single) const;
  // How many numbers are not finite.
  std::size_t not_finite(gpu::DevicePointer from, std::size_t count, bool single) const;
  // One thread a state reads `in` entries by columns and writes `out`: what memory allows.
  void move(std::size_t states, int in, int out, gpu::DevicePointer from, gpu::DevicePointer to, bool single) const;
  void copy(gpu::DevicePointer to, gpu::DevicePointer from, std::size_t bytes) const;

 private:
  gpu::Kernel kernel(const char* name, bool single) const;
  gpu::SessionPointer session_;
  gpu::OwnStream stream_;
  gpu::Kernel fill_[2], normalize_[2], count_[2], move_[2];
};

}  // namespace catena::bench
