#include "catena/model/regroup.hpp"
#include "engines/batch/block_runner.hpp"
#include "engines/c/compile_batch.hpp"
#include "run/lane_runner.hpp"

namespace catena::batch {
namespace {

// Compiling takes half a second to a few seconds and saves 30 ns of one core per state of an arm.
constexpr std::size_t worth_compiling = 30'000'000;

template <class S>
MadeBlockRunner<S> by_calls(const Task& task) {
  auto runner = std::make_unique<CallBlockRunner<S>>(task.robot, task.job, task.formulation, task.frame());
  BatchEngineReport report;
  report.formulation = runner->call().formulation().name;
  return {std::move(runner), std::move(report)};
}

// A formulation evaluated on Pack.
template <class S>
class LaneBlockRunner final : public BlockRunner<S> {
 public:
  LaneBlockRunner(std::unique_ptr<LaneRunner<S>> runner, int frame) : runner_(std::move(runner)), frame_(frame) {}
  LaneBlockRunner(const LaneBlockRunner& other)
      : BlockRunner<S>(other), runner_(other.runner_->clone()), frame_(other.frame_) {}
  std::unique_ptr<BlockRunner<S>> clone() const override { return std::make_unique<LaneBlockRunner>(*this); }
  bool run(std::size_t states, const BatchInputs<S>& in, const StateArray<S>* out,
           std::span<Verdict> verdicts) override {
    static_assert(static_cast<unsigned char>(Verdict::doubtful) == 1);
    return runner_->run(states, in, frame_, out, reinterpret_cast<unsigned char*>(verdicts.data()));
  }

 private:
  std::unique_ptr<LaneRunner<S>> runner_;
  int frame_;
};

// A state with more results than this is computed faster by itself, across its joints: as many arrays or rows as there
// are lanes are more than the cache holds.
constexpr int most_results_in_lanes = 1000;

// Whether that formulation would form M for a robot for which the standard one does not, to keep its digits.
bool loses_digits(const Task& task, std::string_view formulation) {
  const JobInfo& job = task.job;
  return job.inverts_inertia && formulation == job.by_matrix && job.standard_for(task.robot) != formulation &&
         forming_loses_digits(task.robot.tree());
}

// Null where the requested formulation does not run in lanes, or the options ask for more than it computes.
template <class S>
MadeBlockRunner<S> in_lanes(const Task& task) {
  std::string_view formulation = formulation_in_lanes(task.job.name);
  if (!formulation.empty() && !task.job.serves(task.robot, formulation)) formulation = task.job.by_matrix;
  if (formulation.empty() || (!task.formulation.empty() && task.formulation != formulation)) return {};
  if (task.formulation.empty() && loses_digits(task, formulation)) return {};
  if (task.job.size(sizes_of(task.robot)) > most_results_in_lanes) return {};
  const bool alone = !task.robot.coordinates.is_closed() && task.robot.wrenches.empty();
  if (task.job.takes(Input::lambda) && !alone) return {};  // run/charted_curvature.hpp, run/around_wrenches.hpp
  const Mechanism robot = task.formulation.empty() ? optimize(task.robot) : task.robot;
  auto runner = make_lane_runner<S>(task.job.name, robot.template cast<S>());
  if (!runner) return {};
  BatchEngineReport report;
  report.formulation = formulation;
  report.lanes = runner->lanes();
  return {std::make_unique<LaneBlockRunner<S>>(std::move(runner), task.frame()), std::move(report)};
}

// Code compiled for the robot and for the vectors of this machine.
template <class S>
class CompiledBlockRunner final : public BlockRunner<S> {
 public:
  CompiledBlockRunner(const Mechanism& robot, const JobInfo& job, CompiledBatch<S> code)
      : code_(std::move(code)), inputs_(job.inputs_for(robot)), arrays_(inputs_.size()) {
    const Sizes sizes = sizes_of(robot);
    for (const Input input : inputs_) input_sizes_.push_back(index(info_of(input).size(sizes)));
    for (const OutputInfo& output : job.outputs) output_sizes_.push_back(index(output.size(sizes)));
  }
  std::unique_ptr<BlockRunner<S>> clone() const override { return std::make_unique<CompiledBlockRunner>(*this); }
  bool run(std::size_t states, const BatchInputs<S>& in, const StateArray<S>* out,
           std::span<Verdict> verdicts) override {
    for (std::size_t k = 0; k < arrays_.size(); ++k) arrays_[k] = in[inputs_[k]];
    if (code_.function(states, arrays_.data(), out) == 0) [[likely]]
      return true;
    for (std::size_t k = 0; k < states; ++k)
      if (!finite(k, out)) verdicts[k] = Verdict::doubtful;
    return false;
  }

 private:
  bool finite(std::size_t state, const StateArray<S>* out) const {
    S sum(0);
    for (std::size_t a = 0; a < arrays_.size(); ++a)
      for (std::size_t j = 0; j < input_sizes_[a]; ++j) sum += S(0) * arrays_[a](state, j);
    for (std::size_t a = 0; a < output_sizes_.size(); ++a)
      for (std::size_t j = 0; j < output_sizes_[a]; ++j) sum += S(0) * out[a](state, j);
    return sum == S(0);
  }

  CompiledBatch<S> code_;
  std::vector<Input> inputs_;
  std::vector<std::size_t> input_sizes_, output_sizes_;
  std::vector<StateArray<const S>> arrays_;
};

// Null, with the reason, where there is no such code. The formulation and the frame are fixed in the code.
template <class S>
MadeBlockRunner<S> by_code(const Task& task, std::string& why) {
  if (!task.robot.wrenches.empty() && task.job.takes(Input::lambda)) {
    why = "compiled code has no second derivatives with wrenches";
    return {};
  }
  if (task.robot.coordinates.is_closed() && !task.robot.coordinates.closure.placed) {
    why = "compiled code takes q of every joint of closed loops";
    return {};
  }
  CompileOptions options = task.options.compile;
  options.formulation = task.formulation;
  options.frame = task.frame();
  if (task.options.engine == BatchEngine::automatic && task.options.states < worth_compiling)
    options.only_cached = true;
  try {
    CompiledBatch<S> code = compile_batch<S>(task.robot, task.job.name, options);
    BatchEngineReport report;
    static_cast<EngineReport&>(report) = code.report;
    report.formulation = code.formulation;
    report.lanes = code.lanes;
    return {std::make_unique<CompiledBlockRunner<S>>(task.robot, task.job, std::move(code)), std::move(report)};
  } catch (const CompileError& error) {
    why = error.what();
    return {};
  }
}

}  // namespace

template <class S>
MadeBlockRunner<S> make_block_runner(const Task& task) {
  MadeBlockRunner<S> made;
  std::string why;
  if (task.options.engine != BatchEngine::generic) made = by_code<S>(task, why);
  if (!made.runner) made = in_lanes<S>(task);
  if (!made.runner) made = by_calls<S>(task);
  if (made.report.kind == EngineKind::generic) made.report.why = why;
  return made;
}

template MadeBlockRunner<double> make_block_runner(const Task&);
template MadeBlockRunner<float> make_block_runner(const Task&);

}  // namespace catena::batch
