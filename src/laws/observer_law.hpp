// Computed torque that watches for collisions by the momentum of the joints. Equations (17)-(19):
// docs/equations/control_laws.md.
#pragma once

#include "laws/joint_laws.hpp"

namespace catena::laws {

// r = gain (p - ∫(τ + Cᵀ q̇ - g - friction + r)) follows the torques that the model does not explain, with the time
// constant 1/gain. What changes slowly is the model's error; the rest, beyond a threshold, is a collision: the robot
// then gives way, τ = g - yielding q̇, until it is reset. (17)-(19)
struct MomentumObserver {
  static LawInfo info() {
    std::vector<LawParameter> gains = computed_torque_gains();
    using enum LawParameter::Per;
    gains.push_back({"gain", "of the observer, 1/s", law, 100.0});
    gains.push_back({"slow",
                     "time constant of slow residuals, which are put down to errors of the model, s; 0: none are", law,
                     0.1});
    gains.push_back({"threshold", "threshold of an alarm, N m or N", joint, 3.0});
    gains.push_back({"yielding", "damping after an alarm, N m s/rad or N s/m", joint, 10.0, true});
    return {"observer", "computed torque, and a momentum observer that stops it at a collision",
            LawInfo::Follows::joints, std::move(gains)};
  }
  static LawShape shape(const LawSetup& setup) {
    if (setup.value("gain") <= 0.0) throw std::invalid_argument("gain must be positive");
    if (setup.value("slow") < 0.0) throw std::invalid_argument("slow must not be negative");
    LawShape shape = joint_shape(setup);
    keep(shape, Signal::momentum, setup.n());
    keep(shape, Signal::slow, setup.n());
    keep(shape, Signal::alarm, 1);
    keep(shape, Signal::started, 1);
    return shape;
  }
  template <class S>
  class On final : public ControlLaw<S> {
   public:
    explicit On(const LawSetup& setup)
        : drives_(setup),
          computed_(setup),
          gravity_("gravity", setup.robot),
          momentum_("observer", setup.robot),
          gain_(setup.value("gain")),
          slow_(setup.value("slow")),
          threshold_(setup.values("threshold")),
          yielding_(setup.values("yielding")) {}
    void step(const LawStep<S>& x) override {
      const std::size_t n = threshold_.size();
      const std::span<const S> q = x[Signal::q], qd = x[Signal::qd];
      const std::span<const S> momenta = momentum_({.q = q, .qd = qd}), p = momenta.first(n), beta = momenta.last(n);
      const std::span<const S> g = gravity_({.q = q}), tracking = computed_(x);
      const S started = x[Signal::started][0], first = S(1.0) - started;
      S quiet = S(1.0) - x[Signal::alarm][0];
      for (std::size_t j = 0; j < n; ++j) quiet *= S(1.0) - alarm(x, p, j);  // (18)
      for (std::size_t j = 0; j < n; ++j) {
        const S r = residual(x, p, j), before = started * x[Signal::momentum][j] + first * p[j];
        const S yields = g[j] - S(yielding_[j]) * qd[j];
        x.torque[j] = drives_.given(j, quiet * tracking[j] + (S(1.0) - quiet) * yields);  // (19)
        x.after(Signal::momentum)[j] = before + x.dt * (x.torque[j] + beta[j] + r);       // (17)
        x.after(Signal::slow)[j] =
            slow_ > 0.0 ? x[Signal::slow][j] + (x.dt / (S(slow_) + x.dt)) * (r - x[Signal::slow][j]) : S(0.0);
      }
      x.after(Signal::alarm)[0] = S(1.0) - quiet;
      x.after(Signal::started)[0] = S(1.0);
    }

   private:
    S residual(const LawStep<S>& x, std::span<const S> p, std::size_t j) const {
      return S(gain_) * (x[Signal::started][0] * (p[j] - x[Signal::momentum][j]));
    }
    // 1 where the quick part of the residual is beyond its threshold.
    S alarm(const LawStep<S>& x, std::span<const S> p, std::size_t j) const {
      const S quick = residual(x, p, j) - x[Signal::slow][j];
      return positive(S(quick * quick - S(threshold_[j] * threshold_[j])));
    }
    Drives<S> drives_;
    ComputedTorque<S> computed_;
    JobOn<S> gravity_, momentum_;
    double gain_, slow_;
    std::vector<double> threshold_, yielding_;
  };
};

}  // namespace catena::laws
