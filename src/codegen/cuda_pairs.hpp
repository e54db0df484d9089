// Neighbouring states of one thread, in columns: an entry of all of them is read and written at once. Half the
// instructions that move numbers, and twice the length of what a warp writes to a place.
#pragma once

#include <string>

#include "catena/code.hpp"
#include "codegen/body.hpp"

namespace catena {

// A job as a function of one state, which the kernel then calls for each of its states.
std::string cuda_state_function(const Program& program, const Body& body, const CodeOptions& options);
// The statements of the kernel.
std::string cuda_together(const Program& program, const Body& body, const CodeOptions& options);

}  // namespace catena
