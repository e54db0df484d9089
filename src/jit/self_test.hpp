// Compiled code against the graph it was made for, at one state, before anybody uses it: what an older generator left
// in the cache, or a compiler made wrong, is found out.
#pragma once

#include "catena/codegen/program.hpp"

namespace catena::jit {

// The function of a library takes the inputs of the program as arrays, then the output.
bool agrees_with(const Program& program, void* function);

}  // namespace catena::jit
