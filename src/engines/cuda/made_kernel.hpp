// Builds a kernel on a device from its text, with NVRTC (engines/made_code.hpp).
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
  int shared_bytes = 0;  // per thread
};

struct MadeKernel {
  Kernel kernel;
  std::vector<std::string> formulations;  // by job
  EngineReport origin;

  // The report on one of its jobs, by number.
  GpuKernelReport report(const std::string& job, std::size_t number = 0) const;
};

// `search`, `generating`: as for engines::make_code. `test` throws GpuError where the kernel's results differ from the
// expected ones.
MadeKernel make_kernel(const SessionPointer& session, const KernelText& usual,
                       const std::function<engines::SourceText()>& search, const GpuOptions& options,
                       const std::function<void(const Kernel&)>& test, const engines::Stopwatch& generating);

}  // namespace catena::gpu
