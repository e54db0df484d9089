// Checks that the kernel of a program computes what the program specifies (engines/self_test.hpp).
#pragma once

#include "catena/gpu.hpp"
#include "catena/program.hpp"
#include "engines/cuda/kernel_layout.hpp"
#include "engines/cuda/session.hpp"

namespace catena::gpu {

// Runs a few states on the device. Throws GpuError.
template <class S>
void require_results(const SessionPointer& session, const Kernel& kernel, const Program& program,
                     KernelLayout kernel_layout);

}  // namespace catena::gpu
