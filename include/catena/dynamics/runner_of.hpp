// The bodies behind runner.hpp, for whoever instantiates a job on a scalar.
#pragma once

#include <concepts>
#include <limits>

#include "catena/dynamics/early_omega.hpp"
#include "catena/dynamics/jobs/descriptor.hpp"
#include "catena/dynamics/runner.hpp"

namespace catena {

template <class Job, class F, class S>
class RunnerOf final : public Runner<S> {
 public:
  using Around = typename Job::Around;

  explicit RunnerOf(const MechanismFor<S>& given)
      : Runner<S>(given, F::info, Job::describe().result),
        workspace_(this->robot),
        room_(this->robot),
        check_(this->robot) {}
  std::unique_ptr<Runner<S>> clone() const override { return std::make_unique<RunnerOf>(*this); }

  void run(const Inputs<S>& in, std::span<S> out) override {
    const Inputs<S>& inside = Around::template before<S>(this->robot, in, room_);
    run_formulation(inside, out);
    Around::template after<S>(this->robot, in, out);
  }
  [[gnu::noinline]] void run_formulation(const Inputs<S>& in, std::span<S> out) override {
    if constexpr (std::floating_point<S> && requires { F::all_in_line; }) {
      sweep_in_line(in, out);
    } else {
      Job::template call<F, S>(this->robot, in, workspace_, out);
    }
  }
  void check(const Inputs<S>& in, std::span<const S> out) override { check_(*this, in, out, workspace_); }
  void run_and_check(const Inputs<S>& in, std::span<S> out) override {
    run(in, out);
    check(in, out);
  }

  void factor(const Inputs<S>& in) override {
    if constexpr (keeps_factors) {
      F::template factor<S>(this->robot, in.q, in.qd, workspace_);
    } else if constexpr (requires { workspace_.pivots; }) {  // not found yet, so not in doubt
      for (S& pivot : workspace_.pivots) pivot = S(std::numeric_limits<ConstantOf<S>>::max());
    }
  }
  void solve(const Inputs<S>& in, std::span<S> out) override {
    if constexpr (keeps_factors) {
      const Inputs<S>& inside = Around::template before<S>(this->robot, in, room_);
      F::template solve<S>(this->robot, in.q, inside.tau, workspace_, out);
    } else {
      run(in, out);
    }
  }
  void choose_early_omega(std::span<const char> by_link) override { catena::choose_early_omega(workspace_, by_link); }

 private:
  using Workspace = typename F::template Workspace<S>;
  static constexpr bool keeps_factors = requires(const MechanismFor<S>& robot, const Inputs<S>& in, Workspace& ws) {
    F::template factor<S>(robot, in.q, in.qd, ws);
  };
  // With all that it calls in line, for a formulation that says so: whether a step is a call must not depend on what a
  // compiler thinks of its size. Not for all: some would take minutes to compile.
  [[gnu::flatten]] void sweep_in_line(const Inputs<S>& in, std::span<S> out) {
    Job::template call<F, S>(this->robot, in, workspace_, out);
  }

  Workspace workspace_;
  typename Around::template Room<S> room_;
  typename Job::template Check<S> check_;
};

template <class Job, class S>
std::unique_ptr<Runner<S>> make_runner_of(const MechanismFor<S>& robot, std::string_view formulation) {
  std::unique_ptr<Runner<S>> made;
  Job::Formulations::for_each([&](auto f) {
    if (f.info.name == formulation) made = std::make_unique<RunnerOf<Job, decltype(f), S>>(robot);
  });
  return made;
}

}  // namespace catena
