// The definitions for runner.hpp, for files that instantiate a job on a scalar.
#pragma once

#include <concepts>
#include <limits>
#include <type_traits>
#include <utility>

#include "formulations/shared/reference_only.hpp"
#include "jobs/descriptor.hpp"
#include "jobs/runner.hpp"
#include "run/around_formulation.hpp"

namespace catena {

namespace detail {
// The optional abilities of a runner, if its formulation has them.
template <class Derived, class S, bool>
class MaybeTwoHalves {};
template <class Derived, class S>
class MaybeTwoHalves<Derived, S, true> : public TwoHalves<S> {
 public:
  Doubt<S> factor(const Inputs<S>& in) override { return static_cast<Derived*>(this)->factor_state(in); }
  Doubt<S> solve(const Inputs<S>& in, std::span<S> out) override {
    return static_cast<Derived*>(this)->solve_torques(in, out);
  }
};
template <class Derived, bool>
class MaybeSearch {};
template <class Derived>
class MaybeSearch<Derived, true> : public Search {
 public:
  int iterations() const override { return static_cast<const Derived*>(this)->workspace().iterations(); }
};

template <class F, class S>
inline constexpr bool keeps_factors = requires(const TreeFor<S>& robot, const Inputs<S>& in,
                                               typename F::template Workspace<S>& ws) {
  F::template factor<S>(robot, in.q, in.qd, ws);
};
template <class F, class S>
inline constexpr bool searches = requires(const typename F::template Workspace<S>& ws) {
  ws.iterations();
};
}  // namespace detail

template <class Job, class F, class S>
class RunnerOf final : public Runner<S>,
                       public detail::MaybeTwoHalves<RunnerOf<Job, F, S>, S, detail::keeps_factors<F, S>>,
                       public detail::MaybeSearch<RunnerOf<Job, F, S>, detail::searches<F, S>> {
 public:
  using Workspace = typename F::template Workspace<S>;

  explicit RunnerOf(std::shared_ptr<const TreeFor<S>> tree)
      : Runner<S>(F::info),
        tree_(std::move(tree)),
        job_(&job_info(name_of_job<Job>())),
        workspace_(*tree_),
        check_(*tree_),
        around_(*tree_, *job_) {}
  std::unique_ptr<Runner<S>> clone() const override { return std::make_unique<RunnerOf>(*this); }

  Doubt<S> run(const Inputs<S>& in, std::span<S> out) override {
    if (!tree_->has_drives) {
      compute(in, out);
    } else {
      compute(around_.before(*tree_, in), out);
      around_.after(*tree_, in, out);
    }
    return check_.doubt(in, out, workspace_);
  }
  void check(const Inputs<S>& in, std::span<const S> out) override {
    check_.explain(*tree_, *job_, in, out, workspace_);
  }

  Doubt<S> factor_state(const Inputs<S>& in) {
    F::template factor<S>(*tree_, in.q, in.qd, workspace_);
    return check_.doubt(in, {}, workspace_);
  }
  Doubt<S> solve_torques(const Inputs<S>& in, std::span<S> out) {
    const Inputs<S>& inside = tree_->has_drives ? around_.before(*tree_, in) : in;
    F::template solve<S>(*tree_, in.q, inside.tau, workspace_, out);
    return check_.doubt(in, out, workspace_);
  }
  const Workspace& workspace() const { return workspace_; }

 private:
  [[gnu::noinline]] void compute(const Inputs<S>& in, std::span<S> out) {
    if constexpr ((std::floating_point<S> || Packed<S>)&&requires { F::all_in_line; }) {
      sweep_in_line(in, out);
    } else {
      Job::template call<F, S>(*tree_, in, workspace_, out);
    }
  }
  // Inlines everything the formulation calls, if it declares `all_in_line`: its speed must not depend on the compiler's
  // size limits for inlining. Not used for all formulations: some would take minutes to compile.
  [[gnu::flatten]] void sweep_in_line(const Inputs<S>& in, std::span<S> out) {
    Job::template call<F, S>(*tree_, in, workspace_, out);
  }

  std::shared_ptr<const TreeFor<S>> tree_;
  const JobInfo* job_;
  Workspace workspace_;
  typename Job::template Check<S> check_;
  AroundFormulation<S> around_;
};

// A formulation may have its own form for a moving base.
template <class Job, class F, class S>
std::unique_ptr<Runner<S>> make_runner_by(std::shared_ptr<const TreeFor<S>> tree) {
  if constexpr (requires { typename F::OnCarriedBase; })
    if (tree->carried) return std::make_unique<RunnerOf<Job, typename F::OnCarriedBase, S>>(std::move(tree));
  return std::make_unique<RunnerOf<Job, F, S>>(std::move(tree));
}

// Null for a formulation that is not compiled here: instruction levels above the lowest leave out those that exist only
// for comparison (cmake/CatenaLevels.cmake), and the level below is used; packs have one for each job.
template <class Job, class S>
std::unique_ptr<Runner<S>> RunnersOf<Job, S>::make(std::shared_ptr<const TreeFor<S>> tree,
                                                   std::string_view formulation) {
#ifdef CATENA_LEVEL_ENTRY
  constexpr bool all = false;
#else
  constexpr bool all = true;
#endif
  std::unique_ptr<Runner<S>> made;
  Job::Formulations::for_each([&](auto f) {
    using F = decltype(f);
    if constexpr (Packed<S>) {
      if constexpr (F::info.name == Job::template in_lanes<Job>()) made = make_runner_by<Job, F, S>(std::move(tree));
    } else if constexpr (all || !is_reference_only<F>()) {
      if (f.info.name == formulation) made = make_runner_by<Job, F, S>(std::move(tree));
    }
  });
  return made;
}

}  // namespace catena
