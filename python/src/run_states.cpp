#include "run_states.hpp"

#include <algorithm>
#include <stdexcept>

namespace catena::python {
namespace {

template <class S>
std::vector<ExternalWrench<S>> wrenches_as(const std::vector<ExternalWrench<double>>& given) {
  std::vector<ExternalWrench<S>> out;
  for (const auto& w : given)
    out.push_back({w.frame, static_cast<Vec3<S>>(w.force), static_cast<Vec3<S>>(w.moment), w.axes});
  return out;
}

// --- one state ---

template <class S>
void run_call(Call<S>& call, const Loaded& robot, const Walks<S>& walks, const Extra& extra) {
  const JobInfo& job = call.job();
  const std::vector<ExternalWrench<S>> wrenches = wrenches_as<S>(extra.wrenches);
  Inputs<S> in{.wrenches = wrenches, .frame = extra.frame};
  std::array<std::vector<S>, std::size(all_inputs)> gathered;
  for (std::size_t k = 0; k < walks.inputs.size(); ++k) {
    if (walks.of[k] == Input::pushes) continue;  // as wrenches
    const Walk<S>& walk = walks.inputs[k];
    gathered[k].resize(index(info_of(walks.of[k]).size(robot.sizes)));
    for (std::size_t j = 0; j < gathered[k].size(); ++j) gathered[k][j] = walk.data[std::ptrdiff_t(j) * walk.by_entry];
    in[walks.of[k]] = gathered[k];
  }
  std::vector<S> out(call.size());
  call(in, out);
  auto next = out.begin();
  for (std::size_t k = 0; k < walks.outputs.size(); ++k) {
    const auto size = std::ptrdiff_t(job.outputs[k].size(robot.sizes));
    std::copy_n(next, size, walks.outputs[k].data);
    next += size;
  }
}

// --- many ---

// Leading dimensions that can be traversed as one are merged.
template <class S>
void join_sides(Walks<S>& walks) {
  const auto each = [&](auto&& use) {
    for (Walk<S>& walk : walks.inputs) use(walk);
    for (Walk<S>& walk : walks.outputs) use(walk);
  };
  for (std::size_t d = walks.shape.size(); d-- > 1;) {
    bool joins = true;
    each([&](const Walk<S>& walk) { joins = joins && walk.strides[d - 1] == walk.strides[d] * walks.shape[d]; });
    if (!joins) continue;
    walks.shape[d - 1] *= walks.shape[d];
    walks.shape.erase(walks.shape.begin() + std::ptrdiff_t(d));
    each([&](Walk<S>& walk) { walk.strides.erase(walk.strides.begin() + std::ptrdiff_t(d) - 1); });
  }
}

template <class S>
class ManyStates {
 public:
  explicit ManyStates(const Walks<S>& given) : walks_(given) {
    if (walks_.shape.empty()) {  // a state without leading dimensions
      walks_.shape.push_back(1);
      for (Walk<S>& walk : walks_.inputs) walk.strides.push_back(1);
      for (Walk<S>& walk : walks_.outputs) walk.strides.push_back(1);
    }
    join_sides(walks_);
    const auto longest = std::max_element(walks_.shape.begin(), walks_.shape.end());
    inner_ = std::size_t(longest - walks_.shape.begin());
    std::size_t weight = 1;
    weights_.resize(walks_.shape.size());
    for (std::size_t d = walks_.shape.size(); d-- > 0; weight *= std::size_t(walks_.shape[d])) weights_[d] = weight;
  }

  template <class AnyBatch>
  BatchReport run(AnyBatch& batch, const std::function<bool(double)>& proceed) {
    BatchReport all;
    std::vector<std::ptrdiff_t> at(walks_.shape.size());
    double states_in_all = 1.0;
    for (const std::ptrdiff_t side : walks_.shape) states_in_all *= double(side);
    const auto ask = [&](std::size_t done) { return proceed(double(all.states + done) / states_in_all); };
    do {
      BatchInputs<S> in;
      for (std::size_t k = 0; k < walks_.inputs.size(); ++k) in[walks_.of[k]] = states<const S>(walks_.inputs[k], at);
      std::vector<StateArray<S>> out;
      for (const Walk<S>& walk : walks_.outputs) out.push_back(states<S>(walk, at));
      add(all, batch.run(std::size_t(walks_.shape[inner_]), in, out, ask), at);
    } while (!all.stopped && step(at));
    return all;
  }

 private:
  template <class T>
  StateArray<T> states(const Walk<S>& walk, const std::vector<std::ptrdiff_t>& at) const {
    T* data = walk.data;
    for (std::size_t d = 0; d < at.size(); ++d) data += at[d] * walk.strides[d];
    return {data, walk.strides[inner_], walk.by_entry};
  }
  // Advances to the next position in the dimensions outside the innermost; false at the end.
  bool step(std::vector<std::ptrdiff_t>& at) const {
    for (std::size_t d = at.size(); d-- > 0;) {
      if (d == inner_) continue;
      if (++at[d] < walks_.shape[d]) return true;
      at[d] = 0;
    }
    return false;
  }
  void add(BatchReport& all, const BatchReport& part, const std::vector<std::ptrdiff_t>& at) const {
    if (part.failed > 0) {
      std::size_t first = part.first_failed * weights_[inner_];
      for (std::size_t d = 0; d < at.size(); ++d) first += std::size_t(at[d]) * weights_[d];
      if (all.failed == 0 || first < all.first_failed) all.first_failed = first, all.why = part.why;
    }
    all.failed += part.failed;
    all.states += part.states;
    all.stopped = part.stopped;
  }

  Walks<S> walks_;
  std::size_t inner_ = 0;
  std::vector<std::size_t> weights_;  // number of states passed by one step along a dimension, in C order
};

}  // namespace

template <class S>
void run_one(Loaded& robot, std::size_t job, const Walks<S>& walks, const Extra& extra, Call<double>* own) {
  if constexpr (std::is_same_v<S, double>) {
    if (own != nullptr) return run_call(*own, robot, walks, extra);
  }
  Borrowed<S> call(robot, job, extra.formulation);
  run_call(*call, robot, walks, extra);
}

template <class S>
RunReport run_many(Loaded& robot, std::size_t job, const Walks<S>& walks, const Extra& extra,
                   const std::function<bool(double)>& proceed) {
  BatchKey key{job, extra.formulation, extra.frame, extra.threads, extra.engine, extra.devices, {}};
  for (const auto& wrench : extra.wrenches) key.places.push_back({wrench.frame, wrench.axes});
  if (!extra.devices.empty()) {
    const auto batch = robot.servers<S>().device_batch(robot.mechanism, key);
    const std::lock_guard alone(batch->mutex);
    return {ManyStates<S>(walks).run(batch->own, proceed)};
  }
  const std::shared_ptr<Batch<S>> batch = robot.servers<S>().batch(robot.mechanism, key);
  RunReport report{ManyStates<S>(walks).run(*batch, proceed)};
  const BatchEngineReport& engine = batch->engines().front();
  if (extra.engine == BatchEngine::compiled && engine.kind != EngineKind::compiled) report.not_compiled = engine.why;
  return report;
}

#define CATENA_SCALAR(S)                                                                        \
  template void run_one<S>(Loaded&, std::size_t, const Walks<S>&, const Extra&, Call<double>*); \
  template RunReport run_many<S>(Loaded&, std::size_t, const Walks<S>&, const Extra&,           \
                                 const std::function<bool(double)>&);
CATENA_SCALAR(double)
CATENA_SCALAR(float)
#undef CATENA_SCALAR

}  // namespace catena::python
