// The definitions for lane_runner.hpp.
#pragma once

#include <array>
#include <utility>
#include <vector>

#include "catena/scalar/pack.hpp"
#include "jobs/all_jobs.hpp"
#include "run/lane_runner.hpp"
#include "run/make_runner.hpp"
#include "run/pack_array.hpp"
#include "run/runner_of.hpp"

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

// Packs have one formulation for each job, so there is no choice.
template <class S>
std::unique_ptr<Runner<S>> make_packed_runner(std::string_view job, std::shared_ptr<const TreeFor<S>> tree,
                                              std::string_view) {
  return make_linked_runner<S>(job, std::move(tree), {});
}

template <class T, int W>
class LaneRunnerOf final : public LaneRunner<T> {
 public:
  using S = Pack<T, W>;

  LaneRunnerOf(const JobInfo& job, const BasicMechanism<T>& robot, std::unique_ptr<Runner<S>> runner)
      : inputs_(job.inputs_for(robot)), runner_(std::move(runner)) {
    const Sizes sizes = sizes_of(robot);
    for (const Input input : inputs_) rows_[std::size_t(input)].resize(index(info_of(input).size(sizes)));
    for (const OutputInfo& output : job.outputs) sizes_.push_back(index(output.size(sizes)));
    results_.resize(index(job.size(sizes)));
  }
  LaneRunnerOf(const LaneRunnerOf& other)
      : LaneRunner<T>(other),
        inputs_(other.inputs_),
        runner_(other.runner_->clone()),
        rows_(other.rows_),
        sizes_(other.sizes_),
        results_(other.results_) {}
  std::unique_ptr<LaneRunner<T>> clone() const override { return std::make_unique<LaneRunnerOf>(*this); }
  int lanes() const override { return W; }

  bool run(std::size_t states, const BatchInputs<T>& in, int frame, const StateArray<T>* out,
           unsigned char* doubtful) override {
    bool good = true;
    for (std::size_t start = 0; start < states; start += W) {
      const int count = states - start < W ? int(states - start) : W;
      Inputs<S> inputs;
      inputs.frame = frame;
      for (const Input input : inputs_) {
        if (in[input].data) {
          load(in[input].from(start), count, rows_[std::size_t(input)]);
        } else {  // no motion given: the base is at rest
          for (S& entry : rows_[std::size_t(input)]) entry = S{};
        }
        inputs[input] = rows_[std::size_t(input)];
      }
      Doubt<S> doubt = runner_->run(inputs, results_);
      for (const Input input : inputs_) doubt |= not_finite<S>(inputs[input]);  // some may not be read
      store(out, start, count);
      Integer any = 0;
      for (int k = 0; k < W; ++k) any |= doubt[k];
      if (any == 0) continue;
      for (int k = 0; k < count; ++k)
        if (doubt[k] != 0) doubtful[start + index(k)] = 1, good = false;
    }
    return good;
  }

 private:
  using Integer = typename detail::BitsOfLanes<T, W>::Integer;

  // The unused lanes of the last pack repeat a state.
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
  std::vector<Input> inputs_;
  std::unique_ptr<Runner<S>> runner_;
  std::array<Array<S>, std::size(all_inputs)> rows_;
  Array<std::size_t> sizes_;  // of the outputs
  Array<S> results_;
};

template <class T>
std::unique_ptr<LaneRunner<T>> make_linked_lane_runner(const JobInfo& job,
                                                       std::shared_ptr<const BasicMechanism<T>> robot) {
  using S = Pack<T, detail::pack_bytes / int(sizeof(T))>;
  const bool by_matrix = !job.serves(*robot, job.in_lanes);
  auto runner = make_runner_around<S>(job.name, robot, by_matrix ? job.by_matrix : job.in_lanes, make_packed_runner<S>);
  return std::make_unique<LaneRunnerOf<T, S::lanes>>(job, *robot, std::move(runner));
}

}  // namespace catena
