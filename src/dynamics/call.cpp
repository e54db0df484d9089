#include "catena/dynamics/call.hpp"

#include <algorithm>
#include <array>
#include <concepts>
#include <functional>
#include <optional>
#include <stdexcept>
#include <utility>
#include <vector>

#include "catena/dynamics/around/gathered_forces.hpp"
#include "catena/dynamics/checks.hpp"
#include "catena/dynamics/runner.hpp"
#include "catena/model/regroup.hpp"

namespace catena {
namespace {

template <class S>
bool apart(std::span<const S> a, std::span<const S> b) {
  const std::less_equal<> before;
  return a.empty() || b.empty() || before(a.data() + a.size(), b.data()) || before(b.data() + b.size(), a.data());
}

// Code compiled for the robot, in the place of a formulation.
template <class S>
class FunctionRunner final : public Runner<S> {
 public:
  FunctionRunner(const MechanismFor<S>& made_for, const JobInfo& job, const CompiledFunction<S>& code)
      : Runner<S>(made_for, job.formulation(code.formulation), job.result), inputs_(job.inputs), code_(code) {}
  std::unique_ptr<Runner<S>> clone() const override { return std::make_unique<FunctionRunner>(*this); }

  void run(const Inputs<S>& in, std::span<S> out) override {
    std::array<const S*, std::size(all_inputs)> arrays;
    for (std::size_t k = 0; k < inputs_.size(); ++k) arrays[k] = in[inputs_[k]].data();
    code_.function(arrays.data(), out.data());
  }
  void run_formulation(const Inputs<S>& in, std::span<S> out) override { run(in, out); }
  // Code is made for one robot.
  void follow(std::shared_ptr<const MechanismFor<S>>, int) override {}
  void rebuild() override {}
  // Folded code may not read an argument at all; a formulation would have found out.
  void check(const Inputs<S>& in, std::span<const S> out) override {
    bool finite = all_finite<S>(out);
    for (const Input input : inputs_) finite = finite & all_finite<S>(in[input]);
    if (!finite) report_not_finite<S>(in, this->result);
  }

 private:
  std::vector<Input> inputs_;
  CompiledFunction<S> code_;
};

template <class S>
std::unique_ptr<Runner<S>> choose_runner(const Mechanism& robot, const JobInfo& job, std::string_view formulation) {
  using T = ConstantOf<S>;
  if (!formulation.empty()) return make_runner<S>(job.name, robot.cast<T>(), formulation);
  return make_runner<S>(job.name, optimize(robot).template cast<T>(), job.standard_for(robot));
}

}  // namespace

template <class S>
struct Call<S>::Parts {
  const JobInfo* job;
  std::unique_ptr<Runner<S>> runner;
  EngineReport report;
  int compiled_frame = tool_frame;
  std::size_t size;
  std::array<std::size_t, std::size(all_inputs)> lengths;
  std::shared_ptr<Arena> arena;               // what `forces` stands in, where a robot is followed
  std::optional<GatheredForces<S>> forces;    // where wrenches act
  std::vector<S> pushed;                      // torques with the generalized forces of wrenches
  std::vector<S> turning;                     // what those change with positions
  std::shared_ptr<const LiveMechanism> live;  // where it follows one
  std::uint64_t version = 0;                  // of it, that everything here is made for
  // What factor() was called with.
  std::vector<S> q, qd, held;  // held: generalized forces
  bool factored = false;
  bool plain = true;                                // lengths are all there is to look at before a run
  std::array<bool, std::size(all_inputs)> taken{};  // which of the inputs the job reads

  Parts(const JobInfo& described, std::unique_ptr<Runner<S>> made, EngineReport made_by)
      : job(&described), runner(std::move(made)), report(std::move(made_by)) {
    fit();
  }
  // Lengths of everything, by the robot as it is.
  void fit() {
    const Sizes sizes = sizes_of(runner->robot());
    plain = !runner->robot().free_base;
    size = index(job->size(sizes));
    for (const InputInfo& info : all_inputs) lengths[static_cast<std::size_t>(info.input)] = index(info.size(sizes));
    for (const Input input : job->inputs) taken[static_cast<std::size_t>(input)] = true;
    if (job->wrenches != WrenchRole::none) find_forces_in(arena.get());
    if (job->wrenches == WrenchRole::change_response) turning.resize(index(sizes.velocities) * index(sizes.velocities));
    if (job->wrenches == WrenchRole::add_to_torques || job->wrenches == WrenchRole::by_joint ||
        job->wrenches == WrenchRole::change_response) {
      pushed.resize(index(sizes.velocities));
      q.resize(index(sizes.positions));
      qd.resize(index(sizes.velocities));
      held.resize(index(sizes.velocities));
    }
  }
  void find_forces_in(Arena* memory) {
    forces.reset();
    if (!memory) {
      forces.emplace(runner->robot());
      return;
    }
    memory->clear();
    const ArenaScope scope(*memory);
    forces.emplace(runner->robot());
  }
  void follow(std::shared_ptr<const LiveMechanism> changing) {
    live = std::move(changing);
    const auto most = index(std::max(live->most_joints, live->robot.n()));
    for (auto* list : {&pushed, &q, &qd, &held}) list->reserve(most);
    if (job->wrenches == WrenchRole::change_response) turning.reserve(most * most);
    arena = std::make_shared<Arena>(most * 512 + 1024);
    take_over();
  }
  void keep_up() {
    if (live && version != live->version) [[unlikely]]
      take_over();
  }
  // The robot has changed, or is another.
  void take_over() {
    version = live->version;
    if constexpr (std::same_as<S, double>) {
      if (&runner->robot() == &live->robot)
        runner->rebuild();
      else
        runner->follow({live, &live->robot}, std::max(live->most_joints, live->robot.n()));
    } else {
      runner->follow(std::make_shared<const MechanismFor<S>>(live->robot.template cast<ConstantOf<S>>()),
                     live->robot.n());
    }
    fit();
    factored = false;
  }
  Parts(const Parts& other)
      : job(other.job),
        runner(other.runner->clone()),
        report(other.report),
        compiled_frame(other.compiled_frame),
        size(other.size),
        lengths(other.lengths),
        forces(other.forces),
        pushed(other.pushed),
        turning(other.turning),
        live(other.live),
        version(other.version),
        q(other.q),
        qd(other.qd),
        held(other.held),
        plain(other.plain),
        taken(other.taken) {}
  Parts& operator=(const Parts&) = delete;
  ~Parts() = default;

  void require_input(const Inputs<S>& in, Input input) const {
    require_length(in[input].size(), lengths[static_cast<std::size_t>(input)], info_of(input).name);
  }
  void require_results(std::span<const S> out) const {
    require_length(out.size(), size, job->outputs.size() == 1 ? job->outputs.front().name : job->result);
  }
  // Whether an ordinary call has nothing to object to; written out for each input, as the loop costs more than it asks.
  bool fits(const Inputs<S>& in, std::span<const S> out) const {
    const auto good = [&](std::size_t k, const std::span<const S>& given) {
      return !taken[k] || (given.size() == lengths[k] && apart<S>(given, out));
    };
    const auto all_good = [&]<std::size_t... k>(std::index_sequence<k...>) {
      return (good(k, in[all_inputs[k].input]) && ...);
    };
    return plain && out.size() == size && in.frame == tool_frame && in.wrenches.empty() &&
           all_good(std::make_index_sequence<std::size(all_inputs)>{});
  }
  // Throws what is wrong, if something is.
  void require_shapes(const Inputs<S>& in, std::span<const S> out) const {
    require_results(out);
    for (const Input input : job->inputs) {
      require_input(in, input);
      if (!apart<S>(in[input], out))
        throw std::invalid_argument(std::string(job->outputs.front().name) + " overlaps an argument");
    }
    if (!plain && job->takes(Input::q)) require_unit_quaternion<S>(in.q);
    if (in.frame != tool_frame && job->takes_frame) require_served(in.frame);
    if (!in.wrenches.empty() && job->wrenches == WrenchRole::none)
      throw std::invalid_argument("external wrenches do nothing to " + std::string(job->name));
  }
  void require_served(int frame) const {
    require_frame(runner->robot(), frame);
    if (report.kind == EngineKind::compiled && frame != compiled_frame)
      throw std::invalid_argument("this code was compiled for the frame '" +
                                  runner->robot().frames[index(compiled_frame)].name + "'");
  }

  void run_pushed(const Inputs<S>& in, std::span<S> out) {
    if (job->wrenches == WrenchRole::lower_stiffness) {
      const std::size_t n = index(runner->robot().nv());
      runner->run(in, out);
      forces->lower_stiffness(runner->robot(), in.q, in.wrenches, out.last(n * n));
      return;
    }
    const std::span<const S> pushes = forces->find(runner->robot(), in.q, in.wrenches);
    if (job->wrenches == WrenchRole::lower_result) {
      runner->run(in, out);
      for (std::size_t j = 0; j < out.size(); ++j) out[j] -= pushes[j];
      return;
    }
    for (std::size_t j = 0; j < pushed.size(); ++j) pushed[j] = in.tau[j] + pushes[j];
    Inputs<S> inside = in;
    inside.tau = pushed;
    runner->run(inside, out);
    if (job->wrenches == WrenchRole::change_response) change_response(in, out);
    if (job->wrenches == WrenchRole::by_joint) lower_active(in, pushes, out.last(pushes.size()));
  }
  // What drives must bring; a torque that was given stays as it was.
  void lower_active(const Inputs<S>& in, std::span<const S> pushes, std::span<S> tau) const {
    for (std::size_t j = 0; j < tau.size(); ++j)
      tau[j] = runner->robot().is_passive(static_cast<int>(j)) ? in.tau[j] : tau[j] - pushes[j];
  }
  // ∂q̈/∂q += ∂q̈/∂τ ∂(Jᵀw)/∂q
  void change_response(const Inputs<S>& in, std::span<S> out) {
    const int n = runner->robot().nv();
    const std::size_t square = index(n) * index(n);
    std::fill(turning.begin(), turning.end(), S(0));
    forces->lower_stiffness(runner->robot(), in.q, in.wrenches, turning);
    const MatrixView<S> to_q{out.first(square), n}, to_tau{out.last(square), n}, lowered{turning, n};
    for (int i = 0; i < n; ++i)
      for (int k = 0; k < n; ++k)
        for (int j = 0; j < n; ++j) to_q(i, j) -= to_tau(i, k) * lowered(k, j);
  }
};

template <class S>
Call<S>::Call(const Mechanism& robot, std::string_view job, std::string_view formulation, EngineReport report)
    : parts_(std::make_unique<Parts>(job_info(job), choose_runner<S>(robot, job_info(job), formulation),
                                     std::move(report))) {}
template <class S>
Call<S>::Call(std::shared_ptr<const LiveMechanism> robot, std::string_view job, std::string_view formulation)
    : Call(robot->robot, job, formulation.empty() ? job_info(job).standard_for(robot->robot) : formulation) {
  parts_->follow(std::move(robot));
}
template <class S>
Call<S>::Call(const Mechanism& robot, std::string_view job, CompiledFunction<S> code)
    : parts_(std::make_unique<Parts>(
          job_info(job), std::make_unique<FunctionRunner<S>>(robot.cast<ConstantOf<S>>(), job_info(job), code),
          code.report)) {
  parts_->compiled_frame = code.frame == tool_frame ? robot.tool : code.frame;
}
template <class S>
Call<S>::~Call() = default;
template <class S>
Call<S>::Call(Call&&) noexcept = default;
template <class S>
Call<S>& Call<S>::operator=(Call&&) noexcept = default;
template <class S>
Call<S>::Call(const Call& other) : parts_(std::make_unique<Parts>(*other.parts_)) {}
template <class S>
Call<S>& Call<S>::operator=(const Call& other) {
  if (this != &other) parts_ = std::make_unique<Parts>(*other.parts_);
  return *this;
}

template <class S>
void Call<S>::operator()(const Inputs<S>& in, std::span<S> out) {
  Parts& parts = *parts_;
  parts.keep_up();
  if (!parts.fits(in, out)) [[unlikely]]
    parts.require_shapes(in, out);
  parts.factored = false;
  if (in.wrenches.empty()) {
    parts.runner->run_and_check(in, out);
  } else {
    parts.run_pushed(in, out);
    parts.runner->check(in, out);
  }
}

template <class S>
void Call<S>::factor(const Inputs<S>& in) {
  Parts& parts = *parts_;
  parts.keep_up();
  parts.require_input(in, Input::q);
  parts.require_input(in, Input::qd);
  if (!parts.plain) require_unit_quaternion<S>(in.q);
  parts.factored = false;
  std::copy(in.q.begin(), in.q.end(), parts.q.begin());
  std::copy(in.qd.begin(), in.qd.end(), parts.qd.begin());
  std::fill(parts.held.begin(), parts.held.end(), S(0));
  if (!in.wrenches.empty()) {
    const std::span<const S> pushes = parts.forces->find(parts.runner->robot(), in.q, in.wrenches);
    std::copy(pushes.begin(), pushes.end(), parts.held.begin());
  }
  parts.runner->factor(in);
  parts.runner->check(in, {});
  parts.factored = true;
}

template <class S>
void Call<S>::solve(std::span<const S> tau, std::span<S> qdd) {
  Parts& parts = *parts_;
  parts.keep_up();
  parts.require_input({.tau = tau}, Input::tau);
  parts.require_results(qdd);
  if (!parts.factored) throw std::logic_error("solve() needs a factor() before it");
  for (std::size_t j = 0; j < tau.size(); ++j) parts.pushed[j] = tau[j] + parts.held[j];
  const Inputs<S> in{.q = parts.q, .qd = parts.qd, .tau = parts.pushed};
  parts.runner->solve(in, qdd);
  parts.runner->check(in, qdd);
}

template <class S>
void Call<S>::require_job(std::string_view job) const {
  if (parts_->job->name != job)
    throw std::invalid_argument("a call of '" + std::string(parts_->job->name) + "' cannot serve as '" +
                                std::string(job) + "'");
}

template <class S>
const JobInfo& Call<S>::job() const {
  return *parts_->job;
}
template <class S>
const FormulationInfo& Call<S>::formulation() const {
  return parts_->runner->formulation;
}
template <class S>
int Call<S>::iterations() const {
  return parts_->runner->iterations();
}

template <class S>
const EngineReport& Call<S>::engine() const {
  return parts_->report;
}
template <class S>
int Call<S>::n() const {
  parts_->keep_up();
  return parts_->runner->robot().nv();
}
template <class S>
std::size_t Call<S>::size() const {
  parts_->keep_up();
  return parts_->size;
}

template class Call<double>;
template class Call<float>;

}  // namespace catena
