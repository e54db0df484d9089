#include "sim/impacts.hpp"

#include <algorithm>
#include <cmath>
#include <tuple>

#include "sim/joint_events.hpp"

namespace catena {
namespace {

constexpr int most_returns = 20;  // returns to a stop in quick succession before a joint stays there

}  // namespace

// The rest speed is at least well above the speed that a joint gains while crossing the slack of its stop.
Impacts::Impacts(RightHandSide& rhs, const SimulationOptions& options)
    : rhs_(rhs),
      restitution_(options.restitution),
      rest_speed_(std::max(options.rest_speed, 100.0 * std::sqrt(position_slack(0.0, options.atol)))),
      rest_time_(options.rest_time),
      inertia_(rhs.robot()),
      hits_(rhs.joints().size()) {}

// An impact may send other joints that are at their stops back into them: then several impacts follow at the same
// instant. This ends, because they also count as returns.
void Impacts::happen(double t, std::span<double> y) {
  for (Hit& hit : hits_) hit.speed = 0.0;
  while (impact(t, y)) {
  }
}

std::string Impacts::what_hit(std::size_t j) const {
  const Hit& hit = hits_[j];
  if (!(hit.speed > 0.0)) return {};
  return std::string("hits its ") + (hit.stop == JointStop::upper ? "upper" : "lower") + " stop at " +
         std::to_string(hit.speed);
}

// The speed towards the stop that the joint is at.
double Impacts::approach(std::size_t j, std::span<const double> y) const {
  const double speed = rhs_.speed(y, j);
  switch (rhs_.joints()[j].stop) {
    case JointStop::lower:
      return -speed;
    case JointStop::upper:
      return speed;
    case JointStop::both:
      return std::abs(speed);
    case JointStop::none:
      break;
  }
  return 0.0;
}

// The number of quick returns in a row to the stop that the joint is at, counting the one at t.
int Impacts::returns(std::size_t j, double t) const {
  const Hit& hit = hits_[j];
  return hit.stop == rhs_.joints()[j].stop && t - hit.at < rest_time_ ? hit.returns + 1 : 0;
}

// Whether rebounds accumulate in finite time: joints that bounce lower and lower, or knock each other off their stops
// more and more slowly. They do when all approaching joints are slower than rest_speed, or when one has returned within
// rest_time of its last impact too many times in a row.
bool Impacts::accumulates(double t, std::span<const double> y) const {
  bool slow = true;
  for (std::size_t j = 0; j < hits_.size(); ++j) {
    const double speed = approach(j, y);
    slow = slow && speed < rest_speed_;
    if (speed > 0.0 && returns(j, t) > most_returns) return true;
  }
  return slow;
}

double Impacts::restitution(std::size_t j, double speed) const {
  const bool slow = restitution_ * speed < rest_speed_;
  return slow || rhs_.joints()[j].stop == JointStop::both ? 0.0 : restitution_;
}

// One impact of all joints that are at their stops; false when none approaches its stop.                     (4), (5)
bool Impacts::impact(double t, std::span<double> y) {
  const std::vector<SimulatedJoint>& joints = rhs_.joints();
  bool approaching = false, rebounding = false;
  for (std::size_t j = 0; j < joints.size(); ++j) {
    const double speed = approach(j, y);
    approaching = approaching || speed > 0.0;
    rebounding = rebounding || (speed > 0.0 && restitution(j, speed) > 0.0);
  }
  if (!approaching) return false;
  const bool last = accumulates(t, y);  // all joints then stay at their stops
  struck_.clear();
  for (std::size_t j = 0; j < joints.size(); ++j) {
    const bool at_stop = joints[j].stop != JointStop::none;
    // Without rebound, leaving joints are kept from returning too; so small an impulse moves no joint held by friction.
    if (at_stop ? approach(j, y) >= 0.0 || last || !rebounding
                : last && joints[j].coulomb > 0.0 && rhs_.speed(y, j) == 0.0)
      struck_.push_back(j);
  }
  factor_response_of_held(y, struck_);

  for (auto* v : {&before_, &wanted_}) v->resize(struck_.size());
  for (std::size_t r = 0; r < struck_.size(); ++r) {
    const std::size_t j = struck_[r];
    before_[r] = rhs_.speed(y, j);
    wanted_[r] = last ? 0.0 : 0.0 - restitution(j, approach(j, y)) * before_[r];
    b_[r] = before_[r] - wanted_[r];
    std::tie(low_[r], high_[r]) = impulse_bounds(joints[j], last && approach(j, y) >= 0.0);
    x_[r] = 0.0;
  }
  box_.solve(A_, b_, low_, high_, x_);
  strike(t, y);
  return true;
}

// Updates the speeds and losses of y by the impulses x_, and records which joints hit their stops.
void Impacts::strike(double t, std::span<double> y) {
  const std::span<double> speeds = rhs_.speeds(y);
  double fastest = 0.0;
  for (const double speed : speeds) fastest = std::max(fastest, std::abs(speed));
  for (std::size_t r = 0; r < struck_.size(); ++r)
    for (std::size_t i = 0; i < speeds.size(); ++i) speeds[i] += x_[r] * columns_[r * speeds.size() + i];
  double change = 0.0;  // of kinetic energy: ½ Σ impulse (speed before + speed after)
  for (std::size_t r = 0; r < struck_.size(); ++r) {
    const std::size_t j = struck_[r];
    if (low_[r] < x_[r] && x_[r] < high_[r]) rhs_.set_speed(y, j, wanted_[r]);
    if (std::abs(rhs_.speed(y, j)) <= 1e-13 * fastest) rhs_.set_speed(y, j, 0.0);  // only rounding
    change += 0.5 * x_[r] * (before_[r] + rhs_.speed(y, j));
    if (before_[r] * x_[r] >= 0.0) continue;  // the joint did not approach
    hits_[j] = {t, rhs_.joints()[j].stop, returns(j, t), std::max(hits_[j].speed, std::abs(before_[r]))};
  }
  rhs_.losses(y) += std::max(0.0, -change);
}

// A stop pushes, or, where the joint is to stay, also pulls; friction is bounded by its impulse within rest_time.
std::pair<double, double> Impacts::impulse_bounds(const SimulatedJoint& joint, bool stays) const {
  if (joint.stop == JointStop::none) return {-joint.coulomb * rest_time_, joint.coulomb * rest_time_};
  return {joint.stop == JointStop::lower && !stays ? 0.0 : -infinity,
          joint.stop == JointStop::upper && !stays ? 0.0 : infinity};
}

// columns_ = M⁻¹ Rᵀ for the rows R of `held`, A_ = R M⁻¹ Rᵀ; also sizes the box problem over these joints.
void Impacts::factor_response_of_held(std::span<const double> y, std::span<const std::size_t> held) {
  const std::size_t count = rhs_.qd(y).size(), k = held.size();
  inertia_.factor(rhs_.q(y));
  rows_.resize(k * count);
  for (std::size_t r = 0; r < k; ++r) rhs_.copy_row(y, held[r], std::span(rows_).subspan(r * count, count));
  columns_.resize(k * count);
  inertia_.solve(rows_, columns_);
  for (auto* v : {&b_, &low_, &high_, &x_}) v->resize(k);
  A_.resize(k * k);
  for (std::size_t r = 0; r < k; ++r)
    for (std::size_t c = 0; c < k; ++c) {
      A_[r * k + c] = rhs_.has_loops() ? 0.0 : columns_[r * count + held[c]];
      for (std::size_t i = 0; rhs_.has_loops() && i < count; ++i)
        A_[r * k + c] += columns_[r * count + i] * rows_[c * count + i];
      if (r == c) A_[r * k + c] *= 1.0 + rhs_.compliance(held[r]);
    }
}

// Every moving joint is free or slides; of those at rest, friction and stops hold as many as they can.            (3)
void Impacts::find_modes(double t, std::span<const double> y) {
  set_modes(y);
  rhs_.find_torques(t, y);
  rhs_.find_held();
  const std::span<const std::size_t> held = rhs_.held();
  if (held.empty()) return;
  factor_response_of_held(y, held);
  rhs_.find_bounds(t, y);
  rhs_.accelerate_released(y);
  for (std::size_t r = 0; r < held.size(); ++r) {
    const SimulatedJoint& joint = rhs_.joints()[held[r]];
    b_[r] = rhs_.acceleration_of(y, held[r]);
    low_[r] = joint.low, high_[r] = joint.high, x_[r] = joint.hold;
  }
  box_.solve(A_, b_, low_, high_, x_);
  double largest = 0.0;
  for (std::size_t r = 0; r < held.size(); ++r) {
    SimulatedJoint& joint = rhs_.joints()[held[r]];
    largest = std::max({largest, std::abs(x_[r]), joint.coulomb});
    const bool up = x_[r] == low_[r], down = x_[r] == high_[r];
    if (!up && !down) continue;
    joint.mode = joint.coulomb == 0.0 ? JointMode::free : up ? JointMode::sliding_up : JointMode::sliding_down;
    joint.stop = JointStop::none;
    joint.hold = 0.0;
  }
  find_slack(t, y, largest);
}

// From the speeds alone: joints at rest are held.
void Impacts::set_modes(std::span<const double> y) {
  for (std::size_t j = 0; j < hits_.size(); ++j) {
    SimulatedJoint& joint = rhs_.joints()[j];
    const double speed = rhs_.speed(y, j);
    if (speed != 0.0) joint.stop = JointStop::none;
    if (joint.coulomb == 0.0 && joint.stop == JointStop::none) {
      joint.mode = JointMode::free;
    } else {
      joint.mode = speed > 0.0 ? JointMode::sliding_up : speed < 0.0 ? JointMode::sliding_down : JointMode::held;
    }
    if (!joint.held()) joint.hold = 0.0;
  }
}

// Sets the slack of held joints from what the triggers will see. `largest`: the largest torque that may hold.
void Impacts::find_slack(double t, std::span<const double> y, double largest) {
  rhs_.find_torques(t, y);
  for (const double torque : rhs_.applied()) largest = std::max(largest, std::abs(torque));
  rhs_.accelerate(y);
  rhs_.find_bounds(t, y);
  for (const std::size_t j : rhs_.held()) {
    SimulatedJoint& joint = rhs_.joints()[j];
    const double excess = std::max({0.0, joint.low - joint.hold, joint.hold - joint.high});
    joint.slack = 1e-12 * largest + 2.0 * excess;
  }
}

}  // namespace catena
