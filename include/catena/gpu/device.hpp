// Graphics processors of this machine, by NVIDIA's driver and its run-time compiler. Both are looked for when they are
// asked for: a program that uses this layer runs without them, and says what is missing. docs/gpu.md.
#pragma once

#include <cstddef>
#include <stdexcept>
#include <string>
#include <vector>

namespace catena {

// One line that says why a graphics processor cannot be used, or what it answered.
class GpuError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

struct GpuDevice {
  int index = 0;
  std::string name;
  int major = 0, minor = 0;  // compute capability
  int multiprocessors = 0;
  std::size_t memory = 0;  // bytes

  std::string architecture() const { return std::to_string(major) + std::to_string(minor); }  // "90"
};

// What is here. Where something is not, its reason says why.
struct GpuSurvey {
  std::string driver_library, driver_version, no_driver;        // "libcuda.so.1", "13.0"
  std::string compiler_library, compiler_version, no_compiler;  // NVRTC
  std::vector<GpuDevice> devices;

  bool usable() const { return !devices.empty() && no_driver.empty(); }
};
GpuSurvey survey_gpus();  // never throws GpuError

// The number of the device to which a stream (a CUstream) belongs. Throws GpuError.
int device_of_stream(void* stream);

// "cuda", "cuda:1" or "cuda:0,cuda:1": the devices' numbers. Throws std::invalid_argument.
std::vector<int> parse_devices(const std::string& text);

}  // namespace catena
