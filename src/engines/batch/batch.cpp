#include "catena/batch.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <exception>
#include <limits>
#include <mutex>
#include <stdexcept>
#include <utility>

#include "engines/batch/at_rest.hpp"
#include "engines/batch/block_runner.hpp"
#include "engines/batch/pool.hpp"
#include "jobs/checks.hpp"

namespace catena {
namespace {

using batch::block_states;
using batch::BlockRunner;
using batch::CallBlockRunner;
using batch::Verdict;

constexpr std::size_t none = std::numeric_limits<std::size_t>::max();
constexpr std::size_t blocks_a_thread = 4;     // a thread is not worth waking for fewer
constexpr std::size_t blocks_a_progress = 16;  // between two calls of the progress function

int thread_count(int asked) {
  if (asked < 0) throw std::invalid_argument("threads: " + std::to_string(asked) + " is not a number of threads");
  return asked > 0 ? asked : std::max(1, int(std::thread::hardware_concurrency()));
}

std::vector<const JobInfo*> described(const std::vector<BatchJob>& jobs) {
  if (jobs.empty()) throw std::invalid_argument("a batch computes at least one job");
  std::vector<const JobInfo*> infos;
  for (const BatchJob& job : jobs) {
    infos.push_back(&job_info(job.job));
    if (!job.formulation.empty()) infos.back()->formulation(job.formulation);
    if (std::count(infos.begin(), infos.end(), infos.back()) > 1)
      throw std::invalid_argument("the job '" + job.job + "' is asked for twice");
  }
  return infos;
}

void require_options(const Mechanism& robot, const std::vector<const JobInfo*>& jobs, const BatchOptions& options) {
  const auto any = [&](auto&& is) { return std::any_of(jobs.begin(), jobs.end(), is); };
  if (options.frame != tool_frame && any([](const JobInfo* job) { return job->takes_frame; }))
    require_frame(robot, options.frame);
  if (!options.wrenches.empty() && !any([](const JobInfo* job) { return job->feels_wrenches(); }))
    throw std::invalid_argument(std::string(jobs.front()->name) + " does not take external wrenches");
}

// Wrenches that are the same in all states are an input with a stride of 0.
Mechanism pushed(const Mechanism& robot, const BatchOptions& options) {
  if (options.wrenches.empty()) return robot;
  if (!robot.wrenches.empty()) throw std::invalid_argument("wrenches on robot '" + robot.name + "' are an input");
  std::vector<WrenchPlace> places;
  for (const auto& wrench : options.wrenches) places.push_back({wrench.frame, wrench.axes});
  return with_wrenches(robot, std::move(places));
}

template <class S>
bool finite(const StateArray<const S>& array, std::size_t entries) {
  S sum(0);
  for (std::size_t j = 0; j < entries; ++j) sum += S(0) * array(0, j);
  return sum == S(0);
}

}  // namespace

template <class S>
struct Batch<S>::Impl {
  // The workspace of one thread.
  struct Worker {
    std::vector<std::unique_ptr<BlockRunner<S>>> runners;
    std::vector<std::unique_ptr<CallBlockRunner<S>>> judges;  // created when a state is in doubt
    std::vector<StateArray<S>> out;                           // the arrays of the block
    std::vector<Verdict> verdicts, of_job;
    std::size_t failed = 0, first_failed = none;
  };
  // The state of one run.
  struct Work {
    std::size_t states, blocks;
    const BatchInputs<S>& in;
    std::span<const StateArray<S>> out;
    std::atomic<std::size_t> next{0}, done{0};  // blocks taken; blocks computed
    std::atomic<bool> stop{false};
    std::mutex mutex{};
    std::exception_ptr thrown{};

    Work(std::size_t count, const BatchInputs<S>& inputs, std::span<const StateArray<S>> outputs)
        : states(count), blocks((count + block_states - 1) / block_states), in(inputs), out(outputs) {}
  };

  Mechanism robot;
  std::vector<BatchJob> jobs;
  std::vector<const JobInfo*> infos;
  BatchOptions options;
  std::vector<Output> outputs;
  std::vector<Input> inputs, asked_for;  // asked_for: without wrenches that are the same in all states
  std::vector<S> pushes;                 // those
  std::array<std::size_t, std::size(all_inputs)> sizes{};
  std::vector<BatchEngineReport> engines;
  batch::Pool pool;
  system::ForkedMutex running;
  std::vector<std::unique_ptr<Worker>> workers;

  Impl(const Mechanism& given, std::vector<BatchJob> asked, const BatchOptions& chosen)
      : robot(pushed(given, chosen)),
        jobs(std::move(asked)),
        infos(described(jobs)),
        options(chosen),
        pool(thread_count(options.threads)) {
    require_options(robot, infos, options);
    for (const ExternalWrench<double>& w : options.wrenches)
      for (const double entry : {w.force.x, w.force.y, w.force.z, w.moment.x, w.moment.y, w.moment.z})
        pushes.push_back(S(entry));
    const Sizes all = sizes_of(robot);
    for (const InputInfo& info : all_inputs) {
      sizes[std::size_t(info.input)] = index(info.size(all));
      const auto takes = [&](const JobInfo* job) {
        const std::vector<Input> taken = job->inputs_for(robot);
        return std::count(taken.begin(), taken.end(), info.input) > 0;
      };
      if (!std::any_of(infos.begin(), infos.end(), takes)) continue;
      inputs.push_back(info.input);
      if (info.input != Input::pushes || pushes.empty()) asked_for.push_back(info.input);
    }
    for (const JobInfo* job : infos)
      for (const OutputInfo& output : job->outputs)
        outputs.push_back(
            {job, &output, output_name(output, *job, infos), index(output.rows(all)), index(output.columns(all))});
    workers.push_back(first_worker());
  }

  std::unique_ptr<Worker> first_worker() {
    auto worker = std::make_unique<Worker>();
    for (std::size_t k = 0; k < jobs.size(); ++k) {
      batch::MadeBlockRunner<S> made = batch::make_block_runner<S>({robot, *infos[k], jobs[k].formulation, options});
      worker->runners.push_back(std::move(made.runner));
      engines.push_back(std::move(made.report));
    }
    make_room(*worker);
    return worker;
  }
  void make_room(Worker& worker) const {
    worker.judges.resize(jobs.size());
    worker.out.resize(outputs.size());
    worker.verdicts.resize(block_states);
    worker.of_job.resize(block_states);
  }
  void make_workers(int count) {
    while (int(workers.size()) < count) {
      auto worker = std::make_unique<Worker>();
      for (const auto& runner : workers.front()->runners) worker->runners.push_back(runner->clone());
      make_room(*worker);
      workers.push_back(std::move(worker));
    }
  }

  CallBlockRunner<S>& judge(Worker& worker, std::size_t job) const {
    auto& found = worker.judges[job];
    if (!found)
      found = std::make_unique<CallBlockRunner<S>>(robot, *infos[job], jobs[job].formulation,
                                                   infos[job]->takes_frame ? options.frame : tool_frame);
    return *found;
  }
  BatchInputs<S> inputs_from(const BatchInputs<S>& in, std::size_t state) const {
    BatchInputs<S> here;
    for (const Input input : inputs) here[input] = in[input].from(state);
    return here;
  }
  bool finite_inputs(const BatchInputs<S>& in, const JobInfo& job) const {
    const std::vector<Input> taken = job.inputs_for(robot);
    return std::all_of(taken.begin(), taken.end(),
                       [&](Input input) { return finite(in[input], sizes[std::size_t(input)]); });
  }
  // A state that an engine is not sure of: the call decides, and its results are kept.
  bool judged_good(Worker& worker, std::size_t job, const BatchInputs<S>& in, const StateArray<S>* out,
                   std::size_t state) const {
    const BatchInputs<S> here = inputs_from(in, state);
    if (!finite_inputs(here, *infos[job])) return false;
    std::vector<StateArray<S>> own;
    for (std::size_t k = 0; k < infos[job]->outputs.size(); ++k) own.push_back(out[k].from(state));
    try {
      judge(worker, job).run_one(here, own.data());
    } catch (const std::domain_error&) {
      return false;
    }
    return true;
  }

  // Whether the quaternions of a free base have length 1, which compiled code does not check.
  static bool stands_right(const BatchInputs<S>& in, std::size_t count, std::span<Verdict> verdicts) {
    bool all = true;
    for (std::size_t k = 0; k < count; ++k) {
      std::array<S, 7> at{};
      for (std::size_t j = 3; j < at.size(); ++j) at[j] = in[Input::q](k, j);
      if (has_unit_quaternion<S>(at)) continue;
      verdicts[k] = Verdict::failed;
      all = false;
    }
    return all;
  }

  void run_block(Work& work, Worker& worker, std::size_t block) const {
    const std::size_t start = block * block_states, count = std::min(block_states, work.states - start);
    const BatchInputs<S> in = inputs_from(work.in, start);
    for (std::size_t k = 0; k < outputs.size(); ++k) worker.out[k] = work.out[k].from(start);
    bool all_good = !robot.coordinates.is_free() || stands_right(in, count, worker.verdicts);
    const StateArray<S>* out = worker.out.data();
    for (std::size_t job = 0; job < jobs.size(); ++job) {
      if (!worker.runners[job]->run(count, in, out, worker.of_job)) [[unlikely]] {
        all_good = false;
        for (std::size_t k = 0; k < count; ++k) {
          const Verdict given = std::exchange(worker.of_job[k], Verdict::good);
          if (given == Verdict::failed || (given == Verdict::doubtful && !judged_good(worker, job, in, out, k)))
            worker.verdicts[k] = Verdict::failed;
        }
      }
      out += infos[job]->outputs.size();
    }
    if (!all_good) [[unlikely]]
      mark(worker, start, count);
  }
  void mark(Worker& worker, std::size_t start, std::size_t count) const {
    for (std::size_t k = 0; k < count; ++k) {
      if (std::exchange(worker.verdicts[k], Verdict::good) != Verdict::failed) continue;
      ++worker.failed;
      worker.first_failed = std::min(worker.first_failed, start + k);
      for (std::size_t o = 0; o < outputs.size(); ++o)
        for (std::size_t j = 0; j < outputs[o].size(); ++j) worker.out[o](k, j) = std::numeric_limits<S>::quiet_NaN();
    }
  }

  void run_blocks(Work& work, Worker& worker, const Progress* progress) const {
    std::size_t told = 0;
    while (!work.stop) {
      const std::size_t block = work.next++;
      if (block >= work.blocks) return;
      run_block(work, worker, block);
      const std::size_t done = ++work.done;
      if (progress == nullptr || done < told + blocks_a_progress) continue;
      told = done;
      if (!(*progress)(std::min(done * block_states, work.states))) work.stop = true;
    }
  }
  // An exception in one thread stops the others and is rethrown in the caller's thread.
  void run_worker(Work& work, Worker& worker, const Progress* progress) const {
    worker.failed = 0;
    worker.first_failed = none;
    try {
      run_blocks(work, worker, progress);
    } catch (...) {
      work.stop = true;
      const std::lock_guard lock(work.mutex);
      if (!work.thrown) work.thrown = std::current_exception();
    }
  }

  void require_arrays(std::size_t states, const BatchInputs<S>& in, std::span<const StateArray<S>> out) const {
    if (out.size() != outputs.size())
      throw std::invalid_argument(std::to_string(out.size()) + " arrays for results are given, " +
                                  std::to_string(outputs.size()) + " are needed");
    if (states == 0) return;
    for (const Input input : inputs)
      if (in[input].data == nullptr && sizes[std::size_t(input)] > 0)
        throw std::invalid_argument(std::string(info_of(input).name) + " is not given");
    for (std::size_t k = 0; k < out.size(); ++k) {
      if (outputs[k].size() == 0) continue;
      if (out[k].data == nullptr) throw std::invalid_argument("no array for " + outputs[k].name);
      if ((states > 1 && out[k].by_state == 0) || (outputs[k].size() > 1 && out[k].by_entry == 0))
        throw std::invalid_argument("the array for " + outputs[k].name + " has a stride of 0");
    }
  }

  BatchReport run(std::size_t states, const BatchInputs<S>& given, std::span<const StateArray<S>> out,
                  const Progress& progress) {
    BatchInputs<S> in = batch::or_at_rest(given);
    if (!pushes.empty()) in.pushes = {pushes.data(), 0, 1};
    require_arrays(states, in, out);
    const std::lock_guard lock(running);
    Work work(states, in, out);
    const int count =
        int(std::clamp<std::size_t>(work.blocks / blocks_a_thread, 1, static_cast<std::size_t>(pool.threads())));
    make_workers(count);
    const Progress* told = progress ? &progress : nullptr;
    const auto each = [&](int k) { run_worker(work, *workers[index(k)], k == 0 ? told : nullptr); };
    pool.run(count, std::ref(each));  // a copy would be allocated
    if (work.thrown) std::rethrow_exception(work.thrown);
    BatchReport report = report_of(work, count);
    if (told != nullptr && !report.stopped) progress(states);  // other threads may have computed all blocks
    return report;
  }
  BatchReport report_of(const Work& work, int count) {
    BatchReport report;
    report.states = std::min(std::min(work.next.load(), work.blocks) * block_states, work.states);
    report.stopped = report.states < work.states;
    std::size_t first = none;
    for (int k = 0; k < count; ++k) {
      report.failed += workers[index(k)]->failed;
      first = std::min(first, workers[index(k)]->first_failed);
    }
    if (report.failed == 0) return report;
    report.first_failed = first;
    report.why = reason(inputs_from(work.in, first));
    return report;
  }
  // Why a state has no result. Its outputs are discarded.
  std::string reason(const BatchInputs<S>& in) {
    for (std::size_t job = 0; job < jobs.size(); ++job) {
      std::vector<std::vector<S>> room;
      std::vector<StateArray<S>> own;
      for (const Output& output : outputs)
        if (output.job == infos[job]) room.emplace_back(output.size());
      for (auto& entries : room) own.push_back(states_in_rows(entries.data(), entries.size()));
      try {
        judge(*workers.front(), job).run_one(in, own.data());
      } catch (const std::domain_error& error) {
        return error.what();
      }
    }
    return "the result is not finite";
  }
};

template <class S>
Batch<S>::Batch(const Mechanism& robot, std::vector<BatchJob> jobs, const BatchOptions& options)
    : impl_(std::make_unique<Impl>(robot, std::move(jobs), options)) {}
template <class S>
Batch<S>::~Batch() = default;
template <class S>
Batch<S>::Batch(Batch&&) noexcept = default;
template <class S>
Batch<S>& Batch<S>::operator=(Batch&&) noexcept = default;

BatchEngine batch_engine(std::string_view name) {
  std::string all;
  for (const BatchEngineInfo& info : batch_engines) {
    if (info.name == name || (!name.empty() && info.in_full == name)) return info.engine;
    all += (all.empty() ? "" : ", ") + std::string(info.name);
  }
  throw std::invalid_argument("there is no engine '" + std::string(name) + "'; there are " + all);
}

template <class S>
BatchReport Batch<S>::run(std::size_t states, const BatchInputs<S>& in, std::span<const StateArray<S>> out,
                          const Progress& progress) {
  return impl_->run(states, in, out, progress);
}
template <class S>
const std::vector<typename Batch<S>::Output>& Batch<S>::outputs() const {
  return impl_->outputs;
}
template <class S>
const std::vector<Input>& Batch<S>::inputs() const {
  return impl_->asked_for;
}
template <class S>
std::size_t Batch<S>::size(Input input) const {
  return impl_->sizes[std::size_t(input)];
}
template <class S>
const std::vector<BatchEngineReport>& Batch<S>::engines() const {
  return impl_->engines;
}
template <class S>
int Batch<S>::threads() const {
  return impl_->pool.threads();
}

template class Batch<double>;
template class Batch<float>;

}  // namespace catena
