#include "run_states.hpp"

#include <algorithm>
#include <limits>
#include <optional>
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

// A call with room for one state's numbers in a row.
template <class S>
class StateRunner {
 public:
  StateRunner(Call<S>& call, const Loaded& robot, const Extra& extra)
      : call_(call),
        job_(call.job()),
        wrenches_(wrenches_as<S>(extra.wrenches)),
        frame_(extra.frame),
        out_(call.size()) {
    for (const Input input : job_.inputs) in_.emplace_back(index(info_of(input).size(robot.sizes)));
    for (const OutputInfo& output : job_.outputs) sizes_.push_back(index(output.size(robot.sizes)));
  }

  void run(const Walks<S>& walks, std::span<const std::ptrdiff_t> in_at, std::span<const std::ptrdiff_t> out_at) {
    Inputs<S> in{.wrenches = wrenches_, .frame = frame_};
    for (std::size_t k = 0; k < in_.size(); ++k) {
      const S* first = walks.inputs[k].data + in_at[k];
      if (walks.inputs[k].by_entry == 1) {
        in[job_.inputs[k]] = {first, in_[k].size()};
        continue;
      }
      for (std::size_t j = 0; j < in_[k].size(); ++j) in_[k][j] = first[std::ptrdiff_t(j) * walks.inputs[k].by_entry];
      in[job_.inputs[k]] = in_[k];
    }
    if (sizes_.size() == 1) return call_(in, {walks.outputs[0].data + out_at[0], sizes_[0]});
    call_(in, out_);
    auto next = out_.begin();
    for (std::size_t k = 0; k < sizes_.size(); ++k) {
      std::copy_n(next, sizes_[k], walks.outputs[k].data + out_at[k]);
      next += std::ptrdiff_t(sizes_[k]);
    }
  }
  void mark(const Walks<S>& walks, std::span<const std::ptrdiff_t> out_at) const {
    for (std::size_t k = 0; k < sizes_.size(); ++k)
      std::fill_n(walks.outputs[k].data + out_at[k], sizes_[k], std::numeric_limits<S>::quiet_NaN());
  }

 private:
  Call<S>& call_;
  const JobInfo& job_;
  std::vector<ExternalWrench<S>> wrenches_;
  int frame_;
  std::vector<std::vector<S>> in_;
  std::vector<S> out_;
  std::vector<std::size_t> sizes_;
};

template <class S, class Use>
void with_call(Loaded& robot, std::size_t job, const Extra& extra, Call<double>* own, Use&& use) {
  if constexpr (std::is_same_v<S, double>) {
    if (own != nullptr) return use(*own);
  }
  Borrowed<S> call(robot, job, extra.formulation);
  use(*call);
}

}  // namespace

template <class S>
void run_one(Loaded& robot, std::size_t job, const Walks<S>& walks, const Extra& extra, Call<double>* own) {
  const std::vector<std::ptrdiff_t> start(std::max(walks.inputs.size(), walks.outputs.size()), 0);
  with_call<S>(robot, job, extra, own,
               [&](Call<S>& call) { StateRunner<S>(call, robot, extra).run(walks, start, start); });
}

template <class S>
BatchReport run_many(Loaded& robot, std::size_t job, const Walks<S>& walks, const Extra& extra, Call<double>* own) {
  BatchReport report;
  with_call<S>(robot, job, extra, own, [&](Call<S>& call) {
    StateRunner<S> runner(call, robot, extra);
    std::vector<std::ptrdiff_t> at(walks.shape.size()), in_at(walks.inputs.size()), out_at(walks.outputs.size());
    const auto move = [&](std::size_t side, std::ptrdiff_t steps) {
      for (std::size_t k = 0; k < in_at.size(); ++k) in_at[k] += steps * walks.inputs[k].strides[side];
      for (std::size_t k = 0; k < out_at.size(); ++k) out_at[k] += steps * walks.outputs[k].strides[side];
    };
    while (true) {
      try {
        runner.run(walks, in_at, out_at);
      } catch (const std::domain_error& error) {
        runner.mark(walks, out_at);
        if (report.failed++ == 0) report.first_failed = report.states, report.why = error.what();
      }
      ++report.states;
      std::size_t side = at.size();
      while (side-- > 0) {
        move(side, 1);
        if (++at[side] < walks.shape[side]) break;
        move(side, -walks.shape[side]);
        at[side] = 0;
      }
      if (side == std::size_t(-1)) return;
    }
  });
  return report;
}

#define CATENA_SCALAR(S)                                                                        \
  template void run_one<S>(Loaded&, std::size_t, const Walks<S>&, const Extra&, Call<double>*); \
  template BatchReport run_many<S>(Loaded&, std::size_t, const Walks<S>&, const Extra&, Call<double>*);
CATENA_SCALAR(double)
CATENA_SCALAR(float)
#undef CATENA_SCALAR

}  // namespace catena::python
