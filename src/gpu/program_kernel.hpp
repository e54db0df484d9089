// Kernels of programs: one thread a state, arrays of the program's inputs and outputs.
#pragma once

#include "catena/codegen/program.hpp"
#include "workshop.hpp"

namespace catena::gpu {

inline constexpr std::size_t most_arrays = 32;  // that a kernel has

struct ProgramKernel {
  MadeKernel made;
  double generate_seconds = 0.0;

  // One pointer for each input and output of the program, in its order. The context is current.
  void launch(std::size_t states, std::size_t stride, std::span<const void* const> arrays, Stream stream) const;
  GpuKernelReport report(const std::string& jobs) const;
};

// Throws GpuError, and std::domain_error where a formulation cannot be written as straight-line code.
template <class S>
ProgramKernel make_program_kernel(const SessionPointer& session, const Mechanism& robot, const ProgramRequest& request,
                                  GpuLayout layout, const GpuOptions& options);

// Throws GpuError where only the generic engine sees that the job has no result.
void require_regular(const Mechanism& robot, const JobInfo& job);

}  // namespace catena::gpu
