#include "sim/joint_events.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <stdexcept>

namespace catena {
namespace {

constexpr double far_beyond = 1e-6;  // distance beyond a stop; triggers fire long before it

std::string number(double value) {
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%.10g", value);
  return text.data();
}

}  // namespace

double position_slack(double limit, double atol) {
  return std::max(1e-12 * std::max(1.0, std::abs(limit)), 0.1 * atol);
}

void JointEvents::triggers(double t, std::span<const double> y, std::span<double> g) {
  const double speed_slack = std::max(1e-12, 0.1 * atol_);
  std::fill(g.begin(), g.end(), 1.0);
  if (rhs_.has_loops()) g.back() = rhs_.fitness(y);
  bool any_held = false;
  for (std::size_t j = 0; j < rhs_.joints().size(); ++j) {
    const SimulatedJoint& joint = rhs_.joints()[j];
    const double speed = rhs_.speed(y, j);
    any_held = any_held || joint.held();
    if (const double way = rhs_.direction(joint, 0.0); way != 0.0) g[4 * j] = way * speed + speed_slack;
    if (!stops_ || joint.held()) continue;
    const auto& [lower, upper, velocity, effort] = rhs_.limits(j);
    if (std::isfinite(lower)) g[4 * j + 1] = rhs_.position(y, j) - lower + position_slack(lower, atol_);
    if (std::isfinite(upper)) g[4 * j + 2] = upper - rhs_.position(y, j) + position_slack(upper, atol_);
    if (joint.mode == JointMode::free && (std::isfinite(lower) || std::isfinite(upper))) g[4 * j] = speed;
  }
  if (!any_held) return;
  rhs_.find_torques(t, y);
  rhs_.accelerate(y);
  rhs_.find_bounds(t, y);
  for (const std::size_t j : rhs_.held()) {
    const SimulatedJoint& joint = rhs_.joints()[j];
    const double margin = std::min(joint.hold - joint.low, joint.high - joint.hold);
    if (std::isfinite(margin)) g[4 * j + 3] = margin + joint.slack;
  }
}

// Nothing happens where a free joint reverses; but this trigger lets the integrator see a step into a stop and back.
bool JointEvents::matters(std::size_t trigger) const {
  if (is_fitness(trigger)) return true;
  return trigger % 4 != 0 || rhs_.joints()[trigger / 4].mode != JointMode::free;
}

void JointEvents::require_within_stops(std::span<const double> y) const {
  if (!stops_) return;
  for (std::size_t j = 0; j < rhs_.joints().size(); ++j) {
    const auto& [lower, upper, velocity, effort] = rhs_.limits(j);
    const double at = rhs_.position(y, j);
    const bool below = at < lower - position_slack(lower, atol_);
    const bool above = at > upper + position_slack(upper, atol_);
    if (below || above)
      throw std::invalid_argument("joint '" + rhs_.name(j) + "' is at " + number(at) + ", beyond its " +
                                  (below ? "lower" : "upper") + " stop at " + number(below ? lower : upper));
  }
}

void JointEvents::locate(std::span<double> y) {
  end_slides(y);
  if (stops_) touch_stops(y);
}

// A joint that has stopped sliding has no speed: what is left is the slack of the trigger.
void JointEvents::end_slides(std::span<double> y) {
  // Joints that loops hold together give way a little: dependent ones first, so that coordinates are at rest in the
  // end.
  for (std::size_t j = rhs_.joints().size(); rhs_.has_loops() && j-- > 0;)
    if (rhs_.joints()[j].held()) rhs_.set_speed(y, j, 0.0);
  for (std::size_t j = 0; j < rhs_.joints().size(); ++j)
    if (rhs_.direction(rhs_.joints()[j], 0.0) * rhs_.speed(y, j) < 0.0) rhs_.set_speed(y, j, 0.0);
}

void JointEvents::touch_stops(std::span<double> y) {
  for (std::size_t j = 0; j < rhs_.joints().size(); ++j) {
    const auto& [lower, upper, velocity, effort] = rhs_.limits(j);
    const double at = rhs_.position(y, j);
    const bool at_lower = at <= lower + position_slack(lower, atol_);
    const bool at_upper = at >= upper - position_slack(upper, atol_);
    if (at < lower - far_beyond || at > upper + far_beyond)
      throw std::domain_error("joint '" + rhs_.name(j) + "' is beyond its stop, at " + number(at));
    rhs_.joints()[j].stop = at_lower && at_upper ? JointStop::both
                            : at_lower           ? JointStop::lower
                            : at_upper           ? JointStop::upper
                                                 : JointStop::none;
    if (at_lower) rhs_.set_position(y, j, lower);
    if (at_upper) rhs_.set_position(y, j, upper);
  }
}

std::string what_changed(const SimulatedJoint& before, const SimulatedJoint& now) {
  if (before.held() && !now.held()) return before.stop == JointStop::none ? "slips" : "leaves its stop";
  if (before.slides() && now.held()) return "comes to rest";
  if (before.slides() && now.slides() && before.mode != now.mode) return "turns back";
  return {};
}

}  // namespace catena
