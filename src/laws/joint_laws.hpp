// Laws that follow a motion of the joints: PID with gravity, computed torque, and a regulator along a motion.
// Equations (1)-(4): docs/equations/control_laws.md.
#pragma once

#include "laws/law.hpp"

namespace catena::laws {

// τ = g(q) + kp e + ki ∫e + kd ė                                                                                    (1)
struct PidGravity {
  static LawInfo info() {
    return {"pid",
            "PID with gravity compensation",
            LawInfo::Follows::joints,
            {{"kp", "torque per position error", LawParameter::Per::joint, 400.0, true},
             {"ki", "per integral of the position error", LawParameter::Per::joint, 800.0, true},
             {"kd", "per velocity error", LawParameter::Per::joint, 40.0, true}},
            true};
  }
  static LawShape shape(const LawSetup& setup) {
    LawShape shape = joint_shape(setup);
    shape.reference.pop_back();
    keep(shape, Signal::integral, setup.n());
    return shape;
  }
  template <class S>
  class On final : public ControlLaw<S> {
   public:
    explicit On(const LawSetup& setup)
        : errors_(setup),
          drives_(setup),
          gravity_("gravity", setup.robot),
          kp_(setup.values("kp")),
          ki_(setup.values("ki")),
          kd_(setup.values("kd")) {}
    void step(const LawStep<S>& x) override {
      const std::span<const S> g = gravity_({.q = x[Signal::q]});
      for (std::size_t j = 0; j < errors_.n(); ++j) {
        const S e = errors_.of_position(x, j), sum = x[Signal::integral][j];
        const S wanted = g[j] + S(kp_[j]) * e + S(ki_[j]) * sum + S(kd_[j]) * errors_.of_rate(x, j);
        x.torque[j] = drives_.given(j, wanted);
        x.after(Signal::integral)[j] = sum + x.dt * (drives_.free_to_integrate(j, wanted, e) * e);  // (2)
      }
    }

   private:
    JointErrors<S> errors_;
    Drives<S> drives_;
    JobOn<S> gravity_;
    std::vector<double> kp_, ki_, kd_;
  };
};

// τ = M(q)(q̈_ref + kd ė + kp e) + b(q, q̇): each error is an oscillator by itself. Passive joints move as that
// implies. (3)
template <class S>
class ComputedTorque {
 public:
  explicit ComputedTorque(const LawSetup& setup)
      : errors_(setup),
        has_passive_(setup.robot.has_passive),
        motion_(has_passive_ ? "hybrid" : "inverse", setup.robot),
        kp_(setup.values("kp")),
        kd_(setup.values("kd")),
        wanted_(errors_.n(), S(0.0)),
        undriven_(errors_.n(), S(0.0)) {}
  std::span<const S> operator()(const LawStep<S>& x) {
    for (std::size_t j = 0; j < errors_.n(); ++j)
      wanted_[j] = x[Signal::qdd_ref][j] + S(kd_[j]) * errors_.of_rate(x, j) + S(kp_[j]) * errors_.of_position(x, j);
    return motion_({.q = x[Signal::q], .qd = x[Signal::qd], .qdd = wanted_, .tau = undriven_}).last(errors_.n());
  }

 private:
  JointErrors<S> errors_;
  bool has_passive_;
  JobOn<S> motion_;
  std::vector<double> kp_, kd_;
  std::vector<S> wanted_, undriven_;
};
inline std::vector<LawParameter> computed_torque_gains() {
  return {{"kp", "acceleration per position error, 1/s^2", LawParameter::Per::joint, 100.0},
          {"kd", "per velocity error, 1/s", LawParameter::Per::joint, 20.0}};
}

struct Computed {
  static LawInfo info() {
    return {"computed", "computed torque: inverse dynamics with feedback", LawInfo::Follows::joints,
            computed_torque_gains(), true};
  }
  static LawShape shape(const LawSetup& setup) { return joint_shape(setup); }
  template <class S>
  class On final : public ControlLaw<S> {
   public:
    explicit On(const LawSetup& setup) : drives_(setup), computed_(setup) {}
    void step(const LawStep<S>& x) override {
      const std::span<const S> tau = computed_(x);
      for (std::size_t j = 0; j < tau.size(); ++j) x.torque[j] = drives_.given(j, tau[j]);
    }

   private:
    Drives<S> drives_;
    ComputedTorque<S> computed_;
  };
};

// τ = τ(q_ref, q̇_ref, q̈_ref) + K(t) (e, ė)                                                                         (4)
struct Regulator {
  static LawInfo info() {
    return {"lqr",
            "feed-forward along a motion, and the gains of a linear-quadratic regulator",
            LawInfo::Follows::joints,
            {},
            true,
            true};
  }
  static LawShape shape(const LawSetup& setup) {
    if (setup.robot.nq() != setup.n())
      throw std::invalid_argument("gains over time are for robots without closed loops");
    LawShape shape = joint_shape(setup);
    shape.schedule = {{Signal::gain, 2 * setup.n() * setup.n()}};
    keep(shape, Signal::time, 1);
    return shape;
  }
  template <class S>
  class On final : public ControlLaw<S> {
   public:
    explicit On(const LawSetup& setup) : errors_(setup), drives_(setup), inverse_("inverse", setup.robot) {}
    void step(const LawStep<S>& x) override {
      const std::size_t n = errors_.n();
      const std::span<const S> tau =
          inverse_({.q = x[Signal::q_ref], .qd = x[Signal::qd_ref], .qdd = x[Signal::qdd_ref]});
      for (std::size_t i = 0; i < n; ++i) {
        const std::span<const S> K = x[Signal::gain].subspan(2 * n * i, 2 * n);
        S sum = tau[i];
        for (std::size_t j = 0; j < n; ++j) sum += K[j] * errors_.of_position(x, j) + K[n + j] * errors_.of_rate(x, j);
        x.torque[i] = drives_.given(i, sum);
      }
      x.after(Signal::time)[0] = x[Signal::time][0] + x.dt;
    }

   private:
    JointErrors<S> errors_;
    Drives<S> drives_;
    JobOn<S> inverse_;
  };
};

}  // namespace catena::laws
