// Motion profiles: one coordinate from one value to another in a given time. docs/trajectories.md has the formulas.
//
// A profile is a shape over u = t/T in [0, 1] and a duration T:  q = f(u),  q̇ = f'(u)/T,  q̈ = f''(u)/T². Stretching it
// in time changes T and nothing else.
#pragma once

#include <array>
#include <span>
#include <string_view>
#include <vector>

namespace catena {

enum class ProfileKind { cycloid, cubic, quintic, trapezoidal };

std::string_view name_of(ProfileKind kind);
ProfileKind profile_kind(std::string_view name);  // throws std::invalid_argument with the names there are

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
  };

  // From rest to rest in `duration` > 0. All throw std::invalid_argument on values that make no motion.
  static Profile cycloid(double from, double to, double duration);
  static Profile cubic(double from, double to, double duration, double start_velocity = 0.0, double end_velocity = 0.0);
  static Profile quintic(double from, double to, double duration, EndMotion start = {}, EndMotion end = {});
  // Ramps of ramp · duration at both ends, 0 < ramp <= ½, constant velocity between them.
  static Profile trapezoidal(double from, double to, double duration, double ramp = 1.0 / 3.0);
  // The fastest within the limits; a triangle where the way is too short to reach the velocity. from != to.
  static Profile trapezoidal(double from, double to, const Rates& limits);

  // 0 <= t <= duration; beyond, the values of the nearer end.
  Point at(double t) const;

  double duration() const { return duration_; }
  double ramp() const { return ramp_; }  // trapezoidal: share of the duration each ramp takes; else 0
  Profile scaled(double factor) const;   // the same motion in factor · duration

  // The largest |q̇| and |q̈|, exact.
  Rates peaks() const;

 private:
  Profile(ProfileKind kind, double from, double to, double duration);
  Point shape(double u) const;  // f, f', f''

  ProfileKind kind_;
  double duration_;
  double end_;  // q at the end, free of rounding
  double ramp_ = 0.0;
  std::array<double, 6> c_{};     // polynomials: coefficients of uᵏ; others: from, to - from
  std::array<double, 6> back_{};  // polynomials: coefficients of (1 - u)ᵏ
};

// Rest to rest within each joint's limits, all joints along one shape: they start and finish together, and the way is
// straight in joint space. A joint that does not move gets a constant profile; at least one must move.
std::vector<Profile> synchronized(ProfileKind kind, std::span<const double> from, std::span<const double> to,
                                  std::span<const Rates> limits);

}  // namespace catena
