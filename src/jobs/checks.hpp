// What is looked at before a result is passed on: finite numbers, and where M is inverted, its pivots. Only machine
// numbers can be looked at; other scalars pass.
#pragma once

#include <cmath>
#include <limits>
#include <memory>
#include <span>

#include "catena/job.hpp"
#include "formulations/factor/branches.hpp"
#include "formulations/shared/pivots.hpp"
#include "jobs/doubt.hpp"
#include "jobs/runner.hpp"

namespace catena {

// Throws std::invalid_argument unless so many values were given.
void require_length(std::size_t given, std::size_t needed, std::string_view name);

// Results that are not finite: says which input was the cause, or that `result` overflowed. Throws std::domain_error.
template <std::floating_point S>
[[noreturn]] void report_not_finite(const Inputs<S>& in, std::string_view result);

// Throws std::domain_error where one of these inputs is not finite, and names it.
template <std::floating_point S>
void require_finite_inputs(const Inputs<S>& in, std::span<const Input> inputs);

// Each is asked twice: doubt() after every run, for any scalar; explain() where there is doubt, which throws what is
// wrong, if something is.
template <class S>
class FiniteResult {
 public:
  explicit FiniteResult(const TreeFor<S>&) {}
  template <class Workspace>
  Doubt<S> doubt(const Inputs<S>&, std::span<const S> out, const Workspace&) const {
    return not_finite<S>(out);
  }
  template <class Workspace>
  void explain(const TreeFor<S>&, const JobInfo& job, const Inputs<S>& in, std::span<const S> out,
               const Workspace&) const {
    if constexpr (std::floating_point<S>)
      if (!all_finite<S>(out)) report_not_finite<S>(in, job.result);
  }
};

// The factors of M: every pivot must stand out from rounding. Throws std::domain_error that names the joint and why.
template <std::floating_point S>
void require_positive_pivots(const TreeFor<S>& robot, const Inputs<S>& in, const FactorView<const S>& factors,
                             std::span<S> diagonal);

// By link, how small a pivot may be; nothing for scalars that nobody can look at.
template <class S>
Array<ConstantOf<S>> smallest_pivots(const TreeFor<S>& robot) {
  if constexpr (std::floating_point<S> || Packed<S>) {
    return doubtful_pivots(robot);
  } else {
    return {};
  }
}

template <class S>
class PositivePivots {
 public:
  explicit PositivePivots(const TreeFor<S>& robot)
      : diagonal_(index(robot.joints())), doubtful_(smallest_pivots<S>(robot)), joint_(doubtful_.size()) {
    for (std::size_t i = 0; i < joint_.size(); ++i) joint_[i] = index(robot.links[i].q);
  }
  template <class Workspace>
  Doubt<S> doubt(const Inputs<S>&, std::span<const S> out, const Workspace&) const {
    Doubt<S> doubt = not_finite<S>(out);
    const std::span<const S> pivots = out.last(diagonal_.size());
    for (std::size_t i = 0; i < doubtful_.size(); ++i)
      doubt |= not_above(pivots[joint_[i]], ConstantOf<S>(2) * doubtful_[i]);
    return doubt;
  }
  template <class Workspace>
  void explain(const TreeFor<S>& robot, const JobInfo&, const Inputs<S>& in, std::span<const S> out, const Workspace&) {
    if constexpr (std::floating_point<S>)
      require_positive_pivots<S>(robot, in, factor_view(out, robot.joints()), diagonal_);
  }

 private:
  Array<S> diagonal_;
  Array<ConstantOf<S>> doubtful_;
  Array<std::size_t> joint_;
};

// A formulation that solves with M and leaves its pivots by link: where one is in doubt, M is factored to see.
template <class S>
class RegularInertia {
 public:
  explicit RegularInertia(const TreeFor<S>& robot) : doubtful_(smallest_pivots<S>(robot)) {}
  RegularInertia(const RegularInertia& other) : doubtful_(other.doubtful_) {}
  RegularInertia& operator=(const RegularInertia&) = delete;
  ~RegularInertia() = default;

  template <class Workspace>
  Doubt<S> doubt(const Inputs<S>&, std::span<const S> out, const Workspace& ws) const {
    Doubt<S> doubt = not_finite<S>(out);
    for (std::size_t i = 0; i < doubtful_.size(); ++i) doubt |= not_above(ws.pivots[i], doubtful_[i]);
    return doubt;
  }
  template <class Workspace>
  void explain(const TreeFor<S>& robot, const JobInfo& job, const Inputs<S>& in, std::span<const S> out,
               const Workspace& ws) {
    if constexpr (std::floating_point<S>) look_closer(robot, job, in, out, ws.pivots);
  }

 private:
  void look_closer(const TreeFor<S>& robot, const JobInfo& job, const Inputs<S>& in, std::span<const S> out,
                   std::span<const S> pivots);

  Array<ConstantOf<S>> doubtful_;
  std::unique_ptr<Runner<S>> judge_;  // made when a pivot is in doubt
  Array<S> factors_;
};

// Hybrid dynamics: the same where only the passive joints give way, for their block of M. What a joint is not asked
// for, its torque or its acceleration, must be a number all the same.
template <class S>
class RegularPassiveBlock {
 public:
  explicit RegularPassiveBlock(const TreeFor<S>& robot) : doubtful_(smallest_pivots<S>(robot)) {}

  template <class Workspace>
  Doubt<S> doubt(const Inputs<S>& in, std::span<const S> out, const Workspace& ws) const {
    Doubt<S> doubt = not_finite<S>(out) | not_finite<S>(in.qdd) | not_finite<S>(in.tau);
    for (std::size_t i = 0; i < doubtful_.size(); ++i) doubt |= not_above(ws.pivots[i], doubtful_[i]);
    return doubt;
  }
  template <class Workspace>
  void explain(const TreeFor<S>& robot, const JobInfo& job, const Inputs<S>& in, std::span<const S> out,
               const Workspace& ws) const {
    if constexpr (std::floating_point<S>) look_closer(robot, job, in, out, ws.pivots);
  }

 private:
  void look_closer(const TreeFor<S>& robot, const JobInfo& job, const Inputs<S>& in, std::span<const S> out,
                   std::span<const S> pivots) const;

  Array<ConstantOf<S>> doubtful_;
};

// Whether the quaternion in q has length 1, as far as a few written digits go; or is not finite, which is named
// elsewhere.
template <std::floating_point S>
bool has_unit_quaternion(std::span<const S> q);
// Throws std::invalid_argument unless it has.
template <std::floating_point S>
void require_unit_quaternion(std::span<const S> q);

}  // namespace catena
