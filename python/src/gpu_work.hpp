// Work of any kind and precision on a graphics processor, on device arrays given by their addresses.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "loaded.hpp"

namespace catena::python {

struct GpuArray {
  std::string name;
  int rows = 0, columns = 1;
  bool is_matrix = false, is_number = false;

  std::size_t size() const { return std::size_t(rows) * std::size_t(columns); }
};

class GpuWork {
 public:
  virtual ~GpuWork() = default;
  const std::vector<GpuArray>& inputs() const { return inputs_; }
  const std::vector<GpuArray>& outputs() const { return outputs_; }
  virtual void launch(std::size_t states, std::size_t stride, GpuLayout layout, const std::vector<std::size_t>& in,
                      const std::vector<std::size_t>& out, void* stream) = 0;
  virtual GpuKernelReport kernel(GpuLayout layout) = 0;

 protected:
  std::vector<GpuArray> inputs_, outputs_;
};

struct GpuAsked {
  std::size_t job = 0;
  bool gradient = false;  // of the job's results, weighted by one more input, with respect to its inputs: GpuGradient
  bool single = false;
  std::string method{};
};
std::unique_ptr<GpuWork> make_gpu_work(const Loaded& robot, const GpuAsked& asked, const GpuOptions& options);

}  // namespace catena::python
