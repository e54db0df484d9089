#include "fuzz/support/compared_jobs.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <string>
#include <string_view>

#include "catena/call.hpp"
#include "fuzz/support/violation.hpp"

namespace catena::fuzz {
namespace {

using Values = std::vector<double>;
constexpr double rounding = 1e-9;      // of a difference, over what the terms of a result may be
constexpr double shift = 1e-9;         // of positions, to see how much of a difference is that of the state
constexpr double worst_to_show = 1e9;  // a robot whose M is worse conditioned is only asked for finite numbers

double largest(const Values& values) {
  double most = 0.0;
  for (const double value : values) most = std::max(most, std::abs(value));
  return most;
}
bool all_finite(const Values& values) {
  return std::all_of(values.begin(), values.end(), [](double v) { return std::isfinite(v); });
}

class Comparison {
 public:
  Comparison(const Mechanism& robot, double largest_inertia, const BuiltState& state, int frame)
      : robot_(robot), largest_inertia_(largest_inertia), state_(state), shifted_(state), frame_(frame) {
    const std::size_t first = robot.coordinates.is_free() ? 7 : 0;  // not the quaternion
    for (std::size_t k = first; k < shifted_.q.size(); ++k) shifted_.q[k] += shift;
    const auto M = run(job_info("inertia"), {}, state), inverse = run(job_info("inverse_inertia"), {}, state);
    // Where nothing moves but what has no mass, M is rounding.
    const bool has_inertia = M && inverse && (M->empty() || largest(*M) > rounding * largest_inertia);
    condition_ = has_inertia ? std::max(1.0, largest(*M) * largest(*inverse) * robot.nv())
                             : std::numeric_limits<double>::infinity();
  }

  void look_at(const JobInfo& job) {
    const std::optional<Values> standard = run(job, {}, state_);
    const std::optional<Values> moved = standard ? run(job, {}, shifted_) : standard;
    for (const FormulationInfo& formulation : job.formulations) {
      if (!job.serves(robot_, formulation.name)) continue;
      const std::optional<Values> other = run(job, formulation.name, state_);
      if (standard && moved && other && job.is_interchangeable(formulation.name))
        require_same(job, formulation.name, *other, *standard, *moved);
    }
  }

  // τ = M q̈ + b, T = ½ q̇ᵀ M q̇, and forward dynamics undoes inverse dynamics.
  void fit_together() {
    const auto get = [&](const char* job) { return run(job_info(job), {}, state_); };
    const auto M = get("inertia"), tau = get("inverse"), b = get("bias"), energy = get("energy");
    if (!M || !tau || !b || !energy) return;
    const std::size_t n = b->size();
    Values sum = *b;
    double twice = 0.0;
    for (std::size_t j = 0; j < n; ++j)
      for (std::size_t k = 0; k < n; ++k) {
        sum[j] += (*M)[j * n + k] * state_.qdd[k];
        twice += state_.qd[j] * (*M)[j * n + k] * state_.qd[k];
      }
    require_near("M q̈ + b", sum, *tau, rounding * scale({}, *tau));
    if (!robot_.coordinates.is_moving())
      require_near("energy", {0.5 * twice}, {(*energy)[0]}, rounding * scale({}, *energy));
    if (!(condition_ < worst_to_show) || n == 0) return;
    BuiltState undone = state_;
    undone.tau = *tau;
    if (const auto qdd = run(job_info("forward"), {}, undone))
      require_near("forward of inverse", *qdd, state_.qdd, rounding * condition_ * scale({}, *tau));
  }

 private:
  // None: the call refuses.
  std::optional<Values> run(const JobInfo& job, std::string_view formulation, const BuiltState& x) const {
    Call<double> call(robot_, job.name, formulation);
    Values out(call.size(), std::numeric_limits<double>::quiet_NaN());
    try {
      call({.q = x.q,
            .qd = x.qd,
            .qdd = x.qdd,
            .tau = x.tau,
            .base = x.base,
            .frame = frame_,
            .lambda = x.lambda,
            .reference = x.reference},
           out);
    } catch (const std::domain_error& error) {
      require_readable(error.what());
      return std::nullopt;
    }
    require(all_finite(out), std::string(job.name) + " by " + std::string(call.formulation().name) +
                                 " gives what is no number, and no error");
    return out;
  }

  // How large the terms of a result may be, though they cancel.
  double scale(const Values& moved, const Values& values) const {
    const double rate = 1.0 + largest(state_.qd) + largest(state_.reference) + largest(state_.base);
    const double push = rate * rate + largest(state_.qdd) + largest(state_.tau) + 20.0,
                 weight = 1.0 + largest(state_.lambda);
    return std::max({largest(values), largest(moved), largest_inertia_ * push * weight});
  }

  void require_same(const JobInfo& job, std::string_view formulation, const Values& got, const Values& standard,
                    const Values& moved) const {
    double bound = rounding * scale(moved, standard);
    if (job.inverts_inertia || !robot_.coordinates.is_square()) {
      if (!(condition_ < worst_to_show)) return;
      bound *= condition_;
    }
    double sensitive = 0.0;
    for (std::size_t k = 0; k < standard.size(); ++k) sensitive = std::max(sensitive, std::abs(moved[k] - standard[k]));
    require_near(std::string(job.name) + " by " + std::string(formulation), got, standard, bound + sensitive);
  }

  static void require_near(const std::string& what, const Values& got, const Values& expected, double bound) {
    for (std::size_t k = 0; k < expected.size(); ++k)
      require(std::abs(got[k] - expected[k]) <= bound,
              what + ": entry " + std::to_string(k) + " is " + std::to_string(got[k]) + " and not " +
                  std::to_string(expected[k]) + ", bound " + std::to_string(bound));
  }

  const Mechanism& robot_;
  double largest_inertia_;
  const BuiltState& state_;
  BuiltState shifted_;
  int frame_;
  double condition_ = 1.0;  // about that of M
};

}  // namespace

void compare_jobs(const Mechanism& robot, double largest_inertia, const BuiltState& state, int frame) {
  Comparison comparison(robot, largest_inertia, state, frame);
  for (const JobInfo& job : jobs()) comparison.look_at(job);
  comparison.fit_together();
}

}  // namespace catena::fuzz
