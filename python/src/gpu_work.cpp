#include "gpu_work.hpp"

#include "catena/gpu.hpp"

namespace catena::python {
namespace {

template <class T>
std::vector<T*> pointers(const std::vector<std::size_t>& addresses) {
  std::vector<T*> all;
  for (const std::size_t address : addresses) all.push_back(reinterpret_cast<T*>(address));
  return all;
}
GpuArray row(std::string_view name, std::size_t size) { return {std::string(name), int(size), 1, false, false}; }

template <class S>
class JobWork : public GpuWork {
 public:
  JobWork(const Mechanism& robot, const GpuAsked& asked, const GpuOptions& options)
      : own_(robot, {{std::string(jobs()[asked.job].name), asked.method}}, options) {
    for (const Input input : own_.inputs()) inputs_.push_back(row(info_of(input).name, own_.size(input)));
    for (const auto& output : own_.outputs())
      outputs_.push_back(
          {output.name, int(output.rows), int(output.columns), output.info->is_matrix(), output.info->is_number()});
  }
  void launch(std::size_t states, std::size_t stride, GpuLayout layout, const std::vector<std::size_t>& in,
              const std::vector<std::size_t>& out, void* stream) override {
    own_.launch(states, stride, layout, pointers<const S>(in), pointers<S>(out), stream);
  }
  GpuKernelReport kernel(GpuLayout layout) override { return own_.kernels(layout).front(); }

 private:
  GpuBatch<S> own_;
};

template <class S>
class GradientWork : public GpuWork {
 public:
  GradientWork(const Mechanism& robot, const GpuAsked& asked, const GpuOptions& options)
      : own_(robot, jobs()[asked.job].name, options) {
    for (const Input input : own_.inputs()) {
      inputs_.push_back(row(info_of(input).name, own_.size()));
      outputs_.push_back(row("by_" + std::string(info_of(input).name), own_.size()));
    }
    inputs_.push_back(row("weight", own_.size()));
  }
  void launch(std::size_t states, std::size_t stride, GpuLayout layout, const std::vector<std::size_t>& in,
              const std::vector<std::size_t>& out, void* stream) override {
    own_.launch(states, stride, layout, pointers<const S>(in), pointers<S>(out), stream);
  }
  GpuKernelReport kernel(GpuLayout layout) override { return own_.kernel(layout); }

 private:
  GpuGradient<S> own_;
};

template <class S>
std::unique_ptr<GpuWork> made(const Mechanism& robot, const GpuAsked& asked, const GpuOptions& options) {
  if (asked.gradient) return std::make_unique<GradientWork<S>>(robot, asked, options);
  return std::make_unique<JobWork<S>>(robot, asked, options);
}

}  // namespace

std::unique_ptr<GpuWork> make_gpu_work(const Loaded& robot, const GpuAsked& asked, const GpuOptions& options) {
  return asked.single ? made<float>(robot.mechanism, asked, options) : made<double>(robot.mechanism, asked, options);
}

}  // namespace catena::python
