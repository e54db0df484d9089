// Compiled code against the graph it was made for, before anybody uses it: what an older generator left in the cache,
// or a compiler made wrong, is found out.
#pragma once

#include "catena/compile.hpp"
#include "catena/program.hpp"

namespace catena::jit {

// Runs both at a state where the graph has finite results. Throws CompileError when they differ, or when no such state
// is found: code that was not tested is not used.
void require_agreement(const Program& program, const CompiledFunction<double>& code);

}  // namespace catena::jit
