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
      viscous_(tau_.size()),
      rises_(tau_.size()) {
  require(!coordinates_.is_moving(), "robot '" + robot.name + "' has a moving base, which limits do not support");
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
  for (auto& rises : rises_) rises.clear();
  for (const auto& [terms, drive] : rubbing_) {
    double rate = 0.0;
    for (const auto& [c, factor] : terms) rate += factor * qd[index(c)];
    for (const auto& [c, factor] : terms) {
      fixed_[index(c)] += factor * drive.coulomb * sign(rate);
      viscous_[index(c)] += factor * drive.viscous * rate;
      if (drive.stribeck != 0.0 && rate != 0.0)
        rises_[index(c)].push_back({factor * drive.stribeck * sign(rate), std::abs(rate) / drive.stribeck_speed});
    }
  }
  out.joints.resize(tau_.size());
  for (const Coordinate c : coordinates_.all()) {
    const std::size_t j = index(c);
    const double at = has_position(coordinates_, c) ? q[coordinates_.position_of(c)] : 0.0;
    out.joints[j] = {at, qd[j], fixed_[j], viscous_[j], 0.0, rises_[j]};
    out.joints[j].dynamic = tau_[j] - fixed_[j] - viscous_[j] - out.joints[j].risen(1.0);
  }
}

double JointSample::risen(double x) const {
  double sum = 0.0;
  for (const auto& [size, rate] : rises) sum += size * decay((rate * x) * (rate * x));
  return sum;
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

double Curve::value(const Sample& sample, double x) const {
  const double plain = trajectory::value(polynomial(sample), x);
  if (kind == LimitKind::position || kind == LimitKind::speed) return plain;
  double risen = 0.0;
  for (std::size_t j = 0; j < sample.joints.size(); ++j)
    if (joint == all_joints || static_cast<std::size_t>(joint) == j)
      risen += sample.joints[j].risen(x) * (kind == LimitKind::power ? x * sample.joints[j].qd : 1.0);
  return plain + risen;
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

namespace {

// Speeds up to which Stribeck friction falls, in steps that are short beside its speeds; none where there is none.
std::vector<double> falls(const Curve& curve, const Sample& sample) {
  std::vector<double> out;
  if (curve.kind != LimitKind::effort && curve.kind != LimitKind::power) return out;
  for (std::size_t j = 0; j < sample.joints.size(); ++j)
    for (const JointSample::Rise& rise : sample.joints[j].rises)
      if (curve.joint == all_joints || static_cast<std::size_t>(curve.joint) == j)
        for (int k = 0; k <= 96; ++k) out.push_back(k / (16.0 * rise.rate));  // exp(-36) is left
  return out;
}

// Where the value crosses +limit or -limit, at x > 0; and zero.
std::vector<double> crossings_of(const Curve& curve, const Sample& sample) {
  const Cubic c = curve.polynomial(sample);
  std::vector<double> crossings{0.0}, steps = falls(curve, sample);
  for (const double side : {curve.limit, -curve.limit}) {
    const Cubic shifted{c[0] - side, c[1], c[2], c[3]};
    const double high = c[3] == 0.0 ? infinity : root_bound(shifted);
    for (const double x : sign_changes(shifted, 0.0, high)) (steps.empty() ? crossings : steps).push_back(x);
    if (steps.empty()) continue;
    for (const double x : quadratic_roots(c[1], 2.0 * c[2], 3.0 * c[3], 0.0, infinity)) steps.push_back(x);
    steps.push_back(2.0 * *std::max_element(steps.begin(), steps.end()));  // beyond it nothing changes sides
  }
  std::sort(steps.begin(), steps.end());
  for (std::size_t k = 1; k < steps.size(); ++k)
    for (const double side : {curve.limit, -curve.limit}) {
      double low = steps[k - 1], high = steps[k];
      const bool above = curve.value(sample, high) > side;
      if ((curve.value(sample, low) > side) == above) continue;
      for (int step = 0; step < 60; ++step) {
        const double middle = 0.5 * (low + high);
        ((curve.value(sample, middle) > side) == above ? high : low) = middle;
      }
      crossings.push_back(high);
    }
  std::sort(crossings.begin(), crossings.end());
  return crossings;
}

}  // namespace

void ForbiddenSpeeds::add(const Curve& curve, const Sample& sample, double time) {
  if (!std::isfinite(curve.limit)) return;
  const double at_rest = curve.value(sample, 0.0);
  if (curve.excess(at_rest) > limit_tolerance) {  // even at a standstill
    insert({0.0, infinity, curve.event(time, at_rest)});
    return;
  }
  if (curve.allows_nothing()) {  // at any speed
    const double as_given = curve.value(sample, 1.0);
    if (curve.excess(as_given) > limit_tolerance) insert({0.0, infinity, curve.event(time, as_given)});
    return;
  }
  const Cubic c = curve.polynomial(sample);
  if (c[1] == 0.0 && c[2] == 0.0 && c[3] == 0.0 && falls(curve, sample).empty()) return;
  // Between crossings the value is entirely inside or entirely outside.
  const double limit = curve.limit;
  const std::vector<double> crossings = crossings_of(curve, sample);
  for (std::size_t k = 0; k < crossings.size(); ++k) {
    const bool last = k + 1 == crossings.size();
    const double low = crossings[k], high = last ? infinity : crossings[k + 1];
    const double inside = last ? 2.0 * low + 1.0 : 0.5 * (low + high);
    if (std::abs(curve.value(sample, inside)) > limit) insert({low, high, curve.event(time, curve.value(sample, low))});
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
