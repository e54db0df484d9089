// Laws that move or push a frame: operational space, null space, Cartesian impedance, hybrid force and position.
// Equations (11)-(16): docs/equations/control_laws.md.
#pragma once

#include <algorithm>

#include "catena/math/mat3.hpp"
#include "formulations/shared/ldlt.hpp"
#include "laws/law.hpp"

namespace catena::laws {

// What all of them measure and want: m = 3 or 6 directions.
inline LawShape frame_shape(const LawSetup& setup) {
  LawShape shape = joint_shape(setup);
  const int m = setup.m();
  if (setup.robot.frames[index(setup.options.frame)].link < 0)
    throw std::invalid_argument("the frame does not move: no joint carries it");
  if (setup.n() < m && !(setup.value("softening") > 0.0))
    throw std::invalid_argument("the law needs a joint for each of " + std::to_string(m) +
                                " directions, or a softening; the robot has " + std::to_string(setup.n()));
  shape.reference = {{Signal::pose_ref, m == 6 ? 12 : 3}, {Signal::twist_ref, m}, {Signal::twist_rate_ref, m}};
  return shape;
}

// A frame as the joints move it: errors, Jacobian, and the inertia Λ that it has in m directions.
template <class S>
class FrameMotion {
 public:
  explicit FrameMotion(const LawSetup& setup)
      : n(index(setup.n())),
        m(index(setup.m())),
        place(m),
        speed(m),
        drift(m),
        J(m * n),
        frame_(setup.options.frame),
        pose_("pose", setup.robot),
        jacobian_("jacobian", setup.robot),
        drift_("drift", setup.robot),
        inverse_inertia_("inverse_inertia", setup.robot),
        by_force_(n * m),
        mobility_(m * m),
        pivots_(m) {}
  std::size_t n, m;
  std::vector<S> place, speed, drift, J;  // errors of place and speed; J̇ q̇; m x n

  void find(const LawStep<S>& x) {
    const Inputs<S> in{.q = x[Signal::q], .qd = x[Signal::qd], .frame = frame_};
    const std::span<const S> T = pose_(in), own = drift_(in), columns = jacobian_(in);
    std::copy_n(columns.begin(), m * n, J.begin());
    std::copy_n(own.begin(), m, drift.begin());
    const std::span<const S> wanted = x[Signal::pose_ref];
    for (std::size_t a = 0; a < 3; ++a) place[a] = wanted[a] - T[4 * a + 3];
    if (m == 6) {  // half the sum of r × r_ref over the frame's axes: the sine of the angle, along its axis (11)
      const auto axis = [](std::span<const S> R, std::size_t k, std::size_t width) {
        return Vec3<S>{R[k], R[k + width], R[k + 2 * width]};
      };
      Vec3<S> turn{S(0.0), S(0.0), S(0.0)};
      for (std::size_t k = 0; k < 3; ++k) turn += cross(axis(T, k, 4), axis(wanted.subspan(3), k, 3));
      place[3] = S(0.5) * turn.x, place[4] = S(0.5) * turn.y, place[5] = S(0.5) * turn.z;
    }
    W = inverse_inertia_({.q = x[Signal::q]});
    for (std::size_t a = 0; a < m; ++a) speed[a] = x[Signal::twist_ref][a] - times(x[Signal::qd], a);
  }
  std::span<const S> W;  // M⁻¹

  // Row a of J times v.
  S times(std::span<const S> v, std::size_t a) const {
    S sum(0.0);
    for (std::size_t j = 0; j < n; ++j) sum += J[a * n + j] * v[j];
    return sum;
  }
  // f = Λ a with Λ⁻¹ = J M⁻¹ Jᵀ + softening². (12)
  void force_for(double softening, std::span<S> a) {
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t b = 0; b < m; ++b) by_force_[i * m + b] = times(W.subspan(i * n, n), b);
    for (std::size_t b = 0; b < m; ++b)
      for (std::size_t c = 0; c < m; ++c) {
        S sum(b == c ? softening * softening : 0.0);
        for (std::size_t j = 0; j < n; ++j) sum += J[b * n + j] * by_force_[j * m + c];
        mobility_[b * m + c] = sum;
      }
    const MatrixView<S> A{mobility_, static_cast<int>(m)};
    factor_ldlt<S>(A, pivots_);
    solve_ldlt<S>(A, std::span<const S>(pivots_), a);
  }
  // Jᵀ f in joint j.
  S torque_of(std::span<const S> f, std::size_t j) const {
    S sum(0.0);
    for (std::size_t a = 0; a < m; ++a) sum += J[a * n + j] * f[a];
    return sum;
  }

 private:
  int frame_;
  JobOn<S> pose_, jacobian_, drift_, inverse_inertia_;
  std::vector<S> by_force_, mobility_, pivots_;
};

inline std::vector<LawParameter> motion_gains() {
  using enum LawParameter::Per;
  return {{"kp", "acceleration per position error of the frame, 1/s^2", direction, 100.0},
          {"kd", "per velocity error of the frame, 1/s", direction, 20.0},
          {"damping", "damping of motion that does not move the frame, 1/s", law, 10.0},
          {"softening", "keeps forces finite near singular poses: 0, or a small length such as 0.05", law, 0.0}};
}

// τ = τ(q, q̇, q̈₀) + Jᵀ Λ (ẍ - J̇ q̇ - J q̈₀): the frame accelerates by ẍ; what does not move it goes on as the links
// would by themselves, and as `beside` asks: q̈₀ = beside - M⁻¹ C q̇.          (13)
template <class S>
class Operational {
 public:
  explicit Operational(const LawSetup& setup)
      : frame(setup),
        beside(frame.n, S(0.0)),
        wanted(frame.m),
        tau(frame.n),
        inverse_("inverse", setup.robot),
        swing_("inverse", inertia_alone(setup.robot)),
        zeros_(frame.n, S(0.0)),
        softening_(setup.value("softening")) {}
  FrameMotion<S> frame;
  std::vector<S> beside, wanted, tau;  // where there are more joints than directions; ẍ; the result

  void find(const LawStep<S>& x) {
    if (frame.n > frame.m) {
      const std::span<const S> swing = swing_({.q = x[Signal::q], .qd = x[Signal::qd], .qdd = zeros_});
      for (std::size_t i = 0; i < frame.n; ++i)
        for (std::size_t j = 0; j < frame.n; ++j) beside[i] -= frame.W[i * frame.n + j] * swing[j];
    }
    for (std::size_t a = 0; a < frame.m; ++a) wanted[a] -= frame.drift[a] + frame.times(beside, a);
    frame.force_for(softening_, wanted);
    const std::span<const S> along = inverse_({.q = x[Signal::q], .qd = x[Signal::qd], .qdd = beside});
    for (std::size_t j = 0; j < frame.n; ++j) tau[j] = along[j] + frame.torque_of(wanted, j);
  }

 private:
  JobOn<S> inverse_, swing_;
  std::vector<S> zeros_;
  double softening_;
};

// What all of them do in a step: the frame's errors, how it and the rest are to accelerate, and a force besides.
template <class S>
class FrameLaw : public ControlLaw<S> {
 public:
  explicit FrameLaw(const LawSetup& setup) : drives_(setup), law_(setup), damping_(setup.value("damping")) {}
  void step(const LawStep<S>& x) override {
    FrameMotion<S>& frame = law_.frame;
    frame.find(x);
    for (std::size_t a = 0; a < frame.m; ++a) law_.wanted[a] = acceleration(x, a);
    if (frame.n > frame.m)
      for (std::size_t j = 0; j < frame.n; ++j) law_.beside[j] = posture(x, j) - S(damping_) * x[Signal::qd][j];
    law_.find(x);
    for (std::size_t a = 0; a < frame.m; ++a) law_.wanted[a] = force(x, a);
    S free(1.0);  // 0 where a drive is at its limit
    for (std::size_t j = 0; j < frame.n; ++j) {
      const S wanted = law_.tau[j] + frame.torque_of(law_.wanted, j);
      x.torque[j] = drives_.given(j, wanted);
      free *= drives_.free_to_integrate(j, wanted, wanted);
    }
    remember(x, free);
  }

 protected:
  const FrameMotion<S>& frame() const { return law_.frame; }
  virtual S acceleration(const LawStep<S>& x, std::size_t a) const = 0;
  virtual S force(const LawStep<S>&, std::size_t) const { return S(0.0); }
  virtual S posture(const LawStep<S>&, std::size_t) const { return S(0.0); }
  virtual void remember(const LawStep<S>&, const S&) const {}

 private:
  Drives<S> drives_;
  Operational<S> law_;
  double damping_;
};

struct OperationalSpace {
  static LawInfo info() {
    return {"operational", "operational space: the frame follows its motion like a spring and a damper",
            LawInfo::Follows::frame, motion_gains()};
  }
  static LawShape shape(const LawSetup& setup) { return frame_shape(setup); }
  template <class S>
  class On : public FrameLaw<S> {
   public:
    explicit On(const LawSetup& setup) : FrameLaw<S>(setup), kp_(setup.values("kp")), kd_(setup.values("kd")) {}

   private:
    S acceleration(const LawStep<S>& x, std::size_t a) const override {
      return x[Signal::twist_rate_ref][a] + S(kd_[a]) * this->frame().speed[a] + S(kp_[a]) * this->frame().place[a];
    }
    std::vector<double> kp_, kd_;
  };
};

// q̈₀ = posture (q_ref - q) - damping q̇ (14)
struct NullSpace {
  static LawInfo info() {
    std::vector<LawParameter> gains = motion_gains();
    gains.push_back({"posture", "acceleration per distance from q_ref, in motion that does not move the frame, 1/s^2",
                     LawParameter::Per::law, 25.0});
    return {"null-space", "operational space, and a posture in motion that does not move the frame",
            LawInfo::Follows::both, std::move(gains)};
  }
  static LawShape shape(const LawSetup& setup) {
    if (setup.n() <= setup.m())
      throw std::invalid_argument("the law needs more joints than directions: " + std::to_string(setup.n()) +
                                  " joints, " + std::to_string(setup.m()) + " directions");
    LawShape shape = frame_shape(setup);
    shape.reference.push_back({Signal::q_ref, setup.n()});
    return shape;
  }
  template <class S>
  class On final : public OperationalSpace::On<S> {
   public:
    explicit On(const LawSetup& setup)
        : OperationalSpace::On<S>(setup), errors_(setup), gain_(setup.value("posture")) {}

   private:
    S posture(const LawStep<S>& x, std::size_t j) const override { return S(gain_) * errors_.of_position(x, j); }
    JointErrors<S> errors_;
    double gain_;
  };
};

// Λ ë + D ė + K e = external force: τ = b + Jᵀ (K e + D ė + Λ (ẍ_ref - J̇ q̇)) (15)
struct Impedance {
  static LawInfo info() {
    using enum LawParameter::Per;
    return {"impedance",
            "Cartesian impedance: the frame yields like a spring and a damper",
            LawInfo::Follows::frame,
            {{"stiffness", "N/m, N m/rad", direction, 500.0, false, 20.0},
             {"damper", "N s/m, N m s/rad", direction, 50.0, false, 2.0},
             {"damping", "damping of motion that does not move the frame, 1/s", law, 10.0},
             {"softening", "keeps forces finite near singular poses: 0, or a small length such as 0.05", law, 0.0}}};
  }
  static LawShape shape(const LawSetup& setup) { return frame_shape(setup); }
  template <class S>
  class On final : public FrameLaw<S> {
   public:
    explicit On(const LawSetup& setup)
        : FrameLaw<S>(setup), stiffness_(setup.values("stiffness")), damper_(setup.values("damper")) {}

   private:
    S acceleration(const LawStep<S>& x, std::size_t a) const override { return x[Signal::twist_rate_ref][a]; }
    S force(const LawStep<S>&, std::size_t a) const override {
      return S(stiffness_[a]) * this->frame().place[a] + S(damper_[a]) * this->frame().speed[a];
    }
    std::vector<double> stiffness_, damper_;
  };
};

// Along the directions chosen by `along` the frame pushes, f = f_ref + ki ∫(f_ref - f), and is damped; along the others
// it moves as in operational space. (16)
struct HybridForce {
  static LawInfo info() {
    using enum LawParameter::Per;
    std::vector<LawParameter> gains = motion_gains();
    gains.push_back({"along", "1 for directions with force control, 0 for the others", direction, 0.0});
    gains.push_back({"ki", "force per integral of its error, 1/s", direction, 5.0});
    return {.name = "hybrid",
            .words = "hybrid control: force in some directions, position in the others",
            .follows = LawInfo::Follows::frame,
            .parameters = std::move(gains),
            .takes_force = true};
  }
  static LawShape shape(const LawSetup& setup) {
    const std::vector<double> along = setup.values("along");
    if (std::any_of(along.begin(), along.end(), [](double v) { return v != 0.0 && v != 1.0; }))
      throw std::invalid_argument("along must have 1 for each direction with force control and 0 for the others");
    LawShape shape = frame_shape(setup);
    shape.measurement.push_back({Signal::force, setup.m()});
    shape.reference.push_back({Signal::force_ref, setup.m()});
    keep(shape, Signal::integral, setup.m());
    return shape;
  }
  template <class S>
  class On final : public FrameLaw<S> {
   public:
    explicit On(const LawSetup& setup)
        : FrameLaw<S>(setup),
          kp_(setup.values("kp")),
          kd_(setup.values("kd")),
          along_(setup.values("along")),
          ki_(setup.values("ki")) {}

   private:
    S acceleration(const LawStep<S>& x, std::size_t a) const override {
      const S moving = x[Signal::twist_rate_ref][a] + S(kp_[a]) * this->frame().place[a];
      return S(1.0 - along_[a]) * moving + S(kd_[a]) * this->frame().speed[a];
    }
    S force(const LawStep<S>& x, std::size_t a) const override {
      return S(along_[a]) * (x[Signal::force_ref][a] + S(ki_[a]) * x[Signal::integral][a]);
    }
    void remember(const LawStep<S>& x, const S& free) const override {
      for (std::size_t a = 0; a < along_.size(); ++a)
        x.after(Signal::integral)[a] =
            x[Signal::integral][a] + (x.dt * S(along_[a])) * (free * (x[Signal::force_ref][a] - x[Signal::force][a]));
    }
    std::vector<double> kp_, kd_, along_, ki_;
  };
};

}  // namespace catena::laws
