#include "trajectory/smoothing.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace catena::trajectory {

PathMotion::Along PathMotion::at(double t) const {
  if (t <= 0.0) return {0.0, 0.0, 0.0, 0.0};
  if (t >= duration()) return {points_.back().s, 0.0, 0.0, 0.0};
  const auto next = std::upper_bound(points_.begin(), points_.end(), t,
                                     [](double time, const PathPoint& point) { return time < point.time; });
  const PathPoint& from = *(next - 1);
  const double dt = t - from.time;
  return {from.s + dt * (from.speed + 0.5 * dt * from.acceleration), from.speed + dt * from.acceleration,
          from.acceleration, 0.0};
}

double PathMotion::integral(double t) const {
  if (t <= 0.0) return 0.0;
  double sum = 0.0;
  for (std::size_t k = 0; k + 1 < points_.size() && points_[k].time < t; ++k) {
    const PathPoint& from = points_[k];
    const double dt = std::min(t, points_[k + 1].time) - from.time;
    sum += dt * (from.s + dt * (from.speed / 2.0 + dt * from.acceleration / 6.0));
  }
  return sum + std::max(0.0, t - duration()) * points_.back().s;
}

PathMotion::Along PathMotion::mean(double t, double window) const {
  const Along now = at(t), then = at(t - window);
  return {(integral(t) - integral(t - window)) / window, (now.s - then.s) / window, (now.v - then.v) / window,
          (now.a - then.a) / window};
}

Trajectory PathMotion::joined(const std::vector<double>& times, const std::vector<Along>& starts,
                              const std::vector<Along>& ends) const {
  const std::size_t n = path_.joints();
  std::vector<double> q(n), q1(n), q2(n), q3(n);
  std::vector<JointPoint> from, to;
  std::vector<std::vector<EndMotion>> before, after;
  const auto place = [&](const Along& along, std::vector<JointPoint>& where, std::vector<std::vector<EndMotion>>& how) {
    path_.at(along.s, q, q1, q2, q3);
    where.push_back(q);
    how.emplace_back();
    for (std::size_t j = 0; j < n; ++j)
      how.back().push_back({q1[j] * along.v, q1[j] * along.a + q2[j] * along.v * along.v});
  };
  for (const Along& along : starts) place(along, from, before);
  for (const Along& along : ends) place(along, to, after);
  return Trajectory::pieces(times, from, to, before, after);
}

Trajectory PathMotion::motion() const {
  std::vector<double> times;
  std::vector<Along> starts, ends;
  for (std::size_t k = 0; k < points_.size(); ++k) {
    times.push_back(points_[k].time);
    if (k + 1 < points_.size()) starts.push_back({points_[k].s, points_[k].speed, points_[k].acceleration, 0.0});
    if (k > 0) ends.push_back({points_[k].s, points_[k].speed, points_[k - 1].acceleration, 0.0});
  }
  return joined(times, starts, ends);
}

Trajectory PathMotion::averaged(double window, std::size_t pieces) const {
  std::vector<double> times;
  std::vector<Along> at;
  for (std::size_t k = 0; k <= pieces; ++k) {
    times.push_back((duration() + window) * static_cast<double>(k) / static_cast<double>(pieces));
    at.push_back(k == 0        ? Along{0.0, 0.0, 0.0, 0.0}
                 : k == pieces ? Along{points_.back().s, 0.0, 0.0, 0.0}
                               : mean(times.back(), window));
  }
  return joined(times, {at.begin(), at.end() - 1}, {at.begin() + 1, at.end()});
}

std::vector<double> PathMotion::jerks(double window, std::size_t pieces) const {
  const std::size_t n = path_.joints();
  std::vector<double> most(n), q(n), q1(n), q2(n), q3(n);
  for (std::size_t k = 0; k <= pieces; ++k) {
    const Along x = mean((duration() + window) * static_cast<double>(k) / static_cast<double>(pieces), window);
    path_.at(x.s, q, q1, q2, q3);
    for (std::size_t j = 0; j < n; ++j)  // (10)
      most[j] = std::max(most[j], std::abs(q1[j] * x.jump + 3.0 * q2[j] * x.v * x.a + q3[j] * x.v * x.v * x.v));
  }
  return most;
}

namespace {

// How much longer a motion must take, wherever it goes; infinite: no stretch helps.
double stretch(const Trajectory& motion, const Mechanism& robot, const TimeOptimalOptions& options) {
  Mechanism anywhere = robot;
  for (const Coordinate c : robot.coordinates.all()) {
    JointLimits& limits = anywhere.coordinates.limits[c];
    limits.lower = -std::numeric_limits<double>::infinity(), limits.upper = std::numeric_limits<double>::infinity();
    if (!options.speeds.empty()) limits.velocity = options.speeds[index(c)];
  }
  double factor = check_limits(motion, anywhere, {.wrenches = options.wrenches, .formulation = options.formulation})
                      .time_scale.factor;
  for (std::size_t j = 0; j < motion.joints() && !options.accelerations.empty(); ++j)
    factor = std::max(factor, std::sqrt(motion.peaks(j).acceleration / options.accelerations[j]));
  return factor;
}

}  // namespace

Trajectory smoothed(const PathMotion& along, const Mechanism& robot, const TimeOptimalOptions& options) {
  constexpr int windows = 16;
  const auto pieces = std::size_t(options.intervals);
  double best = std::numeric_limits<double>::infinity(), chosen = 0.0, factor = 1.0;
  for (int k = 0; k < windows; ++k) {
    const double window = along.duration() * 0.5 * std::pow(0.72, k);
    const std::vector<double> jerks = along.jerks(window, pieces);
    double longer = 0.0;
    for (std::size_t j = 0; j < jerks.size(); ++j) longer = std::max(longer, std::cbrt(jerks[j] / options.jerks[j]));
    if (longer * (along.duration() + window) >= best) continue;
    const Trajectory motion = along.averaged(window, pieces);
    longer = std::max(longer, stretch(motion, robot, options));
    if (longer * motion.duration() < best) best = longer * motion.duration(), chosen = window, factor = longer;
  }
  if (chosen == 0.0) throw std::domain_error("no smoothed motion keeps all limits");
  return along.averaged(chosen, pieces).scaled(factor);
}

}  // namespace catena::trajectory
