// Checks before a result is returned: finite numbers and, if M is inverted, its pivots. Only machine numbers can be
// checked; other scalars pass.
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

// Throws std::invalid_argument unless this many values were given.
void require_length(std::size_t given, std::size_t needed, std::string_view name);

// Results that are not finite: throws std::domain_error that names the faulty input, or says that `result` overflowed.
template <std::floating_point S>
[[noreturn]] void report_not_finite(const Inputs<S>& in, std::string_view result);

// Throws std::domain_error that names the input if one of these is not finite.
template <std::floating_point S>
void require_finite_inputs(const Inputs<S>& in, std::span<const Input> inputs);

// Each check has two parts: doubt() after every run, for any scalar; explain() if there is doubt, which throws an error
// that names the fault, if there is one.
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

// Of a link's moment about its axis, which formulations have as a sum of others.
template <class T>
T own_rounding(const LinkConstants<T>& link) {
  return link.revolute ? T(2) * std::numeric_limits<T>::epsilon() * link.inertia_com.trace() : T(0);
}

// The factors of M: every pivot must exceed rounding. Throws std::domain_error that names the joint and the reason.
template <std::floating_point S>
void require_positive_pivots(const TreeFor<S>& robot, const Inputs<S>& in, const FactorView<const S>& factors,
                             std::span<S> diagonal);

// By link, how small a pivot may be; empty for scalars that cannot be checked.
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

// For a formulation that solves with M and stores its pivots by link: if one is in doubt, M is factored to decide.
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
  std::unique_ptr<Runner<S>> judge_;  // created when a pivot is in doubt
  Array<S> factors_;
};

// Hybrid dynamics: the same for the block of M of the passive joints. A joint's unused input, torque or acceleration,
// must be finite all the same.
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

// Whether the quaternion in q has length 1, to the precision of a few written digits; or is not finite, which is
// reported elsewhere.
template <std::floating_point S>
bool has_unit_quaternion(std::span<const S> q);
// Throws std::invalid_argument if not.
template <std::floating_point S>
void require_unit_quaternion(std::span<const S> q);

}  // namespace catena
