// Trajectories: all joints through via points, evaluated anywhere without allocating. docs/trajectories.md has the
// formulas.
#pragma once

#include <span>
#include <vector>

#include "catena/trajectory/profile.hpp"

namespace catena {

// One number a joint.
using JointPoint = std::vector<double>;

class Trajectory {
 public:
  // Through points[k] at times[k], at rest at both ends. Cycloid and trapezoidal (ramps of a third) stop at every via
  // point. Cubic is the clamped spline: velocity and acceleration are continuous. Quintic passes with the velocities
  // and accelerations of that spline, and starts and ends without acceleration. Throws std::invalid_argument: fewer
  // than two points, unequal lengths, times that do not increase, values not finite.
  static Trajectory through(ProfileKind kind, const std::vector<JointPoint>& points, std::span<const double> times);

  // The same points from time 0 on, with durations from each joint's limits: every segment the shortest rest-to-rest
  // motion of its kind; cubic and quintic then stretched as a whole until velocity or acceleration touches a limit.
  static Trajectory within(ProfileKind kind, const std::vector<JointPoint>& points, std::span<const Rates> limits);

  std::size_t joints() const { return joints_; }
  std::size_t segments() const { return times_.size() - 1; }
  double start() const { return times_.front(); }
  double end() const { return times_.back(); }
  double duration() const { return end() - start(); }

  // Position, velocity and acceleration at time t. Before the start and after the end the robot stands still. Where the
  // acceleration jumps, its later value. Throws std::invalid_argument on a wrong length or a time that is not a number.
  void at(double t, std::span<double> q, std::span<double> qd, std::span<double> qdd) const;

  // Times between which everything is smooth, from start to end.
  std::span<const double> breaks() const { return breaks_; }

  // The same path in factor times the time, from the same start time: q̇ is divided by factor, q̈ by factor².
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

}  // namespace catena
