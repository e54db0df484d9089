#include "catena/call.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <concepts>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <stdexcept>
#include <utility>
#include <vector>

#include "catena/model/regroup.hpp"
#include "coordinates/placement.hpp"
#include "jobs/checks.hpp"
#include "jobs/instance_scalar.hpp"
#include "jobs/runner.hpp"
#include "run/around_wrenches.hpp"
#include "run/level.hpp"

namespace catena {
namespace {

template <class S>
bool apart(std::span<const S> a, std::span<const S> b) {
  const std::less_equal<> before;
  return a.empty() || b.empty() || before(a.data() + a.size(), b.data()) || before(b.data() + b.size(), a.data());
}

// Code compiled for the robot, in place of a formulation.
template <class S>
class FunctionRunner final : public Runner<S> {
 public:
  FunctionRunner(const JobInfo& job, std::vector<Input> inputs, const CompiledFunction<S>& code,
                 const std::shared_ptr<const MechanismFor<S>>& robot)
      : Runner<S>(job.formulation(code.formulation)),
        job_(&job),
        inputs_(std::move(inputs)),
        code_(code),
        placement_(robot) {}
  std::unique_ptr<Runner<S>> clone() const override { return std::make_unique<FunctionRunner>(*this); }

  bool run(const Inputs<S>& in, std::span<S> out) override {
    std::array<const S*, std::size(all_inputs)> arrays;
    static constexpr S at_rest[base_motion_size]{};
    for (std::size_t k = 0; k < inputs_.size(); ++k)
      arrays[k] = inputs_[k] == Input::base_motion && in.base.empty() ? at_rest : in[inputs_[k]].data();
    for (std::size_t k = 0; k < inputs_.size(); ++k)
      if (inputs_[k] == Input::q) arrays[k] = placement_(in.q).data();
    code_.function(arrays.data(), out.data());
    return !all_finite<S>(out);
  }
  void check(const Inputs<S>& in, std::span<const S>) override { report_not_finite<S>(in, job_->result); }

 private:
  const JobInfo* job_;
  std::vector<Input> inputs_;
  CompiledFunction<S> code_;
  PlacementOf<S> placement_;
};

template <class S>
using Shared = std::shared_ptr<const MechanismFor<S>>;

// Without a formulation: the optimized robot.
template <class S>
Shared<S> made_ready(const Mechanism& robot, std::string_view formulation) {
  using T = ConstantOf<S>;
  return std::make_shared<const MechanismFor<S>>((formulation.empty() ? optimize(robot) : robot).template cast<T>());
}

}  // namespace

template <class S>
struct Call<S>::Impl {
  const JobInfo* job;
  Shared<S> robot;
  std::shared_ptr<Arena> arena;  // holds everything below, if the call follows a robot
  std::unique_ptr<Runner<S>> runner;
  EngineReport report;
  int compiled_frame = tool_frame;
  std::size_t size;
  std::array<std::size_t, std::size(all_inputs)> lengths;
  std::optional<AroundWrenches<S>> wrenched;  // for jobs that feel wrenches
  std::shared_ptr<const LiveMechanism> live;  // if the call follows one
  std::uint64_t version = 0;                  // the version of it that everything here was built for
  // The arguments of factor().
  std::vector<S> q, qd, held;  // held: generalized forces
  std::vector<S> pushed;       // torques plus these
  bool factored = false;
  bool free = false;                                // the base is free: q has a quaternion
  std::array<bool, std::size(all_inputs)> taken{};  // which of the inputs the job reads
  bool more = false;                                // also some that come with the robot
  struct Entry {
    Input input;
    std::size_t at;
  };
  bool may_be_unread = true;  // whether the runner may not read all of the inputs
  std::vector<Entry> unread;  // what it does not read; empty where that is not known

  Impl(const JobInfo& described, Shared<S> made_for, std::unique_ptr<Runner<S>> made, EngineReport made_by)
      : job(&described), robot(std::move(made_for)), runner(std::move(made)), report(std::move(made_by)) {
    fit();
    find_unread();
  }
  // Sets all lengths for the present robot.
  void fit() {
    may_be_unread = true, unread.clear();
    const Sizes sizes = sizes_of(*robot);
    free = robot->coordinates.is_free();
    size = index(job->size(sizes));
    for (const InputInfo& info : all_inputs) lengths[static_cast<std::size_t>(info.input)] = index(info.size(sizes));
    for (const InputInfo& info : all_inputs)
      taken[static_cast<std::size_t>(info.input)] = job->takes(info.input, sizes);
    more = std::any_of(taken.begin() + base_at, taken.end(), [](bool one) { return one; });
    if (!job->feels_wrenches()) return;
    wrenched.reset();
    wrenched.emplace(robot, *job);
    if (!job->takes(Input::tau)) return;
    for (auto* list : {&pushed, &qd, &held}) list->resize(index(sizes.velocities));
    q.resize(index(sizes.positions));
  }
  // The robot has changed, or is another: everything is rebuilt in the same memory. If more is needed than ever before,
  // the memory is enlarged first.
  void keep_up() {
    if (live && version != live->version) [[unlikely]]
      take_over();
  }
  void take_over() {
    version = live->version;
    if constexpr (std::same_as<S, double>) {
      robot = {live, &live->robot};
    } else {
      robot = std::make_shared<const MechanismFor<S>>(live->robot.template cast<ConstantOf<S>>());
    }
    if (!arena) arena = std::make_shared<Arena>();
    const std::string_view by = runner->formulation.name;
    make_in_arena(by);
    if (!arena->was_enough()) {
      const std::size_t needed = arena->asked_for();
      clear();
      *arena = Arena(needed);
      make_in_arena(by);
    }
    factored = false;
  }
  void clear() {
    runner.reset();
    wrenched.reset();
    arena->clear();
  }
  void make_in_arena(std::string_view by) {
    clear();
    const ArenaScope scope(*arena);
    runner = make_runner<S>(job->name, robot, by);
    fit();
  }
  Impl(const Impl& other)
      : job(other.job),
        robot(other.robot),
        runner(other.runner->clone()),
        report(other.report),
        compiled_frame(other.compiled_frame),
        size(other.size),
        lengths(other.lengths),
        wrenched(other.wrenched),
        live(other.live),
        version(other.version),
        q(other.q),
        qd(other.qd),
        held(other.held),
        pushed(other.pushed),
        free(other.free),
        taken(other.taken),
        more(other.more),
        may_be_unread(other.may_be_unread),
        unread(other.unread) {}
  Impl& operator=(const Impl&) = delete;
  ~Impl() = default;

  void require_input(const Inputs<S>& in, Input input) const {
    require_length(in[input].size(), lengths[static_cast<std::size_t>(input)], info_of(input).name);
  }
  void require_results(std::span<const S> out) const {
    require_length(out.size(), size, job->outputs.size() == 1 ? job->outputs.front().name : job->result);
  }
  // The base motion may be left out: then the base is at rest.
  static constexpr std::size_t base_at = static_cast<std::size_t>(Input::base_motion);
  // Whether an ordinary call, for a base that does not move, has valid arguments; written out for each input, as a loop
  // would cost more than the checks.
  bool fits(const Inputs<S>& in, std::span<const S> out) const {
    const auto good = [&](std::size_t k, const std::span<const S>& given) {
      return !taken[k] || (given.size() == lengths[k] && apart<S>(given, out));
    };
    const auto all_good = [&]<std::size_t... k>(std::index_sequence<k...>) {
      return (good(k, in[all_inputs[k].input]) && ...);
    };
    return !more && out.size() == size && in.frame == tool_frame && in.wrenches.empty() &&
           all_good(std::make_index_sequence<base_at>{}) && (!free || has_unit_quaternion<S>(in.q));
  }
  // What is given must be finite also where a formulation does not read it: the angle of a first axis along gravity,
  // the place of a free base, a joint that does not carry the frame. A batch refuses such states too. The sum of what
  // is not finite is not finite either.
  [[gnu::noinline]] bool is_given_finite(const Inputs<S>& in) const {
    S even(0), odd(0);
    for (const Entry& one : unread) even += in[one.input][one.at];
    if (!unread.empty()) return std::isfinite(even);
    const auto add = [&](std::size_t k, const std::span<const S>& given) {
      if (!taken[k]) return;
      const S *value = given.data(), *const end = value + given.size();
      for (; end - value > 1; value += 2) even += value[0], odd += value[1];
      if (value != end) even += *value;
    };
    [&]<std::size_t... k>(std::index_sequence<k...>) { (add(k, in[all_inputs[k].input]), ...); }
    (std::make_index_sequence<std::size(all_inputs)>{});
    return std::isfinite(even + odd);
  }
  // Finds which numbers are not read, by what does not get through to the results, where that takes little time and is
  // the same for all states: then only these need a look at every call.
  void find_unread() {
    constexpr std::size_t little = 4096;
    std::size_t numbers = 0;
    for (std::size_t k = 0; k < base_at; ++k) numbers += taken[k] ? lengths[k] : 0;
    if (more || job->takes_frame || robot->coordinates.is_closed() || numbers * size > little) return;
    std::array<std::vector<S>, base_at> values;
    Inputs<S> in;
    for (std::size_t k = 0; k < base_at; ++k) {
      values[k].assign(lengths[k], S(0.3));
      in[all_inputs[k].input] = values[k];
    }
    if (free) {
      const S turned[] = {S(0.6), S(0), S(0.8), S(0)};
      std::copy(std::begin(turned), std::end(turned), values[0].begin() + 3);
    }
    const std::unique_ptr<Runner<S>> own = runner->clone();
    std::vector<S> out(size);
    const auto is_seen = [&] {
      try {
        return static_cast<bool>(own->run(in, out));
      } catch (const std::domain_error&) {
        return true;
      }
    };
    if (is_seen()) return;  // no result, whatever is given
    for (std::size_t k = 0; k < base_at; ++k)
      for (std::size_t at = 0; taken[k] && at < values[k].size(); ++at) {
        const S kept = values[k][at];
        for (const S bad : {std::numeric_limits<S>::infinity(), std::numeric_limits<S>::quiet_NaN()}) {
          values[k][at] = bad;
          if (is_seen()) continue;
          unread.push_back({all_inputs[k].input, at});
          break;
        }
        values[k][at] = kept;
      }
    may_be_unread = !unread.empty();
  }
  void require_finite(const Inputs<S>& in) const {  // a sum may also overflow
    for (const InputInfo& info : all_inputs)
      if (taken[static_cast<std::size_t>(info.input)]) require_finite_inputs<S>(in, {{info.input}});
  }
  // Throws an error for the first invalid argument, if any.
  void require_shapes(const Inputs<S>& in, std::span<const S> out) const {
    require_results(out);
    for (const InputInfo& info : all_inputs) {
      if (!taken[static_cast<std::size_t>(info.input)] || (info.input == Input::base_motion && in.base.empty()))
        continue;
      require_input(in, info.input);
      if (!apart<S>(in[info.input], out))
        throw std::invalid_argument(std::string(job->outputs.front().name) + " overlaps an argument");
    }
    if (free && job->takes(Input::q)) require_unit_quaternion<S>(in.q);
    if (in.frame != tool_frame && job->takes_frame) require_served(in.frame);
    if (!in.wrenches.empty() && !job->feels_wrenches())
      throw std::invalid_argument(std::string(job->name) + " does not take external wrenches");
  }
  void require_served(int frame) const {
    require_frame(*robot, frame);
    if (report.kind == EngineKind::compiled && frame != compiled_frame)
      throw std::invalid_argument("this code was compiled for the frame '" + robot->frames[index(compiled_frame)].name +
                                  "'");
  }
};

namespace {
template <class S>
std::string_view default_of(const JobInfo& job, const Mechanism& robot) {
  return job.standard_for(robot, std::same_as<S, double> && has_wide_vectors());  // float runs at the baseline
}
}  // namespace

template <class S>
Call<S>::Call(const Mechanism& robot, std::string_view job, std::string_view formulation, EngineReport report) {
  const JobInfo& info = job_info(job);
  const Shared<S> ready = made_ready<S>(robot, formulation);
  auto runner = make_runner<S>(job, ready, formulation.empty() ? default_of<S>(info, robot) : formulation);
  impl_ = std::make_unique<Impl>(info, ready, std::move(runner), std::move(report));
}
template <class S>
Call<S>::Call(std::shared_ptr<const LiveMechanism> robot, std::string_view job, std::string_view formulation)
    : Call(robot->robot, job, formulation.empty() ? default_of<S>(job_info(job), robot->robot) : formulation) {
  impl_->live = std::move(robot);
  impl_->take_over();
}
template <class S>
Call<S>::Call(const Mechanism& robot, std::string_view job, CompiledFunction<S> code) {
  const JobInfo& info = job_info(job);
  const auto shared = std::make_shared<const MechanismFor<S>>(robot.cast<ConstantOf<S>>());
  impl_ = std::make_unique<Impl>(
      info, shared, std::make_unique<FunctionRunner<S>>(info, info.inputs_for(robot), code, shared), code.report);
  impl_->compiled_frame = code.frame == tool_frame ? robot.tool : code.frame;
}
template <class S>
Call<S>::~Call() = default;
template <class S>
Call<S>::Call(Call&&) noexcept = default;
template <class S>
Call<S>& Call<S>::operator=(Call&&) noexcept = default;
template <class S>
Call<S>::Call(const Call& other) : impl_(std::make_unique<Impl>(*other.impl_)) {}
template <class S>
Call<S>& Call<S>::operator=(const Call& other) {
  if (this != &other) impl_ = std::make_unique<Impl>(*other.impl_);
  return *this;
}

template <class S>
void Call<S>::operator()(const Inputs<S>& in, std::span<S> out) {
  Impl& parts = *impl_;
  parts.keep_up();
  if (!parts.fits(in, out)) [[unlikely]]
    parts.require_shapes(in, out);
  parts.factored = false;
  if (parts.may_be_unread && !parts.is_given_finite(in)) [[unlikely]]
    parts.require_finite(in);
  for (const ExternalWrench<S>& w : in.wrenches)  // one at the base acts on nothing
    for (const S& v : {w.force.x, w.force.y, w.force.z, w.moment.x, w.moment.y, w.moment.z})
      if (!std::isfinite(v)) [[unlikely]]
        report_not_finite<S>(in, parts.job->result);
  const bool doubt = in.wrenches.empty() ? parts.runner->run(in, out) : parts.wrenched->run(*parts.runner, in, out);
  if (doubt) [[unlikely]]
    parts.runner->check(in, out);
}

namespace {
// What comes with the robot would have to be stored too.
template <class T>
void require_state_alone_to_factor(const BasicMechanism<T>& robot) {
  if (robot.coordinates.is_moving())
    throw std::invalid_argument("forward dynamics in two halves do not take a moving base");
  if (!robot.wrenches.empty() || robot.varied)
    throw std::invalid_argument("forward dynamics in two halves take no wrenches and constants as inputs");
}
}  // namespace

template <class S>
void Call<S>::factor(const Inputs<S>& in) {
  Impl& parts = *impl_;
  parts.keep_up();
  parts.require_input(in, Input::q);
  parts.require_input(in, Input::qd);
  if (parts.free) require_unit_quaternion<S>(in.q);
  require_state_alone_to_factor(*parts.robot);
  parts.factored = false;
  std::copy(in.q.begin(), in.q.end(), parts.q.begin());
  std::copy(in.qd.begin(), in.qd.end(), parts.qd.begin());
  std::fill(parts.held.begin(), parts.held.end(), S(0));
  if (!in.wrenches.empty()) {
    const std::span<const S> pushes = parts.wrenched->pushes().find(in.q, in.wrenches);
    std::copy(pushes.begin(), pushes.end(), parts.held.begin());
  }
  auto* halves = dynamic_cast<TwoHalves<S>*>(parts.runner.get());
  require_finite_inputs<S>(in, {{Input::q, Input::qd}});
  if (halves && halves->factor(in)) parts.runner->check(in, {});
  parts.factored = true;
}

template <class S>
void Call<S>::solve(std::span<const S> tau, std::span<S> qdd) {
  Impl& parts = *impl_;
  parts.keep_up();
  parts.require_input({.tau = tau}, Input::tau);
  parts.require_results(qdd);
  if (!parts.factored) throw std::logic_error("call factor() before solve()");
  require_finite_inputs<S>({.tau = tau}, {{Input::tau}});
  for (std::size_t j = 0; j < tau.size(); ++j) parts.pushed[j] = tau[j] + parts.held[j];
  const Inputs<S> in{.q = parts.q, .qd = parts.qd, .tau = parts.pushed};
  auto* halves = dynamic_cast<TwoHalves<S>*>(parts.runner.get());  // a runner that stores nothing does all the work now
  if (halves ? halves->solve(in, qdd) : parts.runner->run(in, qdd)) parts.runner->check(in, qdd);
}

template <class S>
void Call<S>::require_job(std::string_view job) const {
  if (impl_->job->name != job)
    throw std::invalid_argument("a call of '" + std::string(impl_->job->name) + "' cannot serve as '" +
                                std::string(job) + "'");
}

template <class S>
const JobInfo& Call<S>::job() const {
  return *impl_->job;
}
template <class S>
const FormulationInfo& Call<S>::formulation() const {
  return impl_->runner->formulation;
}
template <class S>
int Call<S>::iterations() const {
  const auto* search = dynamic_cast<const Search*>(impl_->runner.get());
  return search ? search->iterations() : 0;
}

template <class S>
const EngineReport& Call<S>::engine() const {
  return impl_->report;
}
template <class S>
int Call<S>::nq() const {
  impl_->keep_up();
  return impl_->robot->nq();
}
template <class S>
int Call<S>::nv() const {
  impl_->keep_up();
  return impl_->robot->nv();
}
template <class S>
std::size_t Call<S>::size() const {
  impl_->keep_up();
  return impl_->size;
}

template class Call<InstanceScalar>;

}  // namespace catena
