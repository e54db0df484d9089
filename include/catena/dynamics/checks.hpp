// What is looked at before a result is passed on: finite numbers, and where M is inverted, its pivots. Only machine
// numbers can be looked at; other scalars pass.
#pragma once

#include <cmath>
#include <limits>
#include <memory>
#include <span>

#include "catena/dynamics/factor/branches.hpp"
#include "catena/dynamics/jobs/job.hpp"
#include "catena/dynamics/lanes.hpp"
#include "catena/dynamics/pivots.hpp"
#include "catena/dynamics/runner.hpp"

namespace catena {

namespace detail {
// Whether Σ 0 v is zero: not where a v is infinite or no number. V is S or a vector of S; four sums, so that none waits
// for another.
template <class V, class S>
[[gnu::always_inline]] inline bool zero_times_all(const S* values, std::size_t size) {
  constexpr std::size_t step = sizeof(V) / sizeof(S);  // NOLINT(bugprone-sizeof-expression)
  V a{}, b{}, c{}, d{};
  const auto add = [](V& sum, const S* from) {
    V read;
    __builtin_memcpy(&read, from, sizeof(V));
    sum += S(0) * read;
  };
  const S* const end = values + size;
  for (; end - values >= std::ptrdiff_t(4 * step); values += 4 * step)
    add(a, values), add(b, values + step), add(c, values + 2 * step), add(d, values + 3 * step);
  const V together = (a + b) + (c + d);
  S entries[step];
  __builtin_memcpy(entries, &together, sizeof(V));
  S sum(0);
  for (const S& entry : entries) sum += entry;
  for (; values != end; ++values) sum += S(0) * *values;
  return sum == S(0);
}
}  // namespace detail

// A few values are read one by one: they were stored so a moment ago, and a load of several would wait for all of these
// stores. Of many, most are in the cache by then.
template <std::floating_point S>
bool all_finite(std::span<const S> values) {
  constexpr std::size_t few = 64;
  return values.size() <= few ? detail::zero_times_all<S>(values.data(), values.size())
                              : detail::zero_times_all<detail::Lanes<S>>(values.data(), values.size());
}

// Throws std::invalid_argument unless so many values were given.
void require_length(std::size_t given, std::size_t needed, std::string_view name);

// Results that are not finite: says which input was the cause, or that `result` overflowed. Throws std::domain_error.
template <std::floating_point S>
[[noreturn]] void report_not_finite(const Inputs<S>& in, std::string_view result);

template <class S>
class FiniteResult {
 public:
  explicit FiniteResult(const MechanismFor<S>&) {}
  template <class Workspace>
  void operator()(const Runner<S>& runner, const Inputs<S>& in, std::span<const S> out, const Workspace&) const {
    if constexpr (std::floating_point<S>)
      if (!all_finite<S>(out)) report_not_finite<S>(in, runner.result);
  }
};

// The factors of M: every pivot must stand out from rounding. Throws std::domain_error that names the joint and why.
template <std::floating_point S>
void require_positive_pivots(const MechanismFor<S>& robot, const Inputs<S>& in, const FactorView<const S>& factors,
                             std::span<S> diagonal);

template <class S>
class PositivePivots {
 public:
  explicit PositivePivots(const MechanismFor<S>& robot) : diagonal_(index(robot.n())) {}
  template <class Workspace>
  void operator()(const Runner<S>& runner, const Inputs<S>& in, std::span<const S> out, const Workspace&) {
    if constexpr (std::floating_point<S>)
      require_positive_pivots<S>(runner.robot(), in, factor_view(out, runner.robot().n()), diagonal_);
  }

 private:
  Array<S> diagonal_;
};

// A formulation that solves with M and leaves its pivots by link: where one is in doubt, M is factored to see.
template <class S>
class RegularInertia {
 public:
  explicit RegularInertia(const MechanismFor<S>& robot) {
    if constexpr (std::floating_point<S>) doubtful_ = doubtful_pivots<S>(robot);
  }
  RegularInertia(const RegularInertia& other) : doubtful_(other.doubtful_) {}
  RegularInertia& operator=(const RegularInertia&) = delete;
  ~RegularInertia() = default;

  template <class Workspace>
  void operator()(const Runner<S>& runner, const Inputs<S>& in, std::span<const S> out, const Workspace& ws) {
    if constexpr (std::floating_point<S>) {
      bool beyond_doubt = all_finite<S>(out);
      for (std::size_t i = 0; i < ws.pivots.size(); ++i) beyond_doubt &= ws.pivots[i] > doubtful_[i];
      if (!beyond_doubt) [[unlikely]]
        look_closer(runner, in, out, ws.pivots);
    }
  }

 private:
  // Throws what is wrong, if something is.
  void look_closer(const Runner<S>& runner, const Inputs<S>& in, std::span<const S> out, std::span<const S> pivots);

  Array<S> doubtful_;
  std::unique_ptr<Runner<S>> judge_;  // made when a pivot is in doubt
  Array<S> factors_;
};

// Hybrid dynamics: the same where only the passive joints give way, for their block of M. What a joint is not asked
// for, its torque or its acceleration, must be a number all the same.
template <class S>
class RegularPassiveBlock {
 public:
  explicit RegularPassiveBlock(const MechanismFor<S>& robot) {
    if constexpr (std::floating_point<S>) doubtful_ = doubtful_pivots<S>(robot);
  }

  template <class Workspace>
  void operator()(const Runner<S>& runner, const Inputs<S>& in, std::span<const S> out, const Workspace& ws) const {
    if constexpr (std::floating_point<S>) {
      bool beyond_doubt = all_finite<S>(out) && all_finite<S>(in.qdd) && all_finite<S>(in.tau);
      for (std::size_t i = 0; i < ws.pivots.size(); ++i) beyond_doubt &= ws.pivots[i] > doubtful_[i];
      if (!beyond_doubt) [[unlikely]]
        look_closer(runner, in, out, ws.pivots);
    }
  }

 private:
  void look_closer(const Runner<S>& runner, const Inputs<S>& in, std::span<const S> out,
                   std::span<const S> pivots) const;

  Array<S> doubtful_;
};

}  // namespace catena
