// The sine and cosine included in generated C code: the approximations of scalar/sincos.hpp as text.
#pragma once

#include <string>

#include "catena/code.hpp"

namespace catena {

// Static functions: `name_one(angle, &sine, &cosine)`, and where several angles are computed at once
// `name(angle, angle, …, sine, cosine)` with results in arrays.
std::string scalar_sincos_text(const std::string& name, const CodeOptions& options);
int angles_at_once(const CodeOptions& options);
// The same for Target::cortex_m, `name_one` alone; it needs <stdint.h>.
std::string cortex_m_sincos_text(const std::string& name);

// A static function `name_vector(&angle, &sine, &cosine, careful, &turns)` for one vector of lanes; it needs the types
// NAME_lanes and NAME_bits. It adds the squares of the quarter turns to `turns`: where a lane of that exceeds
// sincos_turns(), or is NaN, some angle may have been out of range, and is computed correctly with `careful`.
std::string vector_sincos_text(const std::string& name, const CodeOptions& options);

std::string sincos_turns(const CodeOptions& options);

// The number of states in one vector.
int lanes_of(const CodeOptions& options);

}  // namespace catena
