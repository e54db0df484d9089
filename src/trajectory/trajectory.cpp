#include "catena/trajectory.hpp"

#include <algorithm>
#include <cmath>
#include <string>

#include "trajectory/checks.hpp"
#include "trajectory/spline.hpp"

namespace catena {
namespace {

using trajectory::require;
using trajectory::require_points;
using trajectory::text;

std::string ordinal(std::size_t k) { return std::to_string(k + 1); }

}  // namespace

void trajectory::require_points(const std::vector<JointPoint>& points) {
  require(points.size() >= 2, "a trajectory needs at least two points, not " + std::to_string(points.size()));
  require(!points.front().empty(), "a trajectory needs at least one joint");
  for (std::size_t k = 0; k < points.size(); ++k) {
    require(points[k].size() == points.front().size(), "point " + ordinal(k) + " has " +
                                                           std::to_string(points[k].size()) + " joints, point 1 has " +
                                                           std::to_string(points.front().size()));
    for (std::size_t j = 0; j < points[k].size(); ++j)
      require(std::isfinite(points[k][j]),
              "point " + ordinal(k) + ", joint " + ordinal(j) + ": " + text(points[k][j]) + " is not a finite number");
  }
}

namespace {

void require_times(std::span<const double> times, std::size_t points) {
  require(times.size() == points,
          std::to_string(times.size()) + " times for " + std::to_string(points) + " points; one per point is needed");
  for (std::size_t k = 0; k < times.size(); ++k) {
    require(std::isfinite(times[k]), "time " + ordinal(k) + " is " + text(times[k]) + ", not a finite number");
    require(k == 0 || times[k] > times[k - 1], "times must increase: time " + ordinal(k) + " is " + text(times[k]) +
                                                   ", the one before is " + text(times[k - (k > 0)]));
  }
}

// The profile of one joint over one segment; `before` and `after` are its motion at the two via points.
Profile segment_profile(ProfileKind kind, double from, double to, double duration, const EndMotion& before,
                        const EndMotion& after) {
  switch (kind) {
    case ProfileKind::cubic:
      return Profile::cubic(from, to, duration, before.velocity, after.velocity);
    case ProfileKind::quintic:
      return Profile::quintic(from, to, duration, before, after);
    case ProfileKind::trapezoidal:
      return Profile::trapezoidal(from, to, duration);
    case ProfileKind::septic:
      return Profile::septic(from, to, duration);
    default:
      return Profile::cycloid(from, to, duration);
  }
}

bool stops_at_points(ProfileKind kind) { return kind != ProfileKind::cubic && kind != ProfileKind::quintic; }

}  // namespace

Trajectory::Trajectory(std::size_t joints, std::vector<double> times, std::vector<Profile> profiles)
    : joints_(joints), times_(std::move(times)), profiles_(std::move(profiles)) {
  for (std::size_t k = 0; k < segments(); ++k) {
    const double ramp = profile(k, 0).ramp(), length = times_[k + 1] - times_[k];
    breaks_.push_back(times_[k]);
    if (ramp > 0.0) breaks_.push_back(times_[k] + ramp * length);
    if (ramp > 0.0 && ramp < 0.5) breaks_.push_back(times_[k + 1] - ramp * length);
  }
  breaks_.push_back(times_.back());
}

Trajectory Trajectory::through(ProfileKind kind, const std::vector<JointPoint>& points, std::span<const double> times) {
  require_points(points);
  require_times(times, points.size());
  const std::size_t n = points.front().size(), segments = points.size() - 1;
  std::vector<std::vector<EndMotion>> passing(n, std::vector<EndMotion>(points.size()));
  for (std::size_t j = 0; j < n && !stops_at_points(kind); ++j) {
    std::vector<double> values;
    for (const JointPoint& point : points) values.push_back(point[j]);
    passing[j] = trajectory::clamped_spline(times, values);
  }
  std::vector<Profile> profiles;
  for (std::size_t k = 0; k < segments; ++k)
    for (std::size_t j = 0; j < n; ++j)
      profiles.push_back(segment_profile(kind, points[k][j], points[k + 1][j], times[k + 1] - times[k], passing[j][k],
                                         passing[j][k + 1]));
  return Trajectory(n, {times.begin(), times.end()}, std::move(profiles));
}

Trajectory Trajectory::pieces(std::span<const double> times, const std::vector<JointPoint>& from,
                              const std::vector<JointPoint>& to, const std::vector<std::vector<EndMotion>>& before,
                              const std::vector<std::vector<EndMotion>>& after) {
  require_times(times, from.size() + 1);
  require(to.size() == from.size() && before.size() == from.size() && after.size() == from.size(),
          "every piece has two ends");
  std::vector<Profile> profiles;
  for (std::size_t k = 0; k < from.size(); ++k)
    for (std::size_t j = 0; j < from[k].size(); ++j)
      profiles.push_back(Profile::quintic(from[k][j], to[k][j], times[k + 1] - times[k], before[k][j], after[k][j]));
  return Trajectory(from.front().size(), {times.begin(), times.end()}, std::move(profiles));
}

Trajectory Trajectory::followed_by(const Trajectory& other) const {
  require(other.joints_ == joints_, "motions of different robots cannot be joined");
  std::vector<double> times = times_;
  std::vector<Profile> profiles = profiles_;
  for (std::size_t k = 1; k < other.times_.size(); ++k) times.push_back(end() + other.times_[k] - other.start());
  profiles.insert(profiles.end(), other.profiles_.begin(), other.profiles_.end());
  return Trajectory(joints_, std::move(times), std::move(profiles));
}

Trajectory Trajectory::within(ProfileKind kind, const std::vector<JointPoint>& points, std::span<const Rates> limits) {
  require_points(points);
  require(limits.size() == points.front().size(),
          std::to_string(limits.size()) + " limits for " + std::to_string(points.front().size()) + " joints");
  std::vector<double> times{0.0};
  std::vector<Profile> profiles;
  for (std::size_t k = 0; k + 1 < points.size(); ++k) {
    require(points[k] != points[k + 1],
            "points " + ordinal(k) + " and " + ordinal(k + 1) + " are the same; give times to wait there");
    const std::vector<Profile> segment = synchronized(kind, points[k], points[k + 1], limits);
    times.push_back(times.back() + segment.front().duration());
    profiles.insert(profiles.end(), segment.begin(), segment.end());
  }
  if (stops_at_points(kind)) return Trajectory(limits.size(), std::move(times), std::move(profiles));
  const Trajectory passing = through(kind, points, times);
  double factor = 0.0;
  for (std::size_t j = 0; j < limits.size(); ++j) {
    const Rates peak = passing.peaks(j);
    if (peak.velocity == 0.0) continue;  // its limit may be zero too
    factor =
        std::max({factor, peak.velocity / limits[j].velocity, std::sqrt(peak.acceleration / limits[j].acceleration)});
  }
  return passing.scaled(factor);
}

void Trajectory::at(double t, std::span<double> q, std::span<double> qd, std::span<double> qdd) const {
  at(t, q, qd, qdd, {}, {});
}

void Trajectory::at(double t, std::span<double> q, std::span<double> qd, std::span<double> qdd, std::span<double> jerk,
                    std::span<double> snap) const {
  const auto fits = [&](std::span<double> rates) { return rates.empty() || rates.size() == joints_; };
  if (q.size() != joints_ || qd.size() != joints_ || qdd.size() != joints_ || !fits(jerk) || !fits(snap))
    throw std::invalid_argument("q, qd and qdd must have " + std::to_string(joints_) + " values, one per joint");
  if (std::isnan(t)) throw std::invalid_argument("the time is not a number");
  const auto after = std::upper_bound(times_.begin() + 1, times_.end() - 1, t);
  const auto segment = static_cast<std::size_t>(after - times_.begin()) - 1;
  const bool moving = t >= start() && t <= end();
  for (std::size_t j = 0; j < joints_; ++j) {
    const Profile::Point p = profile(segment, j).at(t - times_[segment]);
    q[j] = p.q;
    qd[j] = moving ? p.qd : 0.0;
    qdd[j] = moving ? p.qdd : 0.0;
    if (!jerk.empty()) jerk[j] = moving ? p.jerk : 0.0;
    if (!snap.empty()) snap[j] = moving ? p.snap : 0.0;
  }
}

Trajectory Trajectory::scaled(double factor) const {
  std::vector<double> times;
  std::vector<Profile> profiles;
  for (const double t : times_) times.push_back(start() + factor * (t - start()));
  for (const Profile& p : profiles_) profiles.push_back(p.scaled(factor));
  return Trajectory(joints_, std::move(times), std::move(profiles));
}

Rates Trajectory::peaks(std::size_t joint) const {
  Rates peak{0.0, 0.0};
  for (std::size_t k = 0; k < segments(); ++k) {
    const Rates p = profile(k, joint).peaks();
    peak = {std::max(peak.velocity, p.velocity), std::max(peak.acceleration, p.acceleration)};
  }
  return peak;
}

}  // namespace catena
