// Jobs over many states on several graphics processors: each takes a slice of the states. docs/gpu.md.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "catena/gpu/batch.hpp"

namespace catena {

template <class S>
class GpuSlices {
 public:
  // As GpuBatch, once for each of these devices; the one in the options is not read.
  GpuSlices(const Mechanism& robot, const std::vector<BatchJob>& jobs, const std::vector<int>& devices,
            const GpuOptions& options = {});

  // As GpuBatch::run. Where progress says stop, the states that count are those of the first slice.
  BatchReport run(std::size_t states, const BatchInputs<S>& in, std::span<const StateArray<S>> out,
                  const typename Batch<S>::Progress& progress = {});
  std::vector<GpuKernelReport> used() const { return batches_.front().used(); }

 private:
  std::vector<GpuBatch<S>> batches_;
};

extern template class GpuSlices<double>;
extern template class GpuSlices<float>;

}  // namespace catena
