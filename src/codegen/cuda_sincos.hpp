// The sine and cosine included in generated CUDA code, as text.
#pragma once

#include <string>
#include <vector>

#include "catena/code.hpp"

namespace catena {

// Device functions of one angle: `name_sincos(x, &sine, &cosine)`, branch-free; `name_turn(x)`, x minus whole turns;
// `name_far(x)`, the same for angles of any size, slow and never inlined.
std::string cuda_sincos_text(const std::string& name, const CodeOptions& options);

// The largest angle that name_sincos and name_turn support.
std::string cuda_sincos_limit(const CodeOptions& options);

}  // namespace catena
