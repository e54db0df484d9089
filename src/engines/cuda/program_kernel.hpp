// Kernels of programs: one thread per state, arrays of the program's inputs and outputs.
#pragma once

#include "catena/program.hpp"
#include "engines/cuda/kernel_layout.hpp"
#include "engines/cuda/made_kernel.hpp"

namespace catena::gpu {

inline constexpr std::size_t most_arrays = 32;  // that a kernel has

struct ProgramKernel {
  MadeKernel made;
  KernelLayout kernel_layout;  // fewer states per thread than asked for, where more need too many registers

  // One pointer for each input and output of the program, in its order. The context is current.
  void launch(std::size_t states, std::size_t stride, std::span<const void* const> arrays, Stream stream) const;
  // More local memory than the reduction of large angles takes.
  bool spills() const { return made.kernel.local_bytes() > 64; }
};

// Throws GpuError, and std::domain_error where a formulation cannot be written as straight-line code.
template <class S>
ProgramKernel make_program_kernel(const SessionPointer& session, const Mechanism& robot, const ProgramRequest& asked,
                                  KernelLayout kernel_layout, const GpuOptions& options);

// How arrays of a caller are taken: several states per thread where their number, the stride and all places allow.
template <class S>
KernelLayout kernel_layout_for(GpuLayout layout, std::size_t states, std::size_t stride, std::span<const S* const> in,
                               std::span<S* const> out, const GpuOptions& options);

// Throws std::invalid_argument unless so many arrays are given as are needed, and the states fit the stride.
struct ArrayCounts {
  std::size_t in = 0, out = 0;
};
void require_arrays(ArrayCounts given, ArrayCounts needed, GpuLayout layout, std::size_t states, std::size_t stride);

// Throws GpuError for closed loops: a kernel finds no positions of joints that follow from them.
void require_tree(const Mechanism& robot);

// Throws GpuError for such a robot too, and where only the generic engine sees that the job has no result.
void require_regular(const Mechanism& robot, const JobInfo& job);

}  // namespace catena::gpu
