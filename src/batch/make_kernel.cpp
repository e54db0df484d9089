#include "kernel.hpp"

namespace catena::batch {
namespace {

template <class S>
MadeKernel<S> by_calls(const Task& task) {
  auto kernel = std::make_unique<CallKernel<S>>(task.robot, task.job, task.formulation, task.options);
  BatchEngineReport report;
  report.formulation = kernel->call().formulation().name;
  return {std::move(kernel), std::move(report)};
}

}  // namespace

template <class S>
MadeKernel<S> make_kernel(const Task& task) {
  return by_calls<S>(task);
}

template MadeKernel<double> make_kernel(const Task&);
template MadeKernel<float> make_kernel(const Task&);

}  // namespace catena::batch
