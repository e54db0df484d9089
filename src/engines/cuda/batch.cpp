#include "catena/gpu.hpp"

#include <algorithm>
#include <numeric>

#include "engines/cuda/batch_impl.hpp"

namespace catena {
namespace {

BatchOptions generic(const GpuOptions& options) {
  BatchOptions cpu;
  cpu.engine = BatchEngine::generic;
  cpu.threads = 1;
  cpu.frame = options.frame;
  return cpu;
}

// Jobs share a kernel where they have few results: then the inputs and sines they share are much of the work.
constexpr std::size_t few_results = 160;

}  // namespace

template <class S>
GpuBatch<S>::Impl::Impl(const Mechanism& given, std::vector<BatchJob> asked, const GpuOptions& chosen)
    : robot(given),
      jobs(std::move(asked)),
      options(chosen),
      cpu(robot, jobs, generic(options)),
      session(gpu::Session::open(options.device)) {
  for (const BatchJob& job : jobs) infos.push_back(&job_info(job.job));
  if (sizes_of(robot).velocities == 0) throw GpuError("a robot without moving joints");
}

template <class S>
auto GpuBatch<S>::Impl::make(std::vector<std::size_t> which, gpu::KernelLayout kernel_layout) const -> JobsKernel {
  ProgramRequest request;
  request.frame = tool_frame;
  for (const std::size_t k : which) {
    gpu::require_regular(robot, *infos[k]);
    request.jobs.push_back(jobs[k].job);
    if (!jobs[k].formulation.empty()) request.formulations.push_back(jobs[k].formulation);
    if (infos[k]->takes_frame) request.frame = options.frame;
  }
  return {std::move(which), gpu::make_program_kernel<S>(session, robot, request, kernel_layout, options)};
}

template <class S>
bool GpuBatch<S>::Impl::may_share() const {
  std::size_t results = 0, chosen = 0;
  for (const auto& output : cpu.outputs()) results += output.size();
  for (const BatchJob& job : jobs) chosen += job.formulation.empty() ? 0 : 1;
  const std::size_t arrays = cpu.inputs().size() + cpu.outputs().size();
  return options.share && jobs.size() > 1 && arrays <= gpu::most_arrays && results <= few_results &&
         (chosen == 0 || chosen == jobs.size());
}

template <class S>
auto GpuBatch<S>::Impl::kernels_for(gpu::KernelLayout kernel_layout) -> const std::vector<JobsKernel>& {
  std::vector<JobsKernel>& found = kernels[kernel_layout.number()];
  if (!found.empty()) return found;
  if (may_share()) try {
      std::vector<std::size_t> all(jobs.size());
      std::iota(all.begin(), all.end(), std::size_t(0));
      JobsKernel kernel = make(std::move(all), kernel_layout);
      if (!kernel.own.spills()) found.push_back(std::move(kernel));
    } catch (const std::domain_error&) {  // one of the jobs cannot be written: its own kernel shows which
    }
  if (!found.empty()) return found;
  std::vector<JobsKernel> made;
  for (std::size_t k = 0; k < jobs.size(); ++k) try {
      made.push_back(make({k}, kernel_layout));
    } catch (const std::domain_error& error) {  // a formulation that cannot be written as straight-line code
      throw GpuError("no kernel for " + jobs[k].job + ": " + error.what());
    }
  return found = std::move(made);
}

template <class S>
void GpuBatch<S>::Impl::launch(std::size_t states, std::size_t stride, gpu::KernelLayout kernel_layout,
                               std::span<const S* const> in, std::span<S* const> out, gpu::Stream stream) {
  const Sizes sizes = sizes_of(robot);
  std::size_t next = 0;
  latest = kernel_layout;
  for (const JobsKernel& kernel : kernels_for(kernel_layout)) {
    std::array<const void*, gpu::most_arrays> arrays;
    std::size_t used = 0;
    for (std::size_t i = 0; i < in.size(); ++i) {
      const Input input = cpu.inputs()[i];
      const auto takes = [&](std::size_t k) { return infos[k]->takes(input, sizes); };
      if (std::any_of(kernel.jobs.begin(), kernel.jobs.end(), takes)) arrays.at(used++) = in[i];
    }
    for (const std::size_t k : kernel.jobs)
      for (std::size_t o = 0; o < infos[k]->outputs.size(); ++o) arrays.at(used++) = out[next++];
    kernel.own.launch(states, stride, std::span(arrays).first(used), stream);
  }
}

template <class S>
GpuBatch<S>::GpuBatch(const Mechanism& robot, std::vector<BatchJob> jobs, const GpuOptions& options)
    : impl_(std::make_unique<Impl>(robot, std::move(jobs), options)) {}
template <class S>
GpuBatch<S>::~GpuBatch() = default;
template <class S>
GpuBatch<S>::GpuBatch(GpuBatch&&) noexcept = default;
template <class S>
GpuBatch<S>& GpuBatch<S>::operator=(GpuBatch&&) noexcept = default;

template <class S>
void GpuBatch<S>::launch(std::size_t states, std::size_t stride, GpuLayout layout, std::span<const S* const> in,
                         std::span<S* const> out, void* stream) {
  gpu::require_arrays({in.size(), out.size()}, {inputs().size(), outputs().size()}, layout, states, stride);
  if (states == 0) return;
  for (std::size_t k = 0; k < in.size(); ++k)
    if (in[k] == nullptr) throw std::invalid_argument(std::string(info_of(inputs()[k]).name) + " is not given");
  for (std::size_t k = 0; k < out.size(); ++k)
    if (out[k] == nullptr && outputs()[k].size() > 0) throw std::invalid_argument("no array for " + outputs()[k].name);
  const gpu::KernelLayout kernel_layout = gpu::kernel_layout_for<S>(layout, states, stride, in, out, impl_->options);
  impl_->kernels_for(kernel_layout);
  const gpu::Session::Current current(*impl_->session);
  impl_->session->require_stream(stream);
  impl_->launch(states, stride, kernel_layout, in, out, stream);
}

template <class S>
BatchReport GpuBatch<S>::run(std::size_t states, const BatchInputs<S>& in, std::span<const StateArray<S>> out,
                             const typename Batch<S>::Progress& progress) {
  if (!impl_->host) {
    Impl& parts = *impl_;
    // One state per thread: the bus is slower than any kernel, and the last block may have an odd number of states.
    typename gpu::HostRun<S>::Launch launch = [&parts](std::size_t count, std::size_t stride, GpuLayout layout,
                                                       auto&&... others) {
      parts.launch(count, stride, {layout, 1}, others...);
    };
    impl_->host = std::make_unique<gpu::HostRun<S>>(
        parts.session, parts.robot, parts.cpu, parts.options,
        [&parts](GpuLayout layout) {
          parts.kernels_for({layout, 1});
        },
        std::move(launch));
  }
  return impl_->host->run(states, in, out, progress);
}

template <class S>
const std::vector<typename GpuBatch<S>::Output>& GpuBatch<S>::outputs() const {
  return impl_->cpu.outputs();
}
template <class S>
const std::vector<Input>& GpuBatch<S>::inputs() const {
  return impl_->cpu.inputs();
}
template <class S>
std::size_t GpuBatch<S>::size(Input input) const {
  return impl_->cpu.size(input);
}
template <class S>
const GpuDevice& GpuBatch<S>::device() const {
  return impl_->session->device();
}
template <class S>
std::vector<GpuKernelReport> GpuBatch<S>::Impl::reports(const std::vector<JobsKernel>& all) const {
  std::vector<GpuKernelReport> reports;
  for (const JobsKernel& kernel : all) {
    for (std::size_t k = 0; k < kernel.jobs.size(); ++k)
      reports.emplace_back(kernel.own.made.report(jobs[kernel.jobs[k]].job, k)).shared_by = int(kernel.jobs.size());
  }
  return reports;
}
template <class S>
std::vector<GpuKernelReport> GpuBatch<S>::kernels(GpuLayout layout) {
  return impl_->reports(impl_->kernels_for(gpu::kernel_layout_for<S>(layout, 0, 0, {}, {}, impl_->options)));
}
template <class S>
std::vector<GpuKernelReport> GpuBatch<S>::used() const {
  return impl_->reports(impl_->kernels[impl_->latest.number()]);
}

template class GpuBatch<double>;
template class GpuBatch<float>;

}  // namespace catena
