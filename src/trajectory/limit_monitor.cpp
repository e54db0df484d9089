#include <algorithm>
#include <cmath>
#include <optional>
#include <string>

#include "catena/math/quaternion.hpp"
#include "catena/trajectory.hpp"
#include "trajectory/checks.hpp"
#include "trajectory/limit_curves.hpp"

namespace catena {

using trajectory::Curve;
using trajectory::require;
using trajectory::Sample;

struct LimitMonitor::Impl {
  struct Track {
    Curve curve;
    std::optional<LimitEvent> peak;
    std::optional<LimitEvent> first_violation;
  };
  struct Row {
    double t = 0.0;
    std::vector<double> q, qd, qdd;
  };

  Impl(const Mechanism& robot, const LimitOptions& options)
      : probe(robot, options), carried(robot.coordinates.is_free() ? base_joints : 0) {
    for (const Curve& curve : trajectory::make_curves(robot, options)) tracks.push_back({curve, {}, {}});
  }

  // A free base between two rows, interpolated linearly: its rates are not the derivatives of its entries of q.
  void move_base(double part, const Row& then, const Row& now, Row& middle) const {
    const auto mix = [part](double a, double b) { return a + part * (b - a); };
    for (std::size_t k = 0; k < carried; ++k) {
      middle.qd[k] = mix(then.qd[k], now.qd[k]);
      middle.qdd[k] = mix(then.qdd[k], now.qdd[k]);
    }
    for (std::size_t k = 0; k < 3; ++k) middle.q[k] = mix(then.q[k], now.q[k]);
    double along = 0.0;  // both signs of a quaternion are the same rotation
    for (std::size_t k = 3; k <= carried; ++k) along += then.q[k] * now.q[k];
    for (std::size_t k = 3; k <= carried; ++k) middle.q[k] = mix(then.q[k], along < 0.0 ? -now.q[k] : now.q[k]);
    normalize_quaternion(&middle.q[3]);
  }

  // Where the curve crosses its limit between the previous row and this one, on the quintic through both.
  LimitEvent locate(const Curve& curve, const Row& now, double value) {
    if (!previous) return curve.event(now.t, value);
    const Row& then = *previous;
    const std::size_t n = now.qd.size(), shift = now.q.size() - n;  // 1 where the base is free
    const double span = now.t - then.t;
    std::vector<Profile> joints;
    for (std::size_t j = carried; j < n; ++j)
      joints.push_back(Profile::quintic(then.q[j + shift], now.q[j + shift], span, {then.qd[j], then.qdd[j]},
                                        {now.qd[j], now.qdd[j]}));
    Row middle = now;
    Sample sample;
    LimitEvent beyond = curve.event(now.t, value);
    for (double inside = then.t; beyond.time - inside > 1e-9 * span;) {
      middle.t = 0.5 * (inside + beyond.time);
      if (!(middle.t > inside && middle.t < beyond.time)) break;
      if (carried > 0) move_base((middle.t - then.t) / span, then, now, middle);
      for (std::size_t j = carried; j < n; ++j) {
        const Profile::Point p = joints[j - carried].at(middle.t - then.t);
        middle.q[j + shift] = p.q;
        middle.qd[j] = p.qd;
        middle.qdd[j] = p.qdd;
      }
      probe.measure(middle.q, middle.qd, middle.qdd, sample);
      const double v = curve.value(sample, 1.0);
      if (curve.excess(v) > limit_tolerance) {
        beyond = curve.event(middle.t, v);
      } else {
        inside = middle.t;
      }
    }
    return beyond;
  }

  void add(Row row) {
    probe.measure(row.q, row.qd, row.qdd, current);
    tau = probe.tau();
    for (Track& track : tracks) {
      const Curve& curve = track.curve;
      const double value = curve.value(current, 1.0);
      if (!track.peak || curve.height(value) > curve.height(track.peak->value)) track.peak = curve.event(row.t, value);
      if (!track.first_violation && curve.excess(value) > limit_tolerance)
        track.first_violation = locate(curve, row, value);
      forbidden.add(curve, current, row.t);
    }
    previous = std::move(row);
  }

  trajectory::Probe probe;
  std::size_t carried;  // number of rates of a free base, which come before those of the joints
  std::vector<Track> tracks;
  trajectory::ForbiddenSpeeds forbidden;
  std::optional<Row> previous;
  Sample current;
  std::vector<double> tau;
};

LimitMonitor::LimitMonitor(const Mechanism& robot, const LimitOptions& options)
    : impl_(std::make_unique<Impl>(robot, options)) {}
LimitMonitor::~LimitMonitor() = default;
LimitMonitor::LimitMonitor(LimitMonitor&&) noexcept = default;

std::span<const double> LimitMonitor::add(double t, std::span<const double> q, std::span<const double> qd,
                                          std::span<const double> qdd) {
  require(std::isfinite(t), "the time is " + trajectory::text(t) + ", not a finite number");
  require(!impl_->previous || t > impl_->previous->t, "times must increase: " + trajectory::text(t) + " comes after " +
                                                          trajectory::text(impl_->previous ? impl_->previous->t : t));
  impl_->add({t, {q.begin(), q.end()}, {qd.begin(), qd.end()}, {qdd.begin(), qdd.end()}});
  return impl_->tau;
}

LimitReport LimitMonitor::report() const {
  LimitReport report;
  for (const auto& [curve, peak, first] : impl_->tracks) {
    if (!peak) continue;
    report.peaks.push_back(*peak);
    if (first) report.violations.push_back({*first, *peak});
  }
  std::stable_sort(report.violations.begin(), report.violations.end(),
                   [](const Violation& a, const Violation& b) { return a.first.time < b.first.time; });
  report.time_scale = impl_->forbidden.time_scale();
  return report;
}

}  // namespace catena
