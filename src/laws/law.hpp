// What control laws are made of: the arrays of a step, what a law is given beforehand, and functions without branches.
#pragma once

#include <array>
#include <cmath>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "catena/laws.hpp"
#include "jobs/runner.hpp"

namespace catena::laws {

// Everything that goes in or out of a step besides torques and dt.
enum class Signal {
  q,
  qd,
  force,  // measured
  q_ref,
  qd_ref,
  qdd_ref,
  pose_ref,
  twist_ref,
  twist_rate_ref,
  force_ref,  // wanted
  gain,       // scheduled
  integral,
  load,
  momentum,
  slow,
  alarm,
  started,
  time,  // kept
};
struct SignalInfo {
  Signal signal;
  std::string_view name, words;
};
inline constexpr SignalInfo signals[] = {
    {Signal::q, "q", "joint positions"},
    {Signal::qd, "qd", "joint velocities"},
    {Signal::force, "force", "force and moment of the frame on the environment, along the base's axes"},
    {Signal::q_ref, "q_ref", "desired joint positions, by coordinate"},
    {Signal::qd_ref, "qd_ref", "desired joint velocities"},
    {Signal::qdd_ref, "qdd_ref", "desired joint accelerations"},
    {Signal::pose_ref, "pose_ref", "desired pose of the frame: x, y, z, then its rotation by rows, seen from the base"},
    {Signal::twist_ref, "twist_ref", "desired velocity of the frame, then its angular velocity"},
    {Signal::twist_rate_ref, "twist_rate_ref", "desired acceleration of the frame, then its angular acceleration"},
    {Signal::force_ref, "force_ref", "desired force and moment in directions with force control"},
    {Signal::gain, "gain", "K by rows: of positions, then of rates"},
    {Signal::integral, "integral", "of the errors"},
    {Signal::load, "load",
     "pseudo-inertia of the last link with its load: xx, yy, zz, xy, xz, yz, then m x, m y, m z, m"},
    {Signal::momentum, "momentum", "generalized momentum as the model would have it"},
    {Signal::slow, "slow", "slow part of the residuals"},
    {Signal::alarm, "alarm", "1 once a residual has passed its threshold"},
    {Signal::started, "started", "1 after the first step"},
    {Signal::time, "time", "since the reset"},
};
inline constexpr std::size_t signal_count = std::size(signals);

template <class S>
struct LawStep {
  std::array<std::span<const S>, signal_count> in{};
  std::array<std::span<S>, signal_count> next{};  // of what is kept
  S dt{};
  std::span<S> torque{};

  std::span<const S> operator[](Signal s) const { return in[static_cast<std::size_t>(s)]; }
  std::span<S> after(Signal s) const { return next[static_cast<std::size_t>(s)]; }
};

// Arrays of a step as lists of parts.
struct Part {
  Signal signal;
  int size;
};
struct LawShape {
  std::vector<Part> measurement, reference, schedule, state;
  std::vector<double> start;  // the state after a reset
};

// What a law is given before it runs.
struct LawSetup {
  const Mechanism& robot;
  const LawOptions& options;
  const LawInfo& info;
  const std::vector<double>& inertias;  // by coordinate; empty: not known

  int n() const { return robot.nv(); }
  int m() const { return options.directions == Directions::all ? 6 : 3; }  // directions of the frame
  // One value for each joint or direction.
  std::vector<double> values(std::string_view parameter) const;
  double value(std::string_view parameter) const { return values(parameter).front(); }
};

template <class S>
class ControlLaw {
 public:
  virtual ~ControlLaw() = default;
  virtual void step(const LawStep<S>& x) = 0;
};

// 1 where x > 0, 0 where x < 0, 1/2 at 0. The scalar may be a symbol, so nothing branches on its value.
template <class S>
S positive(const S& x) {
  return ConstantOf<S>(0.5) + ConstantOf<S>(0.5) * sign(x);
}
template <class S>
S magnitude(const S& x) {
  return x * sign(x);
}
// x within ±limit, exactly.
template <class S>
S limited(const S& x, double limit) {
  const S beyond = positive(magnitude(x) - S(limit));
  return (S(1.0) - beyond) * x + beyond * (S(limit) * sign(x));
}

template <class S>
std::shared_ptr<const MechanismFor<S>> on_scalar(const Mechanism& robot);

// A job of the robot that the law knows, with room for its result.
template <class S>
class JobOn {
 public:
  JobOn(std::string_view job, const Mechanism& robot)
      : runner_(make_runner<S>(job, on_scalar<S>(robot), job_info(job).standard_for(robot))),
        out_(index(job_info(job).size(sizes_of(robot)))) {}
  // Valid until the next call.
  std::span<const S> operator()(const Inputs<S>& in) {
    if (runner_->run(in, out_)) runner_->check(in, out_);
    return out_;
  }

 private:
  std::unique_ptr<Runner<S>> runner_;
  std::vector<S> out_;
};

// What the links and rotors do by themselves: no friction; and no weight, springs or offsets either.
Mechanism without_friction(Mechanism robot);
Mechanism inertia_alone(Mechanism robot);
bool has_friction(const Mechanism& robot);

// Drives: which joints have one, and what it can give.
template <class S>
class Drives {
 public:
  explicit Drives(const LawSetup& setup) {
    for (const Coordinate c : setup.robot.coordinates.all()) {
      const double effort = setup.robot.limits(c).effort;
      driven_.push_back(!setup.robot.is_passive(c));
      limit_.push_back(setup.options.saturate && effort > 0.0 ? effort : INFINITY);
    }
  }
  S given(std::size_t j, const S& wanted) const {
    if (!driven_[j]) return S(0.0);
    return std::isfinite(limit_[j]) ? limited(wanted, limit_[j]) : wanted;
  }
  // 0 where the drive is at its limit and `error` would push it further, else 1.
  S free_to_integrate(std::size_t j, const S& wanted, const S& error) const {
    if (!driven_[j] || !std::isfinite(limit_[j])) return S(1.0);
    return S(1.0) - positive(magnitude(wanted) - S(limit_[j])) * positive(wanted * error);
  }

 private:
  std::vector<char> driven_;
  std::vector<double> limit_;
};

// Laws that follow a motion of the joints: what they measure and want, and the errors e = q_ref - q, ė.
inline LawShape joint_shape(const LawSetup& setup) {
  const Sizes sizes = sizes_of(setup.robot);
  LawShape shape{{{Signal::q, sizes.positions}, {Signal::qd, setup.n()}},
                 {{Signal::q_ref, setup.n()}, {Signal::qd_ref, setup.n()}, {Signal::qdd_ref, setup.n()}},
                 {},
                 {},
                 {}};
  return shape;
}
inline void keep(LawShape& shape, Signal signal, int size, double start = 0.0) {
  shape.state.push_back({signal, size});
  shape.start.insert(shape.start.end(), index(size), start);
}

template <class S>
class JointErrors {
 public:
  explicit JointErrors(const LawSetup& setup) {
    for (const Coordinate c : setup.robot.coordinates.all())
      position_of_.push_back(setup.robot.coordinates.position_of(c));
  }
  std::size_t n() const { return position_of_.size(); }
  S of_position(const LawStep<S>& x, std::size_t j) const {
    return x[Signal::q_ref][j] - x[Signal::q][position_of_[j]];
  }
  S of_rate(const LawStep<S>& x, std::size_t j) const { return x[Signal::qd_ref][j] - x[Signal::qd][j]; }

 private:
  std::vector<std::size_t> position_of_;
};

}  // namespace catena::laws
