// The gradient of weighted results on a graphics processor: what the backward pass of automatic differentiation asks
// for. docs/gpu.md.
#pragma once

#include <memory>
#include <span>
#include <string_view>

#include "catena/gpu/batch.hpp"

namespace catena {

// For a job r(x, …) whose derivatives are known (dynamics/derivatives.hpp), wᵀ ∂r/∂x for each of its inputs x: the
// kernel computes the matrices and sums their rows, and writes no matrix. S is double or float.
template <class S>
class GpuGradient {
 public:
  // Throws std::invalid_argument for a job without derivatives and a base that is not fixed, GpuError as GpuBatch.
  GpuGradient(const Mechanism& robot, std::string_view job, const GpuOptions& options = {});
  ~GpuGradient();
  GpuGradient(GpuGradient&&) noexcept;
  GpuGradient& operator=(GpuGradient&&) noexcept;

  // As GpuBatch::launch; `in` has the inputs of the job, then the weights of its results; `out` has an array for each
  // of the inputs, every one of size() numbers a state.
  void launch(std::size_t states, std::size_t stride, GpuLayout layout, std::span<const S* const> in,
              std::span<S* const> out, void* stream = nullptr);

  const std::vector<Input>& inputs() const;  // of the job
  std::size_t size() const;
  GpuKernelReport kernel(GpuLayout layout = GpuLayout::columns);  // compiles where needed

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

extern template class GpuGradient<double>;
extern template class GpuGradient<float>;

}  // namespace catena
