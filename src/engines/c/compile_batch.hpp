// Generated code for many states at once, compiled for the vectors of this machine. Batch (catena/batch.hpp) runs it.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

#include "catena/compile.hpp"
#include "catena/state_array.hpp"

namespace catena {

// A function compiled for one robot and one job. It takes the arrays of JobInfo::inputs_for(robot), in that order, and
// fills the job's outputs. Returns nonzero where a state has a result or an input that is not finite.
template <class S>
struct CompiledBatch {
  int (*function)(std::size_t states, const StateArray<const S>* in, const StateArray<S>* out) = nullptr;
  std::shared_ptr<const void> library;  // keeps the function loaded
  std::string formulation;
  int lanes = 1;  // states at once
  EngineReport report{};
};

// Like compile(), with S double or float.
template <class S>
CompiledBatch<S> compile_batch(const Mechanism& robot, std::string_view job, const CompileOptions& options = {});

}  // namespace catena
