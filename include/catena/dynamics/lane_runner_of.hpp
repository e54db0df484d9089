// The bodies behind lane_runner.hpp.
#pragma once

#include <array>
#include <type_traits>

#include "catena/dynamics/jobs.hpp"
#include "catena/dynamics/lane_runner.hpp"
#include "catena/dynamics/pack_array.hpp"
#include "catena/dynamics/pivots.hpp"
#include "catena/scalar/pack.hpp"

namespace catena {

namespace detail {
#if defined(__AVX512F__)
inline constexpr int pack_bytes = 64;
#elif defined(__AVX__)
inline constexpr int pack_bytes = 32;
#else
inline constexpr int pack_bytes = 16;
#endif
}  // namespace detail

// The formulation that runs in lanes: the standard one of an arm, but for forward dynamics, whose standard one is
// unrolled for every size. Jobs that take long to compile beside what they are asked for are left to calls, and so is
// the regressor, which is mostly stores of zeros and gains nothing.
template <class Job>
inline constexpr std::string_view in_lanes = Job::standard(6);
template <>
inline constexpr std::string_view in_lanes<ForwardJob> = ArticulatedBody::info.name;
template <>
inline constexpr std::string_view in_lanes<HybridJob> = {};
template <>
inline constexpr std::string_view in_lanes<DampingJob> = {};
template <>
inline constexpr std::string_view in_lanes<StiffnessJob> = {};
template <>
inline constexpr std::string_view in_lanes<ResponseJob> = {};
template <>
inline constexpr std::string_view in_lanes<RegressorJob> = {};

template <class Job, class F, class T, int W>
class LaneRunnerOf final : public LaneRunner<T> {
 public:
  using S = Pack<T, W>;

  explicit LaneRunnerOf(const BasicMechanism<T>& given)
      : robot_(std::make_shared<const BasicMechanism<T>>(given)),
        info_(Job::describe()),
        workspace_(*robot_),
        room_(*robot_),
        doubtful_(doubtful_pivots<T>(*robot_)) {
    const Sizes sizes = sizes_of(*robot_);
    for (const Input input : info_.inputs) rows_[std::size_t(input)].resize(index(info_of(input).size(sizes)));
    for (const OutputInfo& output : info_.outputs) sizes_.push_back(index(output.size(sizes)));
    results_.resize(index(info_.size(sizes)));
  }
  LaneRunnerOf(const LaneRunnerOf&) = default;
  std::unique_ptr<LaneRunner<T>> clone() const override { return std::make_unique<LaneRunnerOf>(*this); }
  int lanes() const override { return W; }

  bool run(std::size_t states, const BatchInputs<T>& in, int frame, const StateArray<T>* out,
           unsigned char* doubtful) override {
    bool good = true;
    for (std::size_t start = 0; start < states; start += W) {
      const int count = states - start < W ? int(states - start) : W;
      Inputs<S> inputs;
      inputs.frame = frame;
      for (const Input input : info_.inputs) {
        load(in[input].from(start), count, rows_[std::size_t(input)]);
        inputs[input] = rows_[std::size_t(input)];
      }
      compute(inputs);
      store(out, start, count);
      const Bits doubt = doubts(inputs);
      Integer any = 0;
      for (int k = 0; k < W; ++k) any |= doubt[k];
      if (any == 0) continue;
      for (int k = 0; k < count; ++k)
        if (doubt[k] != 0) doubtful[start + index(k)] = 1, good = false;
    }
    return good;
  }

 private:
  using Bits = typename detail::BitsOfLanes<T, W>::type;
  using Integer = typename detail::BitsOfLanes<T, W>::Integer;

  // The last lanes of the last states repeat one.
  static void load(const StateArray<const T>& from, int count, Array<S>& to) {
    const T* data = from.data;
    if (count == W && from.by_state == 1) {
      for (S& entry : to) __builtin_memcpy(&entry.v, data, sizeof entry.v), data += from.by_entry;
    } else if (count == W) {
      for (S& entry : to) {
        for (int k = 0; k < W; ++k) entry.v[k] = data[k * from.by_state];
        data += from.by_entry;
      }
    } else {
      for (S& entry : to) {
        for (int k = 0; k < W; ++k) entry.v[k] = data[(k < count ? k : count - 1) * from.by_state];
        data += from.by_entry;
      }
    }
  }
  void store(const StateArray<T>* out, std::size_t start, int count) const {
    const S* from = results_.data();
    for (std::size_t o = 0; o < sizes_.size(); ++o) {
      const StateArray<T> to = out[o].from(start);
      T* data = to.data;
      for (std::size_t j = 0; j < sizes_[o]; ++j, ++from, data += to.by_entry) {
        if (count == W && to.by_state == 1) {
          __builtin_memcpy(data, &from->v, sizeof from->v);
        } else {
          for (int k = 0; k < count; ++k) data[k * to.by_state] = from->v[k];
        }
      }
    }
  }
  [[gnu::noinline]] void compute(const Inputs<S>& in) {
    const Inputs<S>& inside = Job::Around::template before<S>(*robot_, in, room_);
    if constexpr (requires { F::all_in_line; }) {
      sweep_in_line(inside);
    } else {
      Job::template call<F, S>(*robot_, inside, workspace_, results_);
    }
    Job::Around::template after<S>(*robot_, in, results_);
  }
  [[gnu::flatten]] void sweep_in_line(const Inputs<S>& in) {
    Job::template call<F, S>(*robot_, in, workspace_, results_);
  }
  // Not zero where a lane is in doubt.
  Bits doubts(const Inputs<S>& in) const {
    S sum{};
    for (const S& value : results_) sum += T(0) * value;
    for (const Input input : info_.inputs)
      for (const S& value : in[input]) sum += T(0) * value;
    Bits doubt = sum.v != T(0);
    if constexpr (requires { workspace_.pivots; }) {
      for (std::size_t i = 0; i < doubtful_.size(); ++i) doubt |= ~(workspace_.pivots[i].v > doubtful_[i]);
    } else if constexpr (std::is_same_v<typename Job::template Check<T>, PositivePivots<T>>) {
      const S* pivots = &results_[results_.size() - doubtful_.size()];
      for (int i = 0; i < robot_->n(); ++i) doubt |= ~(pivots[robot_->link(i).q].v > T(2) * doubtful_[index(i)]);
    }
    return doubt;
  }

  std::shared_ptr<const BasicMechanism<T>> robot_;
  JobInfo info_;
  typename F::template Workspace<S> workspace_;
  typename Job::Around::template Room<S> room_;
  Array<T> doubtful_;  // by link: how small a pivot may be
  std::array<Array<S>, std::size(all_inputs)> rows_;
  Array<std::size_t> sizes_;  // of the outputs
  Array<S> results_;
};

template <class Job, class T>
std::unique_ptr<LaneRunner<T>> make_lane_runner_of(const BasicMechanism<T>& robot) {
  constexpr int W = detail::pack_bytes / int(sizeof(T));
  std::unique_ptr<LaneRunner<T>> made;
  Job::Formulations::for_each([&](auto f) {
    if constexpr (f.info.name == in_lanes<Job>) made = std::make_unique<LaneRunnerOf<Job, decltype(f), T, W>>(robot);
  });
  return made;
}
template <class T>
std::unique_ptr<LaneRunner<T>> make_linked_lane_runner(std::string_view job, const BasicMechanism<T>& robot) {
  std::unique_ptr<LaneRunner<T>> made;
  AllJobs::for_each([&](auto described) {
    if (described.describe().name == job) made = make_lane_runner_of<decltype(described)>(robot);
  });
  return made;
}

}  // namespace catena
