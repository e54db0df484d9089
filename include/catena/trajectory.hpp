// Motions in time: profiles of one coordinate, trajectories of all, and whether they respect limits.
#pragma once

#include <array>
#include <functional>
#include <limits>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "catena/dynamics.hpp"

namespace catena {

// Motion profiles: one coordinate from one value to another in a given time. docs/trajectories.md has the formulas.
//
// A profile is a shape over u = t/T in [0, 1] and a duration T:  q = f(u),  q̇ = f'(u)/T,  q̈ = f''(u)/T². Stretching it
// in time changes T and nothing else.

enum class ProfileKind { cycloid, cubic, quintic, trapezoidal, septic };

std::string_view name_of(ProfileKind kind);
ProfileKind profile_kind(std::string_view name);  // throws std::invalid_argument with a list of the names

// Bounds on a motion; both positive, the velocity may be infinite.
struct Rates {
  double velocity;
  double acceleration;
};

// Velocity and acceleration at an end.
struct EndMotion {
  double velocity = 0.0;
  double acceleration = 0.0;
};

class Profile {
 public:
  struct Point {
    double q, qd, qdd;
    double jerk = 0.0, snap = 0.0;  // the third and the fourth derivative
  };

  // From rest to rest in `duration` > 0. All throw std::invalid_argument on values that define no motion.
  static Profile cycloid(double from, double to, double duration);
  static Profile cubic(double from, double to, double duration, double start_velocity = 0.0, double end_velocity = 0.0);
  static Profile quintic(double from, double to, double duration, EndMotion start = {}, EndMotion end = {});
  // Ramps of ramp · duration at both ends, 0 < ramp <= ½, constant velocity between them.
  static Profile trapezoidal(double from, double to, double duration, double ramp = 1.0 / 3.0);
  // Neither acceleration nor jerk at the ends.
  static Profile septic(double from, double to, double duration);
  // The fastest within the limits; a triangle if the distance is too short to reach the velocity. from != to.
  static Profile trapezoidal(double from, double to, const Rates& limits);

  // 0 <= t <= duration; outside, the values at the nearer end.
  Point at(double t) const;

  double duration() const { return duration_; }
  double ramp() const { return ramp_; }  // trapezoidal: fraction of the duration that each ramp takes; else 0
  Profile scaled(double factor) const;   // the same motion in factor · duration

  // The largest |q̇| and |q̈|, exact.
  Rates peaks() const;

 private:
  Profile(ProfileKind kind, double from, double to, double duration);
  Point shape(double u) const;  // f and its derivatives

  ProfileKind kind_;
  double duration_;
  double end_;  // q at the end, without rounding error
  double ramp_ = 0.0;
  std::array<double, 6> c_{};     // polynomials: coefficients of uᵏ; others: from, to - from
  std::array<double, 6> back_{};  // polynomials: coefficients of (1 - u)ᵏ
};

// Rest to rest within each joint's limits, all joints with the same shape: they start and finish together, and the path
// is straight in joint space. A joint that does not move gets a constant profile; at least one must move.
std::vector<Profile> synchronized(ProfileKind kind, std::span<const double> from, std::span<const double> to,
                                  std::span<const Rates> limits);

// Trajectories: all joints through via points, evaluated anywhere without allocating. docs/trajectories.md has the
// formulas.

// One number per joint.
using JointPoint = std::vector<double>;

class Trajectory {
 public:
  // Through points[k] at times[k], at rest at both ends. Cycloid, septic and trapezoidal (ramps of a third) stop at
  // every via point. Cubic is the clamped spline: velocity and acceleration are continuous. Quintic passes with the
  // velocities and accelerations of that spline, and starts and ends without acceleration. Throws
  // std::invalid_argument: fewer than two points, unequal lengths, times that do not increase, values not finite.
  static Trajectory through(ProfileKind kind, const std::vector<JointPoint>& points, std::span<const double> times);

  // The same points from time 0 on, with durations from each joint's limits: every segment the shortest rest-to-rest
  // motion of its kind; cubic and quintic then stretched as a whole until velocity or acceleration touches a limit.
  static Trajectory within(ProfileKind kind, const std::vector<JointPoint>& points, std::span<const Rates> limits);

  // Quintics from[k] to to[k] between times[k] and times[k + 1], with these motions at their own ends: neighbours may
  // disagree about the acceleration where they meet.
  static Trajectory pieces(std::span<const double> times, const std::vector<JointPoint>& from,
                           const std::vector<JointPoint>& to, const std::vector<std::vector<EndMotion>>& before,
                           const std::vector<std::vector<EndMotion>>& after);
  // This, then the other from where this ends in time.
  Trajectory followed_by(const Trajectory& other) const;

  std::size_t joints() const { return joints_; }
  std::size_t segments() const { return times_.size() - 1; }
  double start() const { return times_.front(); }
  double end() const { return times_.back(); }
  double duration() const { return end() - start(); }

  // Position, velocity and acceleration at time t. Before the start and after the end the robot stands still. Where the
  // acceleration jumps, its later value. Throws std::invalid_argument on a wrong length or a time that is NaN.
  void at(double t, std::span<double> q, std::span<double> qd, std::span<double> qdd) const;

  // The same with the third and the fourth derivative, which feed-forward of elastic joints needs (elastic.hpp).
  void at(double t, std::span<double> q, std::span<double> qd, std::span<double> qdd, std::span<double> jerk,
          std::span<double> snap) const;

  // Times between which everything is smooth, from start to end.
  std::span<const double> breaks() const { return breaks_; }

  // The same path in factor times the duration, with the same start time: q̇ is divided by factor, q̈ by factor².
  Trajectory scaled(double factor) const;

  // The largest |q̇| and |q̈| of a joint, exact.
  Rates peaks(std::size_t joint) const;

 private:
  Trajectory(std::size_t joints, std::vector<double> times, std::vector<Profile> profiles);
  const Profile& profile(std::size_t segment, std::size_t joint) const { return profiles_[segment * joints_ + joint]; }

  std::size_t joints_;
  std::vector<double> times_;      // of the via points
  std::vector<Profile> profiles_;  // segment by segment, joint by joint
  std::vector<double> breaks_;
};

// Does a motion respect the robot's limits, where does it first break them, and how much slower (or faster) may it run?
// docs/trajectories.md derives the time scaling.
//
// Position, speed and effort limits are the model's (Mechanism::limits), by coordinate; power limits are the caller's.

enum class LimitKind { position, speed, effort, power };
std::string_view name_of(LimitKind kind);

struct LimitOptions {
  std::vector<double> power{};  // W, one per joint, for |τ q̇|; empty: none
  double total_power =
      std::numeric_limits<double>::infinity();  // W, for |Σ τ q̇|: the power that all drives together take or return
  std::vector<ExternalWrench<double>> wrenches{};  // constant over the motion
  std::string formulation{};                       // of inverse dynamics; empty: the fastest
  int samples = 1000;                              // of a Trajectory; a search refines between them
  std::function<bool()> proceed{};                 // called now and then; false: std::runtime_error, "interrupted"
};

// Values that exceed a limit by less than this fraction still respect it.
inline constexpr double limit_tolerance = 1e-9;
inline constexpr int all_joints = -1;

// A quantity at a time. position: q, with the nearer bound as limit; speed: q̇; effort: τ; power: τ q̇ of a joint or of
// all_joints.
struct LimitEvent {
  LimitKind kind = LimitKind::position;
  int joint = 0;
  double time = 0.0;
  double value = 0.0;
  double limit = std::numeric_limits<double>::infinity();  // magnitude, except for positions
};

struct Violation {
  LimitEvent first;  // where the limit is crossed
  LimitEvent peak;   // where it is exceeded most
};

// In factor times the duration, the motion just respects the limits; with a smaller factor it does not.
struct TimeScale {
  enum class Outcome {
    found,
    impossible,  // at any speed: a position, or gravity, springs and Coulomb friction alone, exceed the limit; binding
                 // says where
    unbounded,   // nothing limits the speed
  };
  Outcome outcome = Outcome::unbounded;
  double factor = 0.0;     // found: smallest factor; unbounded: 0; impossible: infinity
  bool slower_too = true;  // every larger factor respects the limits as well
  LimitEvent binding{};    // found: what reaches its limit at that factor (time along the original motion); impossible:
                           // what exceeds its limit
};

struct LimitReport {
  std::vector<LimitEvent> peaks;  // lowest and highest position, top speed, effort and power of each joint; total power
  std::vector<Violation> violations;  // by time of crossing
  TimeScale time_scale;
  bool respected() const { return violations.empty(); }
};

// The whole motion; peaks and crossings are located between the samples. Throws std::invalid_argument if the trajectory
// does not fit the robot, or its base is not fixed.
LimitReport check_limits(const Trajectory& motion, const Mechanism& robot, const LimitOptions& options = {});

// The same for a motion supplied row by row, in constant memory. Peaks and time scale are those of the rows; a crossing
// is located on the quintic that joins two rows. The base may be free, but its motion may not be prescribed.
class LimitMonitor {
 public:
  explicit LimitMonitor(const Mechanism& robot, const LimitOptions& options = {});
  ~LimitMonitor();
  LimitMonitor(LimitMonitor&&) noexcept;

  // The times must increase. Returns τ of the row, valid until the next call.
  std::span<const double> add(double t, std::span<const double> q, std::span<const double> qd,
                              std::span<const double> qdd);
  LimitReport report() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace catena
