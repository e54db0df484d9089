#include "catena/gpu.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <stdexcept>

#include "engines/cuda/program_kernel.hpp"
#include "engines/job_program.hpp"
#include "jobs/derivatives.hpp"

namespace catena {

template <class S>
struct GpuGradient<S>::Impl {
  Mechanism robot;
  GpuOptions options;
  const JobInfo *job, *derivatives;
  std::vector<std::size_t> order;  // for each result of `derivatives`, the input of the differentiation
  gpu::SessionPointer session;
  std::array<std::optional<gpu::ProgramKernel>, gpu::kernel_layouts> kernels;

  const gpu::ProgramKernel& kernel_for(gpu::KernelLayout kernel_layout);
};

template <class S>
const gpu::ProgramKernel& GpuGradient<S>::Impl::kernel_for(gpu::KernelLayout kernel_layout) {
  auto& kernel = kernels[kernel_layout.number()];
  if (!kernel) try {
      ProgramRequest request = engines::request_of(*derivatives, "", tool_frame);
      request.weighted = true;
      kernel = gpu::make_program_kernel<S>(session, robot, request, kernel_layout, options);
    } catch (const std::domain_error& error) {
      throw GpuError("no kernel for the gradient of " + std::string(job->name) + ": " + error.what());
    }
  return *kernel;
}

template <class S>
GpuGradient<S>::GpuGradient(const Mechanism& robot, std::string_view job, const GpuOptions& options)
    : impl_(std::make_unique<Impl>()) {
  const DerivativesInfo* const known = derivatives_of(job_info(job).name);
  if (known == nullptr) throw std::invalid_argument("the derivatives of '" + std::string(job) + "' are no job");
  if (robot.coordinates.is_free())
    throw std::invalid_argument("gradients with respect to the positions of a free base are not supported");
  if (robot.coordinates.is_moving())
    throw std::invalid_argument("gradients with respect to the motion of a base are not supported");
  impl_->robot = robot;
  impl_->options = options;
  impl_->job = &job_info(job);
  impl_->derivatives = &job_info(known->derivatives);
  for (const OutputInfo& output : impl_->derivatives->outputs)
    impl_->order.push_back(std::size_t(std::find(std::begin(known->by_input), std::end(known->by_input), output.name) -
                                       std::begin(known->by_input)));
  gpu::require_regular(robot, *impl_->derivatives);
  impl_->session = gpu::Session::open(options.device);
  if (size() == 0) throw GpuError("a robot without moving joints");
}
template <class S>
GpuGradient<S>::~GpuGradient() = default;
template <class S>
GpuGradient<S>::GpuGradient(GpuGradient&&) noexcept = default;
template <class S>
GpuGradient<S>& GpuGradient<S>::operator=(GpuGradient&&) noexcept = default;

template <class S>
void GpuGradient<S>::launch(std::size_t states, std::size_t stride, GpuLayout layout, std::span<const S* const> in,
                            std::span<S* const> out, void* stream) {
  gpu::require_arrays({in.size(), out.size()}, {inputs().size() + 1, inputs().size()}, layout, states, stride);
  std::array<const void*, gpu::most_arrays> pointers;
  std::size_t used = 0;
  for (const S* array : in) pointers[used++] = array;
  for (const std::size_t input : impl_->order) pointers[used++] = out[input];
  const auto arrays = std::span<const void* const>(pointers).first(used);
  if (std::find(arrays.begin(), arrays.end(), nullptr) != arrays.end())
    throw std::invalid_argument("an array of the gradient is not given");
  if (states == 0) return;
  const gpu::ProgramKernel& kernel =
      impl_->kernel_for(gpu::kernel_layout_for<S>(layout, states, stride, in, out, impl_->options));
  const gpu::Session::Current current(*impl_->session);
  impl_->session->require_stream(stream);
  kernel.launch(states, stride, arrays, stream);
}

template <class S>
const std::vector<Input>& GpuGradient<S>::inputs() const {
  return impl_->job->inputs;
}
template <class S>
std::size_t GpuGradient<S>::size() const {
  return std::size_t(impl_->robot.nv());
}
template <class S>
GpuKernelReport GpuGradient<S>::kernel(GpuLayout layout) {
  return impl_->kernel_for(gpu::kernel_layout_for<S>(layout, 0, 0, {}, {}, impl_->options))
      .made.report("gradient of " + std::string(impl_->job->name));
}

template class GpuGradient<double>;
template class GpuGradient<float>;

}  // namespace catena
