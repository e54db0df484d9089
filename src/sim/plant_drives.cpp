// What acts on the joints of a plant: drives, environment and friction; and what can hold those at rest. A law may jump
// where a joint with dry friction turns back, as one does that makes up for friction by the sign of the speed. Jump and
// friction are then one force. Equations: docs/equations/friction_and_stops.md.
#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <utility>

#include "sim/plant.hpp"

namespace catena {
namespace {

// On which side of rest a law is asked, and nothing else: lost in any sum, and its cube is still a number.
constexpr double least_speed = 1e-100;

}  // namespace

void Plant::require_finite(std::span<const double> values, const char* what, double t) const {
  for (std::size_t j = 0; j < values.size(); ++j)
    if (!std::isfinite(values[j]))
      throw std::domain_error(std::string(what) + " of joint '" + name(j) +
                              "' is not a finite number at t = " + std::to_string(t) + " s");
}

// What the drives do at the speeds asked_: a passive joint has none, whatever the law says.
void Plant::ask_law(double t, std::span<const double> y, std::span<double> tau) {
  law_(t, q(y), asked_, tau);
  for (std::size_t j = 0; j < joints_.size(); ++j)
    if (robot_->is_passive(Coordinate(j))) tau[j] = 0.0;
  require_finite(tau, "the torque", t);
  if (!options_.saturate) return;
  for (std::size_t j = 0; j < joints_.size(); ++j) tau[j] = std::clamp(tau[j], -limits(j).effort, limits(j).effort);
}

// The same just above (+1) or below (-1) rest of one joint.
void Plant::ask_at_rest(double t, std::span<const double> y, std::size_t joint, double side, std::span<double> tau) {
  const double speed = std::exchange(asked_[joint], side * least_speed);
  ask_law(t, y, tau);
  asked_[joint] = speed;
}

// tau_: what the drives do. Of a joint that slides the law is taken from the side it slides to, and beyond rest, where
// only the trials of the integrator come, less its jump: so it is smooth, as friction by modes is.                  (7)
void Plant::drive(double t, std::span<const double> y) {
  const auto way = [&](std::size_t j) { return modes_ ? direction(joints_[j], 0.0) : 0.0; };
  for (std::size_t j = 0; j < joints_.size(); ++j) {
    const double speed = joints_[j].mode == Mode::held ? 0.0 : qd(y)[j];  // some ask what would be if it were not
    asked_[j] = speed == 0.0 ? way(j) * least_speed : speed;
  }
  ask_law(t, y, tau_);
  for (std::size_t j = 0; j < joints_.size(); ++j) {
    if (!(way(j) * asked_[j] < 0.0)) continue;
    ask_at_rest(t, y, j, way(j), near_);
    ask_at_rest(t, y, j, -way(j), far_);
    for (std::size_t i = 0; i < tau_.size(); ++i) tau_[i] += near_[i] - far_[i];
  }
}

// external_ = Jᵀ w, what the environment does to the joints.
void Plant::find_external(double t, std::span<const double> y) {
  if (!wrenches_) return;
  acting_.clear();
  wrenches_(t, q(y), qd(y), acting_);
  const std::span<const double> found = pushes_.find(q(y), acting_);
  std::copy(found.begin(), found.end(), external_.begin());
  require_finite(external_, "the external torque", t);
}

// applied_: what the drives do, with the dry friction of sliding joints, what the environment does and what the moving
// base takes.
void Plant::torques(double t, std::span<const double> y) {
  drive(t, y);
  find_external(t, y);
  if (base_) base_->forces(t, q(y), qd(y), y.last<4>(), carried_);
  for (std::size_t j = 0; j < joints_.size(); ++j)
    applied_[j] = tau_[j] + external_[j] - carried_[j] - joints_[j].coulomb * direction(joints_[j], qd(y)[j]);
}

// Bounds of the torque that can hold the joints of held_, after torques(): dry friction either way, with what the law
// would add were the joint to start, and a stop, which pushes but does not pull.                                    (6)
void Plant::find_bounds(double t, std::span<const double> y) {
  for (const std::size_t j : held_) {
    Joint& joint = joints_[j];
    joint.low = joint.high = 0.0;
    if (joint.coulomb > 0.0) {
      ask_at_rest(t, y, j, 1.0, near_);
      ask_at_rest(t, y, j, -1.0, far_);
      const double up = near_[j], down = far_[j];
      joint.low = up - tau_[j] - joint.coulomb;
      joint.high = down - tau_[j] + joint.coulomb;
      // A law that makes up for all of the friction, or for more, leaves no room: the joint goes where it is pushed.
      const double middle = 0.5 * (joint.low + joint.high),
                   rounding = 1e-12 * (std::abs(up) + std::abs(down) + joint.coulomb);
      joint.low = std::min(joint.low, middle - rounding);
      joint.high = std::max(joint.high, middle + rounding);
    }
    if (joint.stop == Stop::upper || joint.stop == Stop::both) joint.low = -infinity;
    if (joint.stop == Stop::lower || joint.stop == Stop::both) joint.high = infinity;
  }
}

}  // namespace catena
