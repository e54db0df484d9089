// From text to a kernel on a device, by kernel_layout of the cache of compiled code.
#pragma once

#include <functional>
#include <string>

#include "catena/gpu.hpp"
#include "engines/cuda/session.hpp"

namespace catena::gpu {

struct Text {
  std::string source, function;
  std::string formulation;  // comes back from the cache
  int shared_bytes = 0;     // that a thread needs
};

struct MadeKernel {
  Kernel kernel;
  std::string formulation;
  bool from_cache = false;
  double generate_seconds = 0.0, compile_seconds = 0.0;

  GpuKernelReport report(const std::string& job) const;
};

// `usual` stands for the kernel in the cache; `final`, made only where it is not there, is what is compiled. `test`
// throws GpuError where the kernel gives other results than it should: one from the cache is then made anew.
MadeKernel make_kernel(const SessionPointer& session, const Text& usual, const std::function<Text()>& final,
                       const GpuOptions& options, const std::function<void(const Kernel&)>& test);

}  // namespace catena::gpu
