// How a kernel reads and writes arrays of states.
#pragma once

#include "catena/gpu.hpp"

namespace catena::gpu {

struct KernelLayout {
  GpuLayout layout = GpuLayout::columns;
  int states_per_thread = 1;  // neighbours: 1, 2 or 4

  std::size_t number() const {
    return layout == GpuLayout::rows ? 0 : states_per_thread == 1 ? 1 : states_per_thread == 2 ? 2 : 3;
  }
};
inline constexpr std::size_t kernel_layouts = 4;

}  // namespace catena::gpu
