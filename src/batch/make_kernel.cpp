#include "catena/dynamics/lane_runner.hpp"
#include "catena/model/regroup.hpp"
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

// A formulation on Pack.
template <class S>
class LaneKernel final : public Kernel<S> {
 public:
  LaneKernel(std::unique_ptr<LaneRunner<S>> runner, int frame) : runner_(std::move(runner)), frame_(frame) {}
  LaneKernel(const LaneKernel& other) : Kernel<S>(other), runner_(other.runner_->clone()), frame_(other.frame_) {}
  std::unique_ptr<Kernel<S>> clone() const override { return std::make_unique<LaneKernel>(*this); }
  bool run(std::size_t states, const BatchInputs<S>& in, const StateArray<S>* out,
           std::span<Verdict> verdicts) override {
    static_assert(static_cast<unsigned char>(Verdict::doubtful) == 1);
    return runner_->run(states, in, frame_, out, reinterpret_cast<unsigned char*>(verdicts.data()));
  }

 private:
  std::unique_ptr<LaneRunner<S>> runner_;
  int frame_;
};

// Nothing where the formulation that is asked for does not run in lanes, or more is asked for than it computes.
template <class S>
MadeKernel<S> in_lanes(const Task& task) {
  const std::string_view formulation = formulation_in_lanes(task.job.name);
  if (formulation.empty() || (!task.formulation.empty() && task.formulation != formulation)) return {};
  if (task.takes_wrenches()) return {};
  const Mechanism robot = task.formulation.empty() ? optimize(task.robot) : task.robot;
  auto runner = make_lane_runner<S>(task.job.name, robot.template cast<S>());
  if (!runner) return {};
  BatchEngineReport report;
  report.formulation = formulation;
  report.lanes = runner->lanes();
  return {std::make_unique<LaneKernel<S>>(std::move(runner), task.frame()), std::move(report)};
}

}  // namespace

template <class S>
MadeKernel<S> make_kernel(const Task& task) {
  MadeKernel<S> made = in_lanes<S>(task);
  return made.kernel ? std::move(made) : by_calls<S>(task);
}

template MadeKernel<double> make_kernel(const Task&);
template MadeKernel<float> make_kernel(const Task&);

}  // namespace catena::batch
