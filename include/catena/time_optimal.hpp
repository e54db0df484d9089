// The fastest motion along a path that the robot's limits allow. Equations: docs/time-optimal.md.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "catena/trajectory.hpp"

namespace catena {

struct TimeOptimalOptions {
  bool stops = false;                   // straight to each point, and at rest there; else a spline through all
  int intervals = 1000;                 // of the path, between two stops
  std::vector<double> speeds{};         // by joint, instead of the model's
  std::vector<double> accelerations{};  // by joint; empty: as torques allow
  std::vector<double> jerks{};          // by joint; empty: accelerations may jump
  std::vector<ExternalWrench<double>> wrenches{};  // constant over the motion
  std::string formulation{};                       // of inverse dynamics; empty: the fastest
};

// Where the path is, how fast it is passed, and how fast it could be passed there at most by any motion within the
// limits that comes from the start and reaches the end.
struct PathPoint {
  double s = 0.0, speed = 0.0, acceleration = 0.0;  // ṡ, and s̈ of the interval that begins here
  double most = 0.0;                                // the largest ṡ from which the end can be reached
  double time = 0.0;
};

struct TimeOptimal {
  Trajectory motion;
  std::vector<PathPoint> path;  // without the smoothing that jerks ask for
  double least = 0.0;  // s: motions with a constant s̈ in each interval that keep the limits at its ends take longer
  int idle = 0;        // the longest run of intervals at none of their limits; a fastest motion switches, within one
  int rounds = 0;      // solutions until friction and what happens between the points was settled
};

// Through these points from rest to rest. Throws std::invalid_argument for numbers that define no path, and
// std::domain_error, naming the joint, where gravity and friction alone exceed an effort on the path.
TimeOptimal time_optimal(const Mechanism& robot, const std::vector<JointPoint>& points,
                         const TimeOptimalOptions& options = {});

}  // namespace catena
