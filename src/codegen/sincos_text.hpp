// The sine and cosine that generated C brings along: the kernels of scalar/sincos.hpp as text.
#pragma once

#include <string>

#include "catena/code.hpp"

namespace catena {

// Static functions: `name_one(angle, &sine, &cosine)`, and where several angles go at once
// `name(angle, angle, …, sine, cosine)` with results in arrays.
std::string scalar_sincos_text(const std::string& name, const CodeOptions& options);
int angles_at_once(const CodeOptions& options);

// A static function `name_vector(&angle, &sine, &cosine, careful, &turns)` for one vector of lanes, after the types
// NAME_lanes and NAME_bits. To `turns` it adds the squares of the quarter turns: where a lane of it exceeds
// sincos_turns(), or is no number, some angle may have been beyond the kernel's range, and is right when `careful`.
std::string vector_sincos_text(const std::string& name, const CodeOptions& options);

std::string sincos_turns(const CodeOptions& options);

// States that one vector holds.
int lanes_of(const CodeOptions& options);

}  // namespace catena
