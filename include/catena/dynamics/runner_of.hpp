// The bodies behind runner.hpp, for whoever instantiates a job on a scalar.
#pragma once

#include <concepts>
#include <limits>
#include <optional>

#include "catena/dynamics/early_omega.hpp"
#include "catena/dynamics/jobs/descriptor.hpp"
#include "catena/dynamics/runner.hpp"

namespace catena {

// A robot that asks for as much room as any with so many joints: one long branch that is read as a tree, with sliding
// joints and drives.
template <class S>
MechanismFor<S> largest_mechanism(int joints) {
  using T = ConstantOf<S>;
  MechanismFor<S> robot;
  robot.links.resize(index(joints));
  for (int i = 0; i < joints; ++i) {
    auto& link = robot.link(i);
    link.parent = i - 1;
    link.q = i;
    link.revolute = i % 2 == 0;
    link.tilt.turned = true;
    link.mass = link.augmented_mass = T(1);
    link.inertia_com = link.pseudo_com = link.augmented_pseudo = {T(1), T(1), T(1), T(0), T(0), T(0)};
  }
  robot.drives.resize(robot.links.size());
  robot.joint_names.resize(robot.links.size());
  robot.limits.resize(robot.links.size());
  robot.passive.resize(robot.links.size());
  robot.frames.resize(1);
  robot.has_drives = robot.has_prismatic = true;
  return robot;
}

template <class Job, class F, class S>
class RunnerOf final : public Runner<S> {
 public:
  using Around = typename Job::Around;

  explicit RunnerOf(const MechanismFor<S>& given)
      : Runner<S>(given, F::info, Job::describe().result), made_(std::in_place, this->robot()) {}
  RunnerOf(const RunnerOf& other)
      : Runner<S>(other), made_(other.made_) {}  // on the heap, whatever the other stands in
  std::unique_ptr<Runner<S>> clone() const override { return std::make_unique<RunnerOf>(*this); }

  void run(const Inputs<S>& in, std::span<S> out) override {
    const Inputs<S>& inside = Around::template before<S>(this->robot(), in, made_->room);
    run_formulation(inside, out);
    Around::template after<S>(this->robot(), in, out);
  }
  [[gnu::noinline]] void run_formulation(const Inputs<S>& in, std::span<S> out) override {
    if constexpr (std::floating_point<S> && requires { F::all_in_line; }) {
      sweep_in_line(in, out);
    } else {
      Job::template call<F, S>(this->robot(), in, made_->workspace, out);
    }
  }
  void check(const Inputs<S>& in, std::span<const S> out) override { made_->check(*this, in, out, made_->workspace); }
  void run_and_check(const Inputs<S>& in, std::span<S> out) override {
    run(in, out);
    check(in, out);
  }

  void factor(const Inputs<S>& in) override {
    if constexpr (keeps_factors) {
      F::template factor<S>(this->robot(), in.q, in.qd, made_->workspace);
    } else if constexpr (requires(Workspace & ws) { ws.pivots; }) {  // not found yet, so not in doubt
      for (S& pivot : made_->workspace.pivots) pivot = S(std::numeric_limits<ConstantOf<S>>::max());
    }
  }
  void solve(const Inputs<S>& in, std::span<S> out) override {
    if constexpr (keeps_factors) {
      const Inputs<S>& inside = Around::template before<S>(this->robot(), in, made_->room);
      F::template solve<S>(this->robot(), in.q, inside.tau, made_->workspace, out);
    } else {
      run(in, out);
    }
  }

  void follow(std::shared_ptr<const MechanismFor<S>> changing, int most_joints) override {
    if constexpr (std::floating_point<S>) {
      const MechanismFor<S> largest = largest_mechanism<S>(most_joints);
      Arena measure;
      {
        const ArenaScope scope(measure);
        const Made made(largest);
      }
      made_.reset();
      arena_ = Arena(measure.asked_for());
      this->robot_ = std::move(changing);
      rebuild();
    }
  }
  void rebuild() override {
    made_.reset();
    arena_.clear();
    const ArenaScope scope(arena_);
    made_.emplace(this->robot());
  }
  int iterations() const override {
    if constexpr (requires(const Workspace& ws) { ws.iterations(); }) return made_->workspace.iterations();
    return 0;
  }
  void choose_early_omega(std::span<const char> by_link) override {
    catena::choose_early_omega(made_->workspace, by_link);
  }

 private:
  using Workspace = typename F::template Workspace<S>;
  static constexpr bool keeps_factors = requires(const MechanismFor<S>& robot, const Inputs<S>& in, Workspace& ws) {
    F::template factor<S>(robot, in.q, in.qd, ws);
  };
  // With all that it calls in line, for a formulation that says so: whether a step is a call must not depend on what a
  // compiler thinks of its size. Not for all: some would take minutes to compile.
  [[gnu::flatten]] void sweep_in_line(const Inputs<S>& in, std::span<S> out) {
    Job::template call<F, S>(this->robot(), in, made_->workspace, out);
  }

  struct Made {
    Workspace workspace;
    typename Around::template Room<S> room;
    typename Job::template Check<S> check;

    explicit Made(const MechanismFor<S>& robot) : workspace(robot), room(robot), check(robot) {}
  };

  Arena arena_;  // before what stands in it
  std::optional<Made> made_;
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
