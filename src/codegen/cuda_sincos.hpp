// The sine and cosine that generated CUDA brings along, as text.
#pragma once

#include <string>
#include <vector>

#include "catena/code.hpp"

namespace catena {

// Device functions of one angle: `name_sincos(x, &sine, &cosine)` without a branch; `name_turn(x)`, x less whole turns;
// `name_far(x)`, the same for angles of any size, slow and never inlined.
std::string cuda_sincos_text(const std::string& name, const CodeOptions& options);

// Up to here name_sincos and name_turn serve.
std::string cuda_sincos_limit(const CodeOptions& options);

}  // namespace catena
