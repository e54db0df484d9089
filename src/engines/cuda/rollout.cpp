#include "catena/gpu.hpp"

#include <concepts>
#include <cstring>

#include "engines/cuda/made_kernel.hpp"
#include "engines/cuda/program_kernel.hpp"
#include "engines/job_program.hpp"
#include "formulations/shared/pivots.hpp"

namespace catena {

using gpu::DeviceMemory;
using gpu::DevicePointer;

template <class S>
struct GpuRollout<S>::Impl {
  RolloutOptions options;
  gpu::SessionPointer session;
  gpu::MadeKernel made;
  std::size_t joints = 0;
};

namespace {

template <class S>
gpu::KernelText text_of(const Mechanism& robot, const RolloutOptions& rollout, bool search) {
  const auto program = [&](const char* job) {
    const ProgramRequest request = engines::request_of(job_info(job), "", tool_frame);
    return search ? find_cheapest(robot, request) : usual_program(robot, request);
  };
  CodeOptions code;
  code.version = CATENA_VERSION;
  code.language = Language::cuda;
  code.single_precision = std::same_as<S, float>;
  const Program forward = program("forward");
  std::optional<Program> inverse;
  if (rollout_law_info(rollout.law).needs_inverse) inverse = program("inverse");
  return {{print_cuda_rollout(forward, inverse, rollout.law, rollout.scheme, code), forward.choices.formulations},
          code.name + "_rollout"};
}

void require_gains(const RolloutOptions& rollout, std::size_t joints) {
  const RolloutLawInfo& law = rollout_law_info(rollout.law);
  const std::size_t needed = law.has_gains ? joints : 0;
  if (rollout.kp.size() != needed || rollout.kd.size() != needed)
    throw std::invalid_argument("the law " + std::string(law.name) + " takes " + std::to_string(needed) +
                                " gains kp and as many kd, not " + std::to_string(rollout.kp.size()) + " and " +
                                std::to_string(rollout.kd.size()));
}

}  // namespace

template <class S>
GpuRollout<S>::GpuRollout(const Mechanism& robot, const RolloutOptions& rollout, const GpuOptions& options)
    : impl_(std::make_unique<Impl>()) {
  impl_->options = rollout;
  impl_->joints = std::size_t(robot.nv());
  require_gains(rollout, impl_->joints);
  gpu::require_tree(robot);
  if (robot.nq() != robot.nv()) throw GpuError("a rollout does not support a free base");
  if (robot.coordinates.is_moving()) throw GpuError("a rollout does not support a moving base");
  if (const std::string joint = joint_in_doubt(robot); !joint.empty())
    throw GpuError("joint '" + joint +
                   "' moves no inertia of its own, and a rollout cannot detect where it is singular");
  impl_->session = gpu::Session::open(options.device);
  const engines::Stopwatch generating;
  std::function<engines::SourceText()> search;
  if (options.search) search = [&] { return text_of<S>(robot, rollout, true).text; };
  impl_->made = gpu::make_kernel(
      impl_->session, text_of<S>(robot, rollout, false), search, options, [](const gpu::Kernel&) {}, generating);
}
template <class S>
GpuRollout<S>::~GpuRollout() = default;
template <class S>
GpuRollout<S>::GpuRollout(GpuRollout&&) noexcept = default;
template <class S>
GpuRollout<S>& GpuRollout<S>::operator=(GpuRollout&&) noexcept = default;

template <class S>
void GpuRollout<S>::launch(std::size_t arms, std::size_t stride, std::size_t steps, double step, const S* target, S* q,
                           S* qd, void* stream) const {
  if (arms > stride)
    throw std::invalid_argument(std::to_string(arms) + " arms do not fit a stride of " + std::to_string(stride));
  // Every argument takes eight bytes; a number of type S is stored at their beginning.
  std::vector<unsigned long long> values;
  const auto add = [&](const auto& value) {
    static_assert(sizeof value <= sizeof values[0]);
    values.push_back(0);
    std::memcpy(&values.back(), &value, sizeof value);
  };
  add(static_cast<unsigned long long>(arms));
  add(static_cast<unsigned long long>(stride));
  add(static_cast<unsigned long long>(steps));
  add(target);
  add(q);
  add(qd);
  add(S(step));
  for (const double gain : impl_->options.kp) add(S(gain));
  for (const double gain : impl_->options.kd) add(S(gain));
  std::vector<void*> arguments;
  for (unsigned long long& value : values) arguments.push_back(&value);
  const gpu::Session::Current current(*impl_->session);
  impl_->session->require_stream(stream);
  impl_->made.kernel.launch(arms, stream, arguments);
}

template <class S>
void GpuRollout<S>::run(std::size_t arms, std::size_t steps, double step, std::span<const S> target, std::span<S> q,
                        std::span<S> qd) const {
  const std::size_t n = impl_->joints, wanted = (impl_->options.law == RolloutLaw::table ? steps : arms) * n;
  if (q.size() != arms * n || qd.size() != arms * n || target.size() != wanted)
    throw std::invalid_argument("a rollout of " + std::to_string(arms) + " arms takes " + std::to_string(arms * n) +
                                " numbers q and qd and " + std::to_string(wanted) + " of the law, not " +
                                std::to_string(q.size()) + ", " + std::to_string(qd.size()) + " and " +
                                std::to_string(target.size()));
  const gpu::Driver& driver = impl_->session->driver();
  const gpu::Session::Current current(*impl_->session);
  const gpu::OwnStream stream(impl_->session);
  const DeviceMemory goal(impl_->session, target.size_bytes()), x(impl_->session, q.size_bytes()),
      v(impl_->session, qd.size_bytes());
  if (!target.empty())
    CATENA_CUDA(driver, cuMemcpyHtoDAsync_v2, goal.get(), target.data(), target.size_bytes(), stream.get());
  if (!q.empty()) {
    CATENA_CUDA(driver, cuMemcpyHtoDAsync_v2, x.get(), q.data(), q.size_bytes(), stream.get());
    CATENA_CUDA(driver, cuMemcpyHtoDAsync_v2, v.get(), qd.data(), qd.size_bytes(), stream.get());
    launch(arms, arms, steps, step, reinterpret_cast<const S*>(goal.get()), reinterpret_cast<S*>(x.get()),
           reinterpret_cast<S*>(v.get()), stream.get());
    CATENA_CUDA(driver, cuMemcpyDtoHAsync_v2, q.data(), x.get(), q.size_bytes(), stream.get());
    CATENA_CUDA(driver, cuMemcpyDtoHAsync_v2, qd.data(), v.get(), qd.size_bytes(), stream.get());
  }
  driver.require(driver.cuStreamSynchronize(stream.get()), "cuStreamSynchronize", "the rollout failed");
}

template <class S>
GpuKernelReport GpuRollout<S>::kernel() const {
  return impl_->made.report("rollout");
}

template class GpuRollout<double>;
template class GpuRollout<float>;

}  // namespace catena
