#include "trajectory/limit_curves.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

#include "trajectory/checks.hpp"

namespace catena {

std::string_view name_of(LimitKind kind) {
  constexpr std::array<std::string_view, 4> names{"position", "speed", "effort", "power"};
  return names[static_cast<std::size_t>(kind)];
}

namespace trajectory {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
// Allowed gaps between forbidden ranges that are narrower than this, relative to the speed, are sampling noise.
constexpr double narrow = 1e-6;

}  // namespace

bool has_position(const Coordinates& coordinates, Coordinate c) {
  return !coordinates.is_free() || c < 3 || c >= base_joints;
}

Probe::Probe(const Mechanism& robot, const LimitOptions& options)
    : inverse_(robot, options.formulation),
      coordinates_(robot.coordinates),
      wrenches_(options.wrenches),
      tau_(index(robot.nv())),
      fixed_(tau_.size()),
      viscous_(tau_.size()) {
  require(!coordinates_.is_moving(), "robot '" + robot.name + "' has a moving base, which limits do not take");
  if (coordinates_.is_coupled()) {
    for (const TreeJoint j : robot.all_joints()) rubbing_.push_back({coordinates_.following[j].terms, robot.drives[j]});
    return;
  }
  for (const Coordinate c : coordinates_.all()) rubbing_.push_back({{{c, 1.0}}, robot.drives[coordinates_.joints[c]]});
}

void Probe::measure(std::span<const double> q, std::span<const double> qd, std::span<const double> qdd, Sample& out) {
  inverse_(q, qd, qdd, tau_, wrenches_);
  inverse_.statics(q, wrenches_, fixed_);
  std::fill(viscous_.begin(), viscous_.end(), 0.0);
  for (const auto& [terms, drive] : rubbing_) {
    double rate = 0.0;
    for (const auto& [c, factor] : terms) rate += factor * qd[index(c)];
    for (const auto& [c, factor] : terms) {
      fixed_[index(c)] += factor * drive.coulomb * sign(rate);
      viscous_[index(c)] += factor * drive.viscous * rate;
    }
  }
  out.joints.resize(tau_.size());
  for (const Coordinate c : coordinates_.all()) {
    const std::size_t j = index(c);
    const double at = has_position(coordinates_, c) ? q[coordinates_.position_of(c)] : 0.0;
    out.joints[j] = {at, qd[j], fixed_[j], viscous_[j], tau_[j] - fixed_[j] - viscous_[j]};
  }
}

Cubic Curve::polynomial(const Sample& sample) const {
  if (joint == all_joints) {
    Cubic sum{};
    for (const JointSample& s : sample.joints) {
      sum[1] += s.fixed * s.qd;
      sum[2] += s.viscous * s.qd;
      sum[3] += s.dynamic * s.qd;
    }
    return sum;
  }
  const JointSample& s = sample.joints[static_cast<std::size_t>(joint)];
  switch (kind) {
    case LimitKind::position:
      return {s.q, 0.0, 0.0, 0.0};
    case LimitKind::speed:
      return {0.0, s.qd, 0.0, 0.0};
    case LimitKind::effort:
      return {s.fixed, s.viscous, s.dynamic, 0.0};
    default:
      return {0.0, s.fixed * s.qd, s.viscous * s.qd, s.dynamic * s.qd};
  }
}

double Curve::excess(double v) const {
  const double beyond = height(v) - ceiling();
  if (beyond == -infinity) return -infinity;
  const double scale = side == Side::both ? limit : std::max(1.0, std::abs(limit));
  return beyond / (scale > 0.0 ? scale : 1.0);
}

std::vector<Curve> make_curves(const Mechanism& robot, const LimitOptions& options) {
  const std::size_t n = index(robot.nv());
  require(options.power.empty() || options.power.size() == n,
          std::to_string(options.power.size()) + " power limits for " + std::to_string(n) + " joints");
  for (const double p : options.power) require(p > 0.0, "a power limit of " + text(p) + " W; it must be positive");
  require(options.total_power > 0.0, "a total power of " + text(options.total_power) + " W; it must be positive");
  std::vector<Curve> curves;
  for (const Coordinate c : robot.coordinates.all()) {
    const JointLimits& limits = robot.limits(c);
    if (has_position(robot.coordinates, c)) {
      curves.push_back({LimitKind::position, c, limits.lower, Curve::Side::below});
      curves.push_back({LimitKind::position, c, limits.upper, Curve::Side::above});
    }
    curves.push_back({LimitKind::speed, c, std::max(0.0, limits.velocity)});
    curves.push_back({LimitKind::effort, c, std::max(0.0, limits.effort)});
    curves.push_back({LimitKind::power, c, options.power.empty() ? infinity : options.power[index(c)]});
  }
  curves.push_back({LimitKind::power, all_joints, options.total_power});
  return curves;
}

void ForbiddenSpeeds::add(const Curve& curve, const Sample& sample, double time) {
  if (!std::isfinite(curve.limit)) return;
  const Cubic c = curve.polynomial(sample);
  if (curve.excess(c[0]) > limit_tolerance) {  // even at a standstill
    insert({0.0, infinity, curve.event(time, c[0])});
    return;
  }
  if (curve.allows_nothing()) {  // at any speed
    const double as_given = trajectory::value(c, 1.0);
    if (curve.excess(as_given) > limit_tolerance) insert({0.0, infinity, curve.event(time, as_given)});
    return;
  }
  if (c[1] == 0.0 && c[2] == 0.0 && c[3] == 0.0) return;
  // Between the speeds where the value crosses +limit or -limit, it is entirely inside or entirely outside.
  const double limit = curve.limit;
  std::vector<double> crossings{0.0};
  for (const double side : {limit, -limit}) {
    const Cubic shifted{c[0] - side, c[1], c[2], c[3]};
    const double high = c[3] == 0.0 ? infinity : root_bound(shifted);
    for (const double x : sign_changes(shifted, 0.0, high)) crossings.push_back(x);
  }
  std::sort(crossings.begin(), crossings.end());
  for (std::size_t k = 0; k < crossings.size(); ++k) {
    const bool last = k + 1 == crossings.size();
    const double low = crossings[k], high = last ? infinity : crossings[k + 1];
    const double inside = last ? 2.0 * low + 1.0 : 0.5 * (low + high);
    if (std::abs(trajectory::value(c, inside)) > limit)
      insert({low, high, curve.event(time, trajectory::value(c, low))});
  }
}

void ForbiddenSpeeds::insert(Range range) {
  const auto first = std::find_if(ranges_.begin(), ranges_.end(),
                                  [&](const Range& r) { return r.high * (1.0 + narrow) >= range.low; });
  auto last = first;
  for (; last != ranges_.end() && last->low <= range.high * (1.0 + narrow); ++last) {
    if (last->low <= range.low) {  // the cause of the lowest range is kept
      range.low = last->low;
      range.cause = last->cause;
    }
    range.high = std::max(range.high, last->high);
  }
  ranges_.insert(ranges_.erase(first, last), range);
}

TimeScale ForbiddenSpeeds::time_scale(bool slower_too) const {
  if (ranges_.empty()) return {};
  const Range& range = bound(slower_too);
  if (range.low == 0.0) return {TimeScale::Outcome::impossible, infinity, true, range.cause};
  return {TimeScale::Outcome::found, 1.0 / range.low, slower_too || ranges_.size() == 1, range.cause};
}

}  // namespace trajectory
}  // namespace catena
