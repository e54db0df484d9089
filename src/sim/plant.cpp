#include "sim/plant.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <memory>
#include <stdexcept>
#include <tuple>
#include <utility>

#include "catena/dynamics.hpp"
#include "sim/free_motion.hpp"

namespace catena {
namespace {

constexpr double far_beyond = 1e-6;  // of a stop: no trigger fires so late
constexpr int most_returns = 20;     // to a stop, each at once, before a joint stays there

bool follows_several(const Mechanism& robot, TreeJoint j) {
  return robot.is_coupled() && robot.coordinates.following[j].terms.size() > 1;
}

std::string number(double value) {
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%.10g", value);
  return text.data();
}

// Dry friction is held here, by coordinate.
std::shared_ptr<const Mechanism> without_dry_friction(Mechanism robot) {
  for (const TreeJoint j : robot.all_joints())
    if (std::exchange(robot.drives[j].coulomb, 0.0) != 0.0 && follows_several(robot, j))
      throw std::invalid_argument("joint '" + robot.joint_names[j] +
                                  "' follows several others and has dry friction: where it sticks cannot be simulated");
  return std::make_shared<const Mechanism>(std::move(robot));
}

ForwardCall make_forward(const Mechanism& robot, const SimulationOptions& options) {
  if (options.forward) return options.forward(robot);
  const auto call = std::make_shared<ForwardDynamics<double>>(robot, options.formulation);
  return [call](auto q, auto qd, auto tau, auto qdd) { (*call)(q, qd, tau, qdd); };
}

WrenchLaw make_wrenches(const Mechanism& robot, const SimulationOptions& options) {
  return options.wrenches ? options.wrenches(robot) : WrenchLaw{};
}

}  // namespace

Plant::Plant(const Mechanism& robot, TorqueLaw law, const SimulationOptions& options)
    : robot_(without_dry_friction(robot)),
      drives_(drives_by_coordinate(robot)),
      law_(std::move(law)),
      options_(options),
      forward_(make_forward(*robot_, options)),
      energy_(*robot_, "energy"),
      wrenches_(make_wrenches(*robot_, options)),
      pushes_(robot_),
      held_dynamics_(*robot_),
      inertia_(*robot_),
      joints_(index(robot.nv())) {
  const std::size_t count = index(robot.nv());
  if (options.base_motion) base_.emplace(*robot_, options.base_motion);
  for (auto* v : {&asked_, &near_, &far_, &tau_, &external_, &carried_, &applied_, &qdd_, &hold_}) v->resize(count);
  held_.reserve(count);
  for (std::size_t j = 0; j < count; ++j) joints_[j].coulomb = drives_[Coordinate(j)].coulomb;
}

void Plant::replace_robot(const Mechanism& robot) {
  if (robot.nv() != nv()) throw std::invalid_argument("the robot may change its links while running, not its joints");
  robot_ = without_dry_friction(robot);
  drives_ = drives_by_coordinate(robot);
  forward_ = make_forward(*robot_, options_);
  energy_ = Call<double>(*robot_, "energy");
  wrenches_ = make_wrenches(*robot_, options_);
  pushes_ = Pushes<double>(robot_);
  if (base_) base_.emplace(*robot_, options_.base_motion);
  held_dynamics_ = HeldDynamics(*robot_);
  inertia_ = Factorization<double>(*robot_);
  for (std::size_t j = 0; j < joints_.size(); ++j) joints_[j].coulomb = drives_[Coordinate(j)].coulomb;
}

// Which way dry friction is overcome: +1, -1, or 0 where it does not act or holds.
double Plant::direction(const Joint& joint, double speed) const {
  if (!modes_) return sign(speed);
  return joint.mode == Mode::sliding_up ? 1.0 : joint.mode == Mode::sliding_down ? -1.0 : 0.0;
}

// To viscous friction of joints that follow several coordinates.
double Plant::shared_loss(std::span<const double> qd) const {
  double loss = 0.0;
  if (!robot_->is_coupled()) return loss;
  for (const TreeJoint j : robot_->all_joints()) {
    if (!follows_several(*robot_, j)) continue;
    double rate = 0.0;
    for (const auto& [c, factor] : robot_->coordinates.following[j].terms) rate += factor * qd[index(c)];
    loss += robot_->drives[j].viscous * rate * rate;
  }
  return loss;
}

// q̈ under applied_, held joints kept where they are.                                                          (1), (2)
void Plant::accelerate(std::span<const double> y) {
  held_.clear();
  for (std::size_t j = 0; j < joints_.size(); ++j)
    if (joints_[j].mode == Mode::held) held_.push_back(j);
  if (held_.empty()) {
    forward_(q(y), qd(y), applied_, qdd_);
    return;
  }
  held_dynamics_.accelerate(q(y), qd(y), applied_, held_, qdd_, hold_);
  for (std::size_t k = 0; k < held_.size(); ++k) joints_[held_[k]].hold = hold_[k];
}

void Plant::derivative(double t, std::span<const double> y, std::span<double> ydot) {
  const std::size_t count = joints_.size();
  torques(t, y);
  accelerate(y);
  require_finite(qdd_, "the acceleration", t);
  double power = 0.0, loss = shared_loss(qd(y)), received = 0.0, taken = 0.0;
  for (std::size_t j = 0; j < count; ++j) {
    const double rate = joints_[j].mode == Mode::held ? 0.0 : qd(y)[j];
    position(ydot, j) = rate;
    ydot[rates_at() + j] = qdd_[j];
    power += tau_[j] * rate;
    received += external_[j] * rate;
    taken += carried_[j] * rate;
    loss += joints_[j].coulomb * direction(joints_[j], rate) * rate;  // smooth beyond rest too, like the friction
    loss += drives_[Coordinate(j)].viscous * rate * rate;
  }
  if (robot_->coordinates.is_free()) move_base(q(y), qd(y), ydot);
  ydot[work_at()] = power;
  ydot[work_at() + 1] = loss;
  if (wrenches_) ydot[work_at() + 2] = received;
  if (!base_) return;
  ydot[base_at()] = -taken;
  base_->turn(y.last<4>(), ydot.last<4>());
}

// Triggers fire this far beyond the place where something happens: so near, rounding and the integrator's error decide
// on which side a number lies, and a trigger must be positive at the start to be seen to change its sign.
double Plant::position_slack(double limit) const {
  return std::max(1e-12 * std::max(1.0, std::abs(limit)), 0.1 * options_.atol);
}
double Plant::speed_slack() const { return std::max(1e-12, 0.1 * options_.atol); }

void Plant::triggers(double t, std::span<const double> y, std::span<double> g) {
  std::fill(g.begin(), g.end(), 1.0);
  bool any_held = false;
  for (std::size_t j = 0; j < joints_.size(); ++j) {
    const Joint& joint = joints_[j];
    any_held = any_held || joint.mode == Mode::held;
    if (const double way = direction(joint, 0.0); way != 0.0) g[4 * j] = way * qd(y)[j] + speed_slack();
    if (!options_.stops || joint.mode == Mode::held) continue;
    const auto& [lower, upper, velocity, effort] = limits(j);
    if (std::isfinite(lower)) g[4 * j + 1] = position(y, j) - lower + position_slack(lower);
    if (std::isfinite(upper)) g[4 * j + 2] = upper - position(y, j) + position_slack(upper);
    if (joint.mode == Mode::free && (std::isfinite(lower) || std::isfinite(upper))) g[4 * j] = qd(y)[j];
  }
  if (!any_held) return;
  torques(t, y);
  accelerate(y);
  find_bounds(t, y);
  for (const std::size_t j : held_) {
    const Joint& joint = joints_[j];
    const double margin = std::min(joint.hold - joint.low, joint.high - joint.hold);
    if (std::isfinite(margin)) g[4 * j + 3] = margin + joint.slack;
  }
}

void Plant::require_within_stops(std::span<const double> q) const {
  if (!options_.stops) return;
  for (std::size_t j = 0; j < joints_.size(); ++j) {
    const auto& [lower, upper, velocity, effort] = limits(j);
    const double at = position(q, j);
    const bool below = at<lower - position_slack(lower), above = at> upper + position_slack(upper);
    if (below || above)
      throw std::invalid_argument("joint '" + name(j) + "' is at " + number(at) + ", beyond its " +
                                  (below ? "lower" : "upper") + " stop at " + number(below ? lower : upper));
  }
}

// Where a joint turns back nothing happens; but a step that goes into a stop and out again would not be seen to.
bool Plant::matters(std::size_t trigger) const { return trigger % 4 != 0 || joints_[trigger / 4].mode != Mode::free; }

std::vector<std::string> Plant::settle(double t, std::span<double> y) {
  const std::vector<Joint> before = joints_;
  for (Joint& joint : joints_) joint.hit_speed = 0.0;
  end_slides(y);
  touch_stops(y);
  impacts(t, y);
  find_modes(t, y);
  std::vector<std::string> lines;
  for (std::size_t j = 0; j < joints_.size(); ++j)
    if (std::string what = what_changed(j, before[j]); !what.empty())
      lines.push_back("joint '" + name(j) + "' " + what);
  return lines;
}

// A joint that slides no longer has no speed: what it had was the slack of the trigger.
void Plant::end_slides(std::span<double> y) {
  for (std::size_t j = 0; j < joints_.size(); ++j)
    if (double& speed = y[rates_at() + j]; direction(joints_[j], 0.0) * speed < 0.0) speed = 0.0;
}

void Plant::touch_stops(std::span<double> y) {
  if (!options_.stops) return;
  for (std::size_t j = 0; j < joints_.size(); ++j) {
    const auto& [lower, upper, velocity, effort] = limits(j);
    double& at = position(y, j);
    const bool at_lower = at <= lower + position_slack(lower), at_upper = at >= upper - position_slack(upper);
    if (at < lower - far_beyond || at > upper + far_beyond)
      throw std::domain_error("joint '" + name(j) + "' is beyond its stop, at " + number(at));
    joints_[j].stop = at_lower && at_upper ? Stop::both : at_lower ? Stop::lower : at_upper ? Stop::upper : Stop::none;
    if (at_lower) at = lower;
    if (at_upper) at = upper;
  }
}

// The speed into the stop that the joint is at.
double Plant::approach(std::size_t j, std::span<const double> y) const {
  const double speed = qd(y)[j];
  switch (joints_[j].stop) {
    case Stop::lower:
      return -speed;
    case Stop::upper:
      return speed;
    case Stop::both:
      return std::abs(speed);
    case Stop::none:
      break;
  }
  return 0.0;
}

// How often in a row the joint has come back to its stop at once, if it is there again at t.
int Plant::returns(const Joint& joint, double t) const {
  return joint.hit == joint.stop && t - joint.hit_at < options_.rest_time ? joint.returns + 1 : 0;
}

// Whether rebounds go on for ever in finite time: joints that bounce lower and lower, or knock each other off their
// stops ever more slowly. They do when all that approach are slower than rest_speed, or when one has come back within
// rest_time of its last impact too many times in a row.
bool Plant::accumulates(double t, std::span<const double> y) const {
  bool slow = true;
  for (std::size_t j = 0; j < joints_.size(); ++j) {
    const double speed = approach(j, y);
    slow = slow && speed < rest_speed();
    if (speed > 0.0 && returns(joints_[j], t) > most_returns) return true;
  }
  return slow;
}

// Never so slow that it is what a joint gains on the way through the slack of its stop.
double Plant::rest_speed() const { return std::max(options_.rest_speed, 100.0 * std::sqrt(position_slack(0.0))); }

double Plant::restitution(std::size_t j, double speed) const {
  const bool slow = options_.restitution * speed < rest_speed();
  return slow || joints_[j].stop == Stop::both ? 0.0 : options_.restitution;
}

// An impact may send other joints that are at their stops back into them: at the same instant, one impact after the
// other. That ends, for these are returns as well.
void Plant::impacts(double t, std::span<double> y) {
  while (impact(t, y)) {
  }
}

// One impact of all joints that are at their stops; false when none approaches its stop.                     (4), (5)
bool Plant::impact(double t, std::span<double> y) {
  const std::size_t count = joints_.size();
  bool approaching = false, rebounding = false;
  for (std::size_t j = 0; j < count; ++j) {
    const double speed = approach(j, y);
    approaching = approaching || speed > 0.0;
    rebounding = rebounding || (speed > 0.0 && restitution(j, speed) > 0.0);
  }
  if (!approaching) return false;
  const bool last = accumulates(t, y);  // all stay where they are
  held_.clear();
  for (std::size_t j = 0; j < count; ++j) {
    const bool at_stop = joints_[j].stop != Stop::none;
    // Without rebound, joints that are leaving are kept from coming back too; so little moves none that friction holds.
    if (at_stop ? approach(j, y) >= 0.0 || last || !rebounding : last && joints_[j].coulomb > 0.0 && qd(y)[j] == 0.0)
      held_.push_back(j);
  }
  factor_response_of_held(q(y));

  const std::size_t k = held_.size();
  std::vector<double> before(k), wanted(k);
  double fastest = 0.0;
  for (const double speed : qd(y)) fastest = std::max(fastest, std::abs(speed));
  for (std::size_t r = 0; r < k; ++r) {
    const std::size_t j = held_[r];
    before[r] = qd(y)[j];
    wanted[r] = last ? 0.0 : 0.0 - restitution(j, approach(j, y)) * before[r];
    b_[r] = before[r] - wanted[r];
    std::tie(low_[r], high_[r]) = impulse_bounds(joints_[j], last && approach(j, y) >= 0.0);
    x_[r] = 0.0;
  }
  box_.solve(A_, b_, low_, high_, x_);
  for (std::size_t r = 0; r < k; ++r)
    for (std::size_t i = 0; i < count; ++i) y[rates_at() + i] += x_[r] * columns_[r * count + i];
  double change = 0.0;  // of kinetic energy: ½ Σ impulse (speed before + speed after)
  for (std::size_t r = 0; r < k; ++r) {
    Joint& joint = joints_[held_[r]];
    double& speed = y[rates_at() + held_[r]];
    if (low_[r] < x_[r] && x_[r] < high_[r]) speed = wanted[r];
    if (std::abs(speed) <= 1e-13 * fastest) speed = 0.0;  // no more than rounding
    change += 0.5 * x_[r] * (before[r] + speed);
    if (before[r] * x_[r] >= 0.0) continue;  // it did not come
    joint.hit_speed = std::max(joint.hit_speed, std::abs(before[r]));
    joint.returns = returns(joint, t);
    joint.hit_at = t;
    joint.hit = joint.stop;
  }
  y[work_at() + 1] += std::max(0.0, -change);
  return true;
}

// A stop pushes, or, where the joint is to stay, also pulls; friction takes what it can in the time of a rebound.
std::pair<double, double> Plant::impulse_bounds(const Joint& joint, bool stays) const {
  if (joint.stop == Stop::none) return {-joint.coulomb * options_.rest_time, joint.coulomb * options_.rest_time};
  return {joint.stop == Stop::lower && !stays ? 0.0 : -infinity, joint.stop == Stop::upper && !stays ? 0.0 : infinity};
}

// columns_ = M⁻¹ at the joints of held_, A_ = their rows at held_; makes room for a box problem over them.
void Plant::factor_response_of_held(std::span<const double> q) {
  const std::size_t count = joints_.size(), k = held_.size();
  inertia_.factor(q);
  columns_.assign(k * count, 0.0);
  for (std::size_t r = 0; r < k; ++r) columns_[r * count + held_[r]] = 1.0;
  inertia_.solve(columns_, columns_);
  for (auto* v : {&b_, &low_, &high_, &x_}) v->resize(k);
  A_.resize(k * k);
  for (std::size_t r = 0; r < k; ++r)
    for (std::size_t c = 0; c < k; ++c) A_[r * k + c] = columns_[r * count + held_[c]];
}

// Every joint that moves is free or slides; of those that do not, friction and stops hold as many as they can.    (3)
void Plant::find_modes(double t, std::span<double> y) {
  set_modes(y);
  torques(t, y);
  held_.clear();
  for (std::size_t j = 0; j < joints_.size(); ++j)
    if (joints_[j].mode == Mode::held) held_.push_back(j);
  if (held_.empty()) return;
  factor_response_of_held(q(y));
  find_bounds(t, y);
  forward_(q(y), qd(y), applied_, qdd_);
  for (std::size_t r = 0; r < held_.size(); ++r) {
    const Joint& joint = joints_[held_[r]];
    b_[r] = qdd_[held_[r]];
    low_[r] = joint.low, high_[r] = joint.high, x_[r] = joint.hold;
  }
  box_.solve(A_, b_, low_, high_, x_);
  double largest = 0.0;
  for (std::size_t r = 0; r < held_.size(); ++r) {
    Joint& joint = joints_[held_[r]];
    largest = std::max({largest, std::abs(x_[r]), joint.coulomb});
    const bool up = x_[r] == low_[r], down = x_[r] == high_[r];
    if (!up && !down) continue;
    joint.mode = joint.coulomb == 0.0 ? Mode::free : up ? Mode::sliding_up : Mode::sliding_down;
    joint.stop = Stop::none;
    joint.hold = 0.0;
  }
  // What holds, as the triggers will see it.
  torques(t, y);
  for (const double torque : applied_) largest = std::max(largest, std::abs(torque));
  accelerate(y);
  find_bounds(t, y);
  for (const std::size_t j : held_) {
    Joint& joint = joints_[j];
    const double excess = std::max({0.0, joint.low - joint.hold, joint.hold - joint.high});
    joint.slack = 1e-12 * largest + 2.0 * excess;
  }
}

void Plant::set_modes(std::span<const double> y) {
  for (std::size_t j = 0; j < joints_.size(); ++j) {
    Joint& joint = joints_[j];
    const double speed = qd(y)[j];
    if (speed != 0.0) joint.stop = Stop::none;
    if (joint.coulomb == 0.0 && joint.stop == Stop::none) {
      joint.mode = Mode::free;
    } else {
      joint.mode = speed > 0.0 ? Mode::sliding_up : speed < 0.0 ? Mode::sliding_down : Mode::held;
    }
    if (joint.mode != Mode::held) joint.hold = 0.0;
  }
}

}  // namespace catena
