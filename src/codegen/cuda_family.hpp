// What kernels of CUDA have in common.
#pragma once

#include <string>

#include "body.hpp"
#include "catena/codegen/code.hpp"

namespace catena {

// The dialect without the way results are stored; inputs are read before, under the names that read_name() gives.
Dialect cuda_dialect(const CodeOptions& options);
std::string read_name(const Argument& input, int k);  // "q_3"

// The first line of every kernel: which state a thread has.
inline constexpr const char* cuda_thread =
    "  const unsigned long long k = (unsigned long long)blockIdx.x*blockDim.x + threadIdx.x;\n"
    "  if (k >= count) return;\n";

}  // namespace catena
