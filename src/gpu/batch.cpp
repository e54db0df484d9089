#include "catena/gpu/batch.hpp"

#include <chrono>
#include <concepts>

#include "../jit/job_program.hpp"
#include "catena/dynamics/pivots.hpp"
#include "parts.hpp"
#include "self_test.hpp"

namespace catena {
namespace {

BatchOptions generic(const GpuOptions& options) {
  BatchOptions cpu;
  cpu.engine = BatchEngine::generic;
  cpu.threads = 1;
  cpu.frame = options.frame;
  return cpu;
}

template <class S>
gpu::Text text_of(const Program& program, GpuLayout layout) {
  CodeOptions code;
  code.version = CATENA_VERSION;
  code.language = Language::cuda;
  code.single_precision = std::same_as<S, float>;
  code.in_rows = layout == GpuLayout::rows;
  return {print_code({program}, code).source, function_name(program, code), program.choices.formulations.front()};
}

}  // namespace

template <class S>
GpuBatch<S>::Parts::Parts(const Mechanism& given, std::vector<BatchJob> asked, const GpuOptions& chosen)
    : robot(given),
      jobs(std::move(asked)),
      options(chosen),
      cpu(robot, jobs, generic(options)),
      session(gpu::Session::open(options.device)) {
  for (const BatchJob& job : jobs) infos.push_back(&job_info(job.job));
  if (sizes_of(robot).velocities == 0) throw GpuError("a robot without moving joints");
}

template <class S>
auto GpuBatch<S>::Parts::make(const JobInfo& job, const std::string& formulation, GpuLayout layout) const -> JobKernel {
  if (const std::string joint = job.inverts_inertia ? joint_in_doubt(robot, job.only_passive) : std::string();
      !joint.empty())
    throw GpuError("joint '" + joint +
                   "' moves no inertia of its own: only the generic engine sees where the robot is singular");
  const auto start = std::chrono::steady_clock::now();
  JobKernel kernel;
  const auto generated = [&] {
    kernel.generate_seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  };
  try {
    const ProgramRequest request = jit::request_of(job, formulation, job.takes_frame ? options.frame : tool_frame);
    const Program usual = jit::usual_program(robot, request);
    const gpu::Text text = text_of<S>(usual, layout);
    generated();
    const auto final = [&] {
      gpu::Text cheapest = options.search ? text_of<S>(find_cheapest(robot, request), layout) : text;
      generated();
      return cheapest;
    };
    kernel.made = gpu::make_kernel(session, text, final, options, [&](const gpu::Kernel& made) {
      gpu::require_results<S>(session, made, usual, layout);
    });
  } catch (const std::domain_error& error) {  // a formulation that cannot be written as straight-line code
    throw GpuError("no kernel for " + std::string(job.name) + ": " + error.what());
  }
  return kernel;
}

template <class S>
auto GpuBatch<S>::Parts::kernels_for(GpuLayout layout) -> const std::vector<JobKernel>& {
  std::vector<JobKernel>& found = kernels[std::size_t(layout)];
  if (found.empty()) {
    std::vector<JobKernel> made;
    for (std::size_t k = 0; k < jobs.size(); ++k) made.push_back(make(*infos[k], jobs[k].formulation, layout));
    found = std::move(made);
  }
  return found;
}

template <class S>
void GpuBatch<S>::Parts::launch(std::size_t states, std::size_t stride, GpuLayout layout, std::span<const S* const> in,
                                std::span<S* const> out, gpu::Stream stream) {
  const std::vector<JobKernel>& all = kernels_for(layout);
  unsigned long long count = states, step = stride;
  std::size_t next = 0;
  for (std::size_t k = 0; k < jobs.size(); ++k) {
    std::array<const void*, 16> pointers{};
    std::array<void*, 18> arguments{&count, &step};
    std::size_t used = 0;
    const auto add = [&](const void* pointer) {
      pointers.at(used) = pointer;
      arguments.at(used + 2) = &pointers[used];
      ++used;
    };
    for (const Input input : infos[k]->inputs)
      for (std::size_t i = 0; i < in.size(); ++i)
        if (cpu.inputs()[i] == input) add(in[i]);
    for (std::size_t o = 0; o < infos[k]->outputs.size(); ++o) add(out[next++]);
    all[k].made.kernel.launch(states, stream, std::span(arguments).first(used + 2));
  }
}

template <class S>
GpuBatch<S>::GpuBatch(const Mechanism& robot, std::vector<BatchJob> jobs, const GpuOptions& options)
    : parts_(std::make_unique<Parts>(robot, std::move(jobs), options)) {}
template <class S>
GpuBatch<S>::~GpuBatch() = default;
template <class S>
GpuBatch<S>::GpuBatch(GpuBatch&&) noexcept = default;
template <class S>
GpuBatch<S>& GpuBatch<S>::operator=(GpuBatch&&) noexcept = default;

template <class S>
void GpuBatch<S>::launch(std::size_t states, std::size_t stride, GpuLayout layout, std::span<const S* const> in,
                         std::span<S* const> out, void* stream) {
  if (in.size() != inputs().size() || out.size() != outputs().size())
    throw std::invalid_argument(std::to_string(in.size()) + " arrays are given and " + std::to_string(out.size()) +
                                " for results, " + std::to_string(inputs().size()) + " and " +
                                std::to_string(outputs().size()) + " are needed");
  if (layout == GpuLayout::columns && states > stride)
    throw std::invalid_argument(std::to_string(states) + " states do not fit a stride of " + std::to_string(stride));
  if (states == 0) return;
  for (std::size_t k = 0; k < in.size(); ++k)
    if (in[k] == nullptr) throw std::invalid_argument(std::string(info_of(inputs()[k]).name) + " is not given");
  for (std::size_t k = 0; k < out.size(); ++k)
    if (out[k] == nullptr && outputs()[k].size() > 0) throw std::invalid_argument("no array for " + outputs()[k].name);
  parts_->kernels_for(layout);
  const gpu::Session::Current current(*parts_->session);
  parts_->session->require_stream(stream);
  parts_->launch(states, stride, layout, in, out, stream);
}

template <class S>
BatchReport GpuBatch<S>::run(std::size_t states, const BatchInputs<S>& in, std::span<const StateArray<S>> out,
                             const typename Batch<S>::Progress& progress) {
  if (!parts_->host) {
    Parts& parts = *parts_;
    typename gpu::HostRun<S>::Launch launch = [&parts](auto&&... arguments) { parts.launch(arguments...); };
    parts_->host = std::make_unique<gpu::HostRun<S>>(
        parts.session, parts.robot, parts.cpu, parts.options, [&parts](GpuLayout layout) { parts.kernels_for(layout); },
        std::move(launch));
  }
  return parts_->host->run(states, in, out, progress);
}

template <class S>
const std::vector<typename GpuBatch<S>::Output>& GpuBatch<S>::outputs() const {
  return parts_->cpu.outputs();
}
template <class S>
const std::vector<Input>& GpuBatch<S>::inputs() const {
  return parts_->cpu.inputs();
}
template <class S>
std::size_t GpuBatch<S>::size(Input input) const {
  return parts_->cpu.size(input);
}
template <class S>
const GpuDevice& GpuBatch<S>::device() const {
  return parts_->session->device();
}
template <class S>
std::vector<GpuKernelReport> GpuBatch<S>::kernels(GpuLayout layout) {
  std::vector<GpuKernelReport> reports;
  const auto& all = parts_->kernels_for(layout);
  for (std::size_t k = 0; k < all.size(); ++k) {
    const gpu::MadeKernel& made = all[k].made;
    reports.push_back({parts_->jobs[k].job, made.formulation, made.kernel.block(), made.kernel.registers(),
                       made.kernel.local_bytes(), made.kernel.occupancy(), made.from_cache, all[k].generate_seconds,
                       made.compile_seconds});
  }
  return reports;
}

template class GpuBatch<double>;
template class GpuBatch<float>;

}  // namespace catena
