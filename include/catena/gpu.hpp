// Graphics processors: which ones exist, jobs over many states, gradients, rollouts, and several devices at once.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "catena/batch.hpp"
#include "catena/code.hpp"

namespace catena {

// Graphics processors of this machine, through NVIDIA's driver and run-time compiler. Both are looked up only when
// needed: a program that uses this layer runs without them and says what is missing. docs/gpu.md.

// One line that says why a graphics processor cannot be used, or which error it returned.
class GpuError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

struct GpuDevice {
  int index = 0;
  std::string name;
  int major = 0, minor = 0;  // compute capability
  int multiprocessors = 0;
  std::size_t memory = 0;  // bytes

  std::string architecture() const { return std::to_string(major) + std::to_string(minor); }  // "90"
};

// What is available. For anything missing, a string gives the reason.
struct GpuSurvey {
  std::string driver_library, driver_version, no_driver;        // "libcuda.so.1", "13.0"
  std::string compiler_library, compiler_version, no_compiler;  // NVRTC
  std::vector<GpuDevice> devices;

  bool usable() const { return !devices.empty() && no_driver.empty(); }
};
GpuSurvey survey_gpus();  // never throws GpuError

// The number of the device that a stream (a CUstream) belongs to. Throws GpuError.
int device_of_stream(void* stream);

// "cuda", "cuda:1" or "cuda:0,cuda:1": the devices' numbers. Throws std::invalid_argument.
std::vector<int> parse_devices(const std::string& text);

// Jobs over many states on a graphics processor: any job of the table, one thread per state, by kernels that are
// generated for the robot and compiled on first use. docs/gpu.md.

struct GpuOptions {
  int device = 0;
  int frame = tool_frame;      // for jobs that take one
  bool search = true;          // search for the cheapest program, else use the usual choices
  bool share = true;           // one kernel for jobs requested together, if their results are few
  int together = 0;            // states per thread, in columns: at most 1, 2 or 4; 0: as many as its registers allow
  bool only_cached = false;    // compile nothing: what is not in the cache is an error
  std::string cache_folder{};  // as CompileOptions::cache_folder
  int block = 0;               // threads per block; 0: chosen by the occupancy that the driver reports
  int registers = 0;           // at most, per thread; 0: the compiler decides
  std::size_t staging = 0;     // bytes per block of host arrays in transfer; 0: 32 MiB
  int threads = 0;             // that copy host arrays; 0: one per core, up to 16
};

// How the numbers of the states are laid out in a device array.
enum class GpuLayout {
  columns,  // entry j of state k at [j * stride + k]: the fastest
  rows,     // at [k * entries + j]
};

// How one of the jobs runs.
struct GpuKernelReport {
  std::string job, formulation;
  int block = 0, registers = 0, local_bytes = 0;
  double occupancy = 0.0;  // share of the maximum number of threads on a multiprocessor
  bool from_cache = false;
  double generate_seconds = 0.0, compile_seconds = 0.0;
  int shared_by = 1;  // number of jobs in the same kernel
};

// S is double or float. Calls of one object from several threads must not overlap; those of several objects may.
template <class S>
class GpuBatch {
 public:
  // Throws std::invalid_argument as Batch does, and GpuError if there is no device, no compiler or no such kernel.
  GpuBatch(const Mechanism& robot, std::vector<BatchJob> jobs, const GpuOptions& options = {});
  ~GpuBatch();
  GpuBatch(GpuBatch&&) noexcept;
  GpuBatch& operator=(GpuBatch&&) noexcept;

  // Device arrays, one for each of inputs(), including the base motion, and outputs(). Returns once the work is queued
  // in the caller's stream (a CUstream; none: the default one), which must belong to the device. Nothing is copied or
  // checked: a state without a result has numbers that are not finite. The stride applies to columns, states <=
  // stride.
  void launch(std::size_t states, std::size_t stride, GpuLayout layout, std::span<const S* const> in,
              std::span<S* const> out, void* stream = nullptr);

  // Host arrays, as Batch::run, for any number of states: sent in blocks while others are computed and sent back.
  // States in doubt are recomputed on the CPU by the formulation, and that result counts.
  BatchReport run(std::size_t states, const BatchInputs<S>& in, std::span<const StateArray<S>> out,
                  const typename Batch<S>::Progress& progress = {});

  using Output = typename Batch<S>::Output;
  const std::vector<Output>& outputs() const;
  const std::vector<Input>& inputs() const;
  std::size_t size(Input input) const;  // numbers per state
  const GpuDevice& device() const;
  // One per job: the kernels for device arrays in this layout, compiled if necessary; and the kernels used last.
  std::vector<GpuKernelReport> kernels(GpuLayout layout = GpuLayout::columns);
  std::vector<GpuKernelReport> used() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

extern template class GpuBatch<double>;
extern template class GpuBatch<float>;

// The gradient of weighted results on a graphics processor: what the backward pass of automatic differentiation needs.
// docs/gpu.md.

// For a job r(x, …) with known derivatives (jobs/derivatives.hpp), wᵀ ∂r/∂x for each of its inputs x: the kernel
// computes the matrices and sums their weighted rows, and writes no matrix. S is double or float.
template <class S>
class GpuGradient {
 public:
  // Throws std::invalid_argument for a job without derivatives or a base that is not fixed, GpuError as GpuBatch.
  GpuGradient(const Mechanism& robot, std::string_view job, const GpuOptions& options = {});
  ~GpuGradient();
  GpuGradient(GpuGradient&&) noexcept;
  GpuGradient& operator=(GpuGradient&&) noexcept;

  // As GpuBatch::launch; `in` has the inputs of the job, then the weights of its results; `out` has one array for each
  // of the inputs, each with size() numbers per state.
  void launch(std::size_t states, std::size_t stride, GpuLayout layout, std::span<const S* const> in,
              std::span<S* const> out, void* stream = nullptr);

  const std::vector<Input>& inputs() const;  // of the job
  std::size_t size() const;
  GpuKernelReport kernel(GpuLayout layout = GpuLayout::columns);  // compiles if necessary

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

extern template class GpuGradient<double>;
extern template class GpuGradient<float>;

// Integrates the forward dynamics of many arms on a graphics processor, with the states in registers. docs/gpu.md.

struct RolloutOptions {
  RolloutLaw law = RolloutLaw::constant;
  RolloutScheme scheme = RolloutScheme::semi_implicit_euler;
  std::vector<double> kp{}, kd{};  // per joint, for laws with gains
};

// S is double or float.
template <class S>
class GpuRollout {
 public:
  // Throws std::invalid_argument if gains are missing, and GpuError as GpuBatch.
  GpuRollout(const Mechanism& robot, const RolloutOptions& rollout, const GpuOptions& options = {});
  ~GpuRollout();
  GpuRollout(GpuRollout&&) noexcept;
  GpuRollout& operator=(GpuRollout&&) noexcept;

  // Device arrays by columns; q and qd are changed in place. Target: tau of every arm (constant), the positions to
  // reach (pd, computed torque), or tau by rows of steps, the same for all arms (table).
  void launch(std::size_t arms, std::size_t stride, std::size_t steps, double step, const S* target, S* q, S* qd,
              void* stream = nullptr) const;
  // The same with host arrays; returns when it is done.
  void run(std::size_t arms, std::size_t steps, double step, std::span<const S> target, std::span<S> q,
           std::span<S> qd) const;

  GpuKernelReport kernel() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

extern template class GpuRollout<double>;
extern template class GpuRollout<float>;

// Jobs over many states on several graphics processors: each takes a slice of the states. docs/gpu.md.

template <class S>
class GpuSlices {
 public:
  // As GpuBatch, once for each of these devices; the device in the options is ignored.
  GpuSlices(const Mechanism& robot, const std::vector<BatchJob>& jobs, const std::vector<int>& devices,
            const GpuOptions& options = {});

  // As GpuBatch::run. If progress returns false, the report counts the states of the first slice only.
  BatchReport run(std::size_t states, const BatchInputs<S>& in, std::span<const StateArray<S>> out,
                  const typename Batch<S>::Progress& progress = {});
  std::vector<GpuKernelReport> used() const { return batches_.front().used(); }

 private:
  std::vector<GpuBatch<S>> batches_;
};

extern template class GpuSlices<double>;
extern template class GpuSlices<float>;

}  // namespace catena
