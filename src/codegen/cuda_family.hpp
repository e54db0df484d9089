// What all CUDA kernels have in common.
#pragma once

#include <string>

#include "catena/code.hpp"
#include "codegen/body.hpp"

namespace catena {

// The dialect without the storing of results; inputs are read earlier, under the names given by read_name().
Dialect cuda_dialect(const CodeOptions& options);
std::string read_name(const Argument& input, int k);  // "q_3"
// visit(input, k) for every entry that the body reads.
template <class Visitor>
void for_each_read(const Program& program, const Body& body, Visitor&& visit) {
  std::size_t entry = 0;
  for (const Argument& input : program.inputs)
    for (int k = 0; k < input.size(); ++k, ++entry)
      if (body.used_inputs[entry]) visit(input, k);
}

// The first line of every kernel: the index of the thread's state.
inline constexpr const char* cuda_thread =
    "  const unsigned long long k = (unsigned long long)blockIdx.x*blockDim.x + threadIdx.x;\n"
    "  if (k >= count) return;\n";

}  // namespace catena
