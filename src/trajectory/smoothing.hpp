// A motion along a path with a speed profile, as a trajectory; and the same smoothed, so that its jerk is limited.
#pragma once

#include "catena/time_optimal.hpp"
#include "trajectory/path.hpp"

namespace catena::trajectory {

class PathMotion {
 public:
  PathMotion(const Path& path, std::vector<PathPoint> points) : path_(path), points_(std::move(points)) {}
  double duration() const { return points_.back().time; }

  struct Along {
    double s, v, a, jump;  // s, ṡ, s̈, and its derivative
  };
  // At time t; before the start and after the end at rest.
  Along at(double t) const;
  // The mean over the time `window` before t: (9)
  Along mean(double t, double window) const;

  Trajectory motion() const;                                     // quintics over the intervals
  Trajectory averaged(double window, std::size_t pieces) const;  // of the mean, duration() + window long
  // The largest third derivatives of the joints in averaged().
  std::vector<double> jerks(double window, std::size_t pieces) const;

 private:
  double integral(double t) const;  // of s from 0
  Trajectory joined(const std::vector<double>& times, const std::vector<Along>& starts,
                    const std::vector<Along>& ends) const;

  const Path& path_;
  std::vector<PathPoint> points_;
};

// The shortest of a range of windows, each stretched in time until it keeps all limits.
Trajectory smoothed(const PathMotion& along, const Mechanism& robot, const TimeOptimalOptions& options);

}  // namespace catena::trajectory
