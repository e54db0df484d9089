// Jobs over many states on a graphics processor: any job of the table, one thread a state, by kernels that are
// generated for the robot and compiled when they are first asked for. docs/gpu.md.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "catena/batch/batch.hpp"
#include "catena/gpu/device.hpp"

namespace catena {

struct GpuOptions {
  int device = 0;
  int frame = tool_frame;      // for jobs that take one
  bool search = true;          // look for the cheapest program, else take the usual choices
  bool share = true;           // one kernel for jobs that are asked for together, where their results are few
  int together = 0;            // states of a thread, in columns: 1, 2 or 4 at most; 0: what its registers allow
  bool only_cached = false;    // compile nothing: what is not in the cache is an error
  std::string cache_folder{};  // as CompileOptions::cache_folder
  int block = 0;               // threads of a block; 0: by the occupancy that the driver reports
  int registers = 0;           // of a thread at most; 0: as the compiler likes
  std::size_t staging = 0;     // bytes of a block of host arrays on its way; 0: 32 MiB
  int threads = 0;             // that copy host arrays; 0: one a core, up to 16
};

// How the numbers of states lie in an array of the device.
enum class GpuLayout {
  columns,  // entry j of state k at [j * stride + k]: the fastest
  rows,     // at [k * entries + j]
};

// How one of the jobs is run.
struct GpuKernelReport {
  std::string job, formulation;
  int block = 0, registers = 0, local_bytes = 0;
  double occupancy = 0.0;  // share of the threads that a multiprocessor can hold
  bool from_cache = false;
  double generate_seconds = 0.0, compile_seconds = 0.0;
  int shared_by = 1;  // jobs of the same kernel
};

// S is double or float. Calls of one object from several threads must not overlap; several objects may.
template <class S>
class GpuBatch {
 public:
  // Throws std::invalid_argument as Batch does, and GpuError where there is no device, no compiler or no such kernel.
  GpuBatch(const Mechanism& robot, std::vector<BatchJob> jobs, const GpuOptions& options = {});
  ~GpuBatch();
  GpuBatch(GpuBatch&&) noexcept;
  GpuBatch& operator=(GpuBatch&&) noexcept;

  // Arrays of the device, one for each of inputs(), a base that moves included, and outputs(). Returns when the work
  // stands in the caller's stream (a CUstream; none: the default one), which must belong to the device. Nothing is
  // copied or checked: a state without a result has numbers that are not finite. The stride is read for columns, states
  // <= stride.
  void launch(std::size_t states, std::size_t stride, GpuLayout layout, std::span<const S* const> in,
              std::span<S* const> out, void* stream = nullptr);

  // Arrays of the host, as Batch::run: sent in blocks, while others are computed and sent back; of any number of
  // states. States in doubt are computed again by the CPU's formulation, which decides.
  BatchReport run(std::size_t states, const BatchInputs<S>& in, std::span<const StateArray<S>> out,
                  const typename Batch<S>::Progress& progress = {});

  using Output = typename Batch<S>::Output;
  const std::vector<Output>& outputs() const;
  const std::vector<Input>& inputs() const;
  std::size_t size(Input input) const;  // numbers of one state
  const GpuDevice& device() const;
  // One for each job: of arrays of the device as they are best, compiled where needed, and of those used last.
  std::vector<GpuKernelReport> kernels(GpuLayout layout = GpuLayout::columns);
  std::vector<GpuKernelReport> used() const;

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

extern template class GpuBatch<double>;
extern template class GpuBatch<float>;

}  // namespace catena
