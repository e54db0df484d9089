// Laws that stand on Ṁ - 2C being skew: passivity-based, sliding mode, and adaptive after Slotine and Li.
// Equations (5)-(10): docs/equations/control_laws.md.
#pragma once

#include "catena/model/parameters.hpp"
#include "laws/law.hpp"

namespace catena::laws {

// q̇_r = q̇_ref + Λ e,  s = q̇ - q̇_r = -(ė + Λ e),  and τ = M q̈_r + C(q, q̇) q̇_r + g + friction at q̇_r             (5)
template <class S>
class AlongTheReference {
 public:
  explicit AlongTheReference(const LawSetup& setup)
      : s(index(setup.n())),
        qd_r(s.size()),
        qdd_r(s.size()),
        tau(s.size()),
        errors_(setup),
        two_("inverse_two", without_friction(setup.robot)),
        bias_("bias", setup.robot),
        smooth_("bias", without_friction(setup.robot)),
        rate_(setup.values("rate")),
        rubs_(has_friction(setup.robot)) {}
  std::vector<S> s, qd_r, qdd_r, tau;

  void find(const LawStep<S>& x) {
    const std::span<const S> q = x[Signal::q];
    for (std::size_t j = 0; j < s.size(); ++j) {
      const S slope = errors_.of_rate(x, j) + S(rate_[j]) * errors_.of_position(x, j);
      s[j] = -slope;
      qd_r[j] = x[Signal::qd][j] + slope;
      qdd_r[j] = x[Signal::qdd_ref][j] + S(rate_[j]) * errors_.of_rate(x, j);
    }
    const std::span<const S> two = two_({.q = q, .qd = x[Signal::qd], .qdd = qdd_r, .reference = qd_r});
    std::copy(two.begin(), two.end(), tau.begin());
    if (!rubs_) return;
    // Friction of q̇_r, which does not jump with what is measured.                                                   (6)
    const std::span<const S> all = bias_({.q = q, .qd = qd_r}), smooth = smooth_({.q = q, .qd = qd_r});
    for (std::size_t j = 0; j < s.size(); ++j) tau[j] += all[j] - smooth[j];
  }

 private:
  JointErrors<S> errors_;
  JobOn<S> two_, bias_, smooth_;
  std::vector<double> rate_;
  bool rubs_;
};
inline LawParameter rate_parameter() {
  return {"rate", "reference speed per position error, 1/s", LawParameter::Per::joint, 10.0};
}

// τ - K s (7)
struct Passivity {
  static LawInfo info() {
    return {"passivity",
            "passivity-based: the model along the reference, and damping of the error",
            LawInfo::Follows::joints,
            {rate_parameter(), {"kd", "torque per s", LawParameter::Per::joint, 20.0, true}}};
  }
  static LawShape shape(const LawSetup& setup) { return joint_shape(setup); }
  template <class S>
  class On final : public ControlLaw<S> {
   public:
    explicit On(const LawSetup& setup) : drives_(setup), along_(setup), kd_(setup.values("kd")) {}
    void step(const LawStep<S>& x) override {
      along_.find(x);
      for (std::size_t j = 0; j < kd_.size(); ++j)
        x.torque[j] = drives_.given(j, along_.tau[j] - S(kd_[j]) * along_.s[j]);
    }

   private:
    Drives<S> drives_;
    AlongTheReference<S> along_;
    std::vector<double> kd_;
  };
};

// τ - strength sat(s / layer) (8)
struct SlidingMode {
  static LawInfo info() {
    return {"sliding",
            "robust: sliding mode with a boundary layer",
            LawInfo::Follows::joints,
            {rate_parameter(),
             {"strength", "torque against errors of the model", LawParameter::Per::joint, 20.0, true},
             {"layer", "width of the boundary layer, rad/s or m/s", LawParameter::Per::joint, 0.1}}};
  }
  static LawShape shape(const LawSetup& setup) {
    for (const double layer : setup.values("layer"))
      if (!(layer > 0.0)) throw std::invalid_argument("layer must be positive");
    return joint_shape(setup);
  }
  template <class S>
  class On final : public ControlLaw<S> {
   public:
    explicit On(const LawSetup& setup)
        : drives_(setup), along_(setup), strength_(setup.values("strength")), layer_(setup.values("layer")) {}
    void step(const LawStep<S>& x) override {
      along_.find(x);
      for (std::size_t j = 0; j < layer_.size(); ++j)
        x.torque[j] =
            drives_.given(j, along_.tau[j] - S(strength_[j]) * limited(S(along_.s[j] * S(1.0 / layer_[j])), 1.0));
    }

   private:
    Drives<S> drives_;
    AlongTheReference<S> along_;
    std::vector<double> strength_, layer_;
  };
};

// τ - K s + Y (φ - φ₀): the last link with its load is learnt, (9), (10). Its pseudo-inertia P, a 4 x 4 matrix, moves
// as Ṗ = -γ P B P with tr(B P) = sᵀY φ, so that it stays possible: P⁺ = F P Fᵀ, F = 1 - ½ γ dt P B.
struct Adaptive {
  static LawInfo info() {
    return {.name = "adaptive",
            .words = "adaptive (Slotine and Li): learns the last link with its load, and keeps it physically possible",
            .follows = LawInfo::Follows::joints,
            .parameters = {rate_parameter(),
                           {"kd", "torque per s", LawParameter::Per::joint, 20.0, true},
                           {"learning", "learning rate, per N m of load and rad/s", LawParameter::Per::law, 1.0}},
            .takes_frame = true};
  }
  using Load = std::array<double, 10>;  // m, m c, J: the order of the regressor
  // The joint whose link carries the frame, and the model of that link.
  static int joint_of(const LawSetup& setup);
  static Load load_of(const LawSetup& setup);
  static LawShape shape(const LawSetup& setup);

  template <class S>
  class On final : public ControlLaw<S> {
   public:
    explicit On(const LawSetup& setup)
        : drives_(setup),
          along_(setup),
          regressor_("regressor_two", without_friction(setup.robot)),
          kd_(setup.values("kd")),
          learning_(setup.value("learning")),
          first_column_(index(joint_of(setup)) * parameters_per_joint),
          known_(load_of(setup)),
          Y_(10 * kd_.size()) {}
    void step(const LawStep<S>& x) override {
      along_.find(x);
      find_columns(x);
      const std::size_t n = kd_.size();
      const std::array<S, 10> P = pseudo_inertia(x[Signal::load]), phi = parameters(P);
      std::array<S, 10> gradient;
      for (std::size_t k = 0; k < 10; ++k) {
        gradient[k] = S(0.0);
        for (std::size_t j = 0; j < n; ++j) gradient[k] += Y_[10 * j + k] * along_.s[j];
      }
      for (std::size_t j = 0; j < n; ++j) {
        S tau = along_.tau[j] - S(kd_[j]) * along_.s[j];
        for (std::size_t k = 0; k < 10; ++k) tau += Y_[10 * j + k] * (phi[k] - S(known_[k]));
        x.torque[j] = drives_.given(j, tau);
      }
      const std::array<S, 10> moved = moved_on(P, gradient, x.dt);
      std::copy(moved.begin(), moved.end(), x.after(Signal::load).begin());
    }

   private:
    // Of the regressor of two velocities, the link's ten columns.
    void find_columns(const LawStep<S>& x) {
      const std::span<const S> Y =
          regressor_({.q = x[Signal::q], .qd = x[Signal::qd], .qdd = along_.qdd_r, .reference = along_.qd_r});
      const std::size_t row = Y.size() / kd_.size();
      for (std::size_t j = 0; j < kd_.size(); ++j)
        for (std::size_t k = 0; k < 10; ++k) Y_[10 * j + k] = Y[row * j + first_column_ + k];
    }
    // The ten entries of P: second moments xx, yy, zz, xy, xz, yz, then m x, m y, m z, m.
    static std::array<S, 10> pseudo_inertia(std::span<const S> load) {
      std::array<S, 10> P;
      std::copy(load.begin(), load.end(), P.begin());
      return P;
    }
    static std::array<S, 10> parameters(const std::array<S, 10>& P) {
      return {P[9], P[6], P[7], P[8], P[1] + P[2], P[0] + P[2], P[0] + P[1], -P[3], -P[4], -P[5]};
    }
    // Where entry (row, column) stands.
    static constexpr std::size_t at[4][4] = {{0, 3, 4, 6}, {3, 1, 5, 7}, {4, 5, 2, 8}, {6, 7, 8, 9}};
    std::array<S, 10> moved_on(const std::array<S, 10>& P, const std::array<S, 10>& b, const S& dt) const {
      const S half(0.5);
      const std::array<S, 10> B{b[5] + b[6],    b[4] + b[6], b[4] + b[5], -(half * b[7]), -(half * b[8]),
                                -(half * b[9]), half * b[1], half * b[2], half * b[3],    b[0]};
      S F[4][4], FP[4][4];
      for (int i = 0; i < 4; ++i)
        for (int j = 0; j < 4; ++j) {
          S sum(0.0);
          for (int k = 0; k < 4; ++k) sum += P[at[i][k]] * B[at[k][j]];
          F[i][j] = S(i == j ? 1.0 : 0.0) - (S(0.5 * learning_) * dt) * sum;
        }
      for (int i = 0; i < 4; ++i)
        for (int j = 0; j < 4; ++j) {
          FP[i][j] = S(0.0);
          for (int k = 0; k < 4; ++k) FP[i][j] += F[i][k] * P[at[k][j]];
        }
      std::array<S, 10> out;
      for (int i = 0; i < 4; ++i)
        for (int j = i; j < 4; ++j) {
          S sum(0.0);
          for (int k = 0; k < 4; ++k) sum += FP[i][k] * F[j][k];
          out[at[i][j]] = sum;
        }
      return out;
    }

    Drives<S> drives_;
    AlongTheReference<S> along_;
    JobOn<S> regressor_;
    std::vector<double> kd_;
    double learning_;
    std::size_t first_column_;
    Load known_;
    std::vector<S> Y_;
  };
};

}  // namespace catena::laws
