// Neighbouring states in one thread, with arrays in columns: an entry of all these states is read and written at once.
// This halves the instructions that move numbers, and doubles the length of what a warp writes in one place.
#pragma once

#include <string>

#include "catena/code.hpp"
#include "codegen/body.hpp"

namespace catena {

// A job as a function of one state, which the kernel calls for each of its states.
std::string cuda_state_function(const Program& program, const Body& body, const CodeOptions& options);
// The statements of the kernel.
std::string cuda_together(const Program& program, const Body& body, const CodeOptions& options);

}  // namespace catena
