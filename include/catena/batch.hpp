// Jobs over many states: any job of the table, several at once, on all cores, W states side by side in vectors. Arrays
// are read and written where they lie. docs/batches.md.
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
  automatic,  // compiled code where it is in the cache or worth compiling, else generic
  generic,    // the formulations, W states at once
  compiled,   // code generated for the robot, compiled for this machine; where that cannot be done, generic
};
struct BatchEngineInfo {
  BatchEngine engine;
  std::string_view name;       // as typed
  std::string_view in_full{};  // taken too
};
inline constexpr BatchEngineInfo batch_engines[] = {{BatchEngine::generic, "generic"},
                                                    {BatchEngine::compiled, "compiled"},
                                                    {BatchEngine::automatic, "auto", "automatic"}};
BatchEngine batch_engine(std::string_view name);  // throws std::invalid_argument that lists them
constexpr std::string_view batch_engine_name(BatchEngine engine) {
  for (const BatchEngineInfo& info : batch_engines)
    if (info.engine == engine) return info.name;
  return "";
}
// What runs where nobody names an engine: here, in Python and on the command line. Results then depend on the states
// and the machine, not on what a cache happens to hold, and no compiler is started unasked.
inline constexpr BatchEngine default_engine = BatchEngine::generic;

struct BatchOptions {
  BatchEngine engine = default_engine;
  int threads = 0;                                 // 0: one a core
  int frame = tool_frame;                          // for jobs that take one
  std::vector<ExternalWrench<double>> wrenches{};  // the same in all states, for the jobs that take them
  std::size_t states = 0;                          // expected in all: from how many on `automatic` compiles
  CompileOptions compile{};                        // its formulation and frame are not read
};

// How one of the jobs is run.
struct BatchEngineReport : EngineReport {
  std::string formulation;
  int lanes = 1;  // states at once
};

struct BatchReport {
  std::size_t states = 0;        // computed: all, or the first so many where progress said stop
  bool stopped = false;          // progress said stop
  std::size_t failed = 0;        // states without a result: not finite, or M singular; all their outputs are NaN
  std::size_t first_failed = 0;  // the lowest of them, where there are any
  std::string why{};             // of that one
};

// S is double or float. One run at a time: a second one from another thread waits. The threads are started when they
// are first of use and kept.
template <class S>
class Batch {
 public:
  // Throws std::invalid_argument when a job, a formulation or the frame does not exist, or a job is named twice.
  Batch(const Mechanism& robot, std::vector<BatchJob> jobs, const BatchOptions& options = {});
  ~Batch();
  Batch(Batch&&) noexcept;
  Batch& operator=(Batch&&) noexcept;

  // Told on the calling thread how many states are done, now and then and at the end; false: stop.
  using Progress = std::function<bool(std::size_t done)>;

  // One array for each output of each job, in the order of the jobs and of their descriptions; matrices by rows. They
  // must not overlap one another or an input; what is told of a base that moves may be left out, where it is at rest.
  // A state's results depend on that state alone, bit for bit: not on the number of threads, its neighbours or where it
  // stands. Throws std::invalid_argument when an array is missing or two states would be written to one place, and what
  // a progress function throws.
  BatchReport run(std::size_t states, const BatchInputs<S>& in, std::span<const StateArray<S>> out,
                  const Progress& progress = {});

  // One place for an output of run().
  struct Output {
    const JobInfo* job;
    const OutputInfo* info;
    std::string name;  // among the others': job.hpp's output_name
    std::size_t rows, columns;
    std::size_t size() const { return rows * columns; }
  };
  const std::vector<Output>& outputs() const;
  const std::vector<Input>& inputs() const;               // that one of the jobs takes, in their usual order
  std::size_t size(Input input) const;                    // numbers of one state
  const std::vector<BatchEngineReport>& engines() const;  // by job
  int threads() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

extern template class Batch<double>;
extern template class Batch<float>;

}  // namespace catena
