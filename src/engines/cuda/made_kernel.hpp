// From the text of a kernel to the kernel on a device, by NVRTC (engines/made_code.hpp).
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "catena/gpu.hpp"
#include "engines/cuda/session.hpp"
#include "engines/made_code.hpp"

namespace catena::gpu {

struct KernelText {
  engines::SourceText text;
  std::string function;
  int shared_bytes = 0;  // that a thread needs
};

struct MadeKernel {
  Kernel kernel;
  std::vector<std::string> formulations;  // by job
  EngineReport origin;

  // Of one of its jobs, by number.
  GpuKernelReport report(const std::string& job, std::size_t number = 0) const;
};

// `search`, `generating`: as engines::make_code has them. `test` throws GpuError where the kernel gives other results
// than it should.
MadeKernel make_kernel(const SessionPointer& session, const KernelText& usual,
                       const std::function<engines::SourceText()>& search, const GpuOptions& options,
                       const std::function<void(const Kernel&)>& test, const engines::Stopwatch& generating);

}  // namespace catena::gpu
