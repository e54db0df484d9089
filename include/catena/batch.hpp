// Jobs over many states: any job of the table, several at once, on all cores, W states side by side in vectors. Arrays
// are read and written in place. docs/batches.md.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "catena/call.hpp"
#include "catena/compile.hpp"
#include "catena/state_array.hpp"

namespace catena {

struct BatchJob {
  std::string job;
  std::string formulation{};  // empty: the fastest
};

enum class BatchEngine {
  automatic,  // compiled code if it is cached or worth compiling, else generic
  generic,    // the formulations, W states at once
  compiled,   // code generated for the robot and compiled for this machine; generic if that is impossible
};
struct BatchEngineInfo {
  BatchEngine engine;
  std::string_view name;       // as typed
  std::string_view in_full{};  // also accepted
};
inline constexpr BatchEngineInfo batch_engines[] = {{BatchEngine::generic, "generic"},
                                                    {BatchEngine::compiled, "compiled"},
                                                    {BatchEngine::automatic, "auto", "automatic"}};
BatchEngine batch_engine(std::string_view name);  // throws std::invalid_argument with a list of the names
constexpr std::string_view batch_engine_name(BatchEngine engine) {
  for (const BatchEngineInfo& info : batch_engines)
    if (info.engine == engine) return info.name;
  return "";
}
// The engine if none is named: here, in Python and on the command line. Results then depend on the states and the
// machine, not on what a cache holds, and no compiler starts unless asked for.
inline constexpr BatchEngine default_engine = BatchEngine::generic;

struct BatchOptions {
  BatchEngine engine = default_engine;
  int threads = 0;                                 // 0: one per core
  int frame = tool_frame;                          // for jobs that take one
  std::vector<ExternalWrench<double>> wrenches{};  // the same in all states, for the jobs that use them
  std::size_t states = 0;                          // expected in total: `automatic` compiles above a certain number
  CompileOptions compile{};                        // its formulation and frame are ignored
};

// How one of the jobs runs.
struct BatchEngineReport : EngineReport {
  std::string formulation;
  int lanes = 1;  // states computed at once
};

struct BatchReport {
  std::size_t states = 0;        // computed: all, or as many as were done when progress returned false
  bool stopped = false;          // progress returned false
  std::size_t failed = 0;        // states without a result: not finite, or M is singular; all their outputs are NaN
  std::size_t first_failed = 0;  // the lowest of them, if any
  std::string why{};             // why that one failed
};

// S is double or float. One run at a time: a second one from another thread waits. Threads start when they are first
// needed and stay alive.
template <class S>
class Batch {
 public:
  // Throws std::invalid_argument if a job, a formulation or the frame does not exist, or a job is named twice.
  Batch(const Mechanism& robot, std::vector<BatchJob> jobs, const BatchOptions& options = {});
  ~Batch();
  Batch(Batch&&) noexcept;
  Batch& operator=(Batch&&) noexcept;

  // Called on the calling thread with the number of states done, now and then and at the end; returning false stops.
  using Progress = std::function<bool(std::size_t done)>;

  // One array for each output of each job, in the order of the jobs and of their descriptions; matrices by rows. They
  // must not overlap each other or an input. The base motion may be left out for a base at rest. A state's results
  // depend on that state alone, bit for bit: not on the number of threads, its neighbours or its position. Throws
  // std::invalid_argument if an array is missing or two states would be written to the same place, and passes on what a
  // progress function throws.
  BatchReport run(std::size_t states, const BatchInputs<S>& in, std::span<const StateArray<S>> out,
                  const Progress& progress = {});

  // One output of run().
  struct Output {
    const JobInfo* job;
    const OutputInfo* info;
    std::string name;  // unique among the outputs: output_name of job.hpp
    std::size_t rows, columns;
    std::size_t size() const { return rows * columns; }
  };
  const std::vector<Output>& outputs() const;
  const std::vector<Input>& inputs() const;               // those that at least one job takes, in the usual order
  std::size_t size(Input input) const;                    // numbers per state
  const std::vector<BatchEngineReport>& engines() const;  // by job
  int threads() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

extern template class Batch<double>;
extern template class Batch<float>;

}  // namespace catena
