#include "sim/right_hand_side.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <stdexcept>

#include "catena/dynamics.hpp"
#include "catena/math/quaternion.hpp"
#include "sim/free_motion.hpp"

namespace catena {
namespace {

// A speed that only says on which side of rest a law is evaluated: lost in any sum, but its cube is still nonzero.
constexpr double least_speed = 1e-100;

bool follows_several(const Mechanism& robot, TreeJoint j) {
  return robot.is_coupled() && robot.coordinates.following[j].terms.size() > 1;
}

// The dry friction of a joint at rest is handled here, by coordinate. What is left of Stribeck friction, how far it has
// fallen since rest, does not jump.                                                                                 (8)
std::shared_ptr<const Mechanism> without_dry_friction(Mechanism robot) {
  for (const TreeJoint j : robot.all_joints())
    if (std::exchange(robot.drives[j].coulomb, 0.0 - robot.drives[j].stribeck) + robot.drives[j].stribeck != 0.0 &&
        follows_several(robot, j))
      throw std::invalid_argument(
          "joint '" + robot.joint_names[j] +
          "' follows several others and has dry friction, and sticking cannot be simulated there");
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

RightHandSide::RightHandSide(const Mechanism& robot, TorqueLaw law, const SimulationOptions& options)
    : robot_(without_dry_friction(robot)),
      drives_(drives_by_coordinate(robot)),
      law_(std::move(law)),
      options_(options),
      forward_(make_forward(*robot_, options)),
      energy_(*robot_, "energy"),
      loop_forces_(*robot_, "loop_forces"),
      wrenches_(make_wrenches(*robot_, options)),
      pushes_(robot_),
      held_dynamics_(*robot_),
      watched_(robot_, robot),
      joints_(watched_.count()) {
  user_ = robot_;
  if (options.base_motion) base_.emplace(*robot_, options.base_motion);
  for (auto* v : {&asked_, &near_, &far_, &tau_, &external_, &carried_, &applied_, &qdd_, &users_qd_, &row_})
    v->resize(nv());
  users_q_.resize(index(robot.nq()));
  hold_.resize(joints_.size());
  held_.reserve(joints_.size());
  set_friction();
}
void RightHandSide::set_friction() {
  for (std::size_t j = 0; j < joints_.size(); ++j)
    joints_[j].coulomb =
        j < nv() ? drives_[Coordinate(j)].coulomb + drives_[Coordinate(j)].stribeck : watched_.coulomb(j);
}

void RightHandSide::replace_robot(const Mechanism& robot) {
  if (robot.nv() != robot_->nv())
    throw std::invalid_argument("the robot may change its links during a run, but not its joints");
  drives_ = drives_by_coordinate(robot);
  user_ = without_dry_friction(robot);
  use(user_);
  set_friction();
}
void RightHandSide::use(std::shared_ptr<const Mechanism> robot) {
  robot_ = std::move(robot);
  watched_.use(robot_);
  forward_ = make_forward(*robot_, options_);
  energy_ = Call<double>(*robot_, "energy");
  loop_forces_ = Call<double>(*robot_, "loop_forces");
  wrenches_ = make_wrenches(*robot_, options_);
  pushes_ = Pushes<double>(robot_);
  if (base_) base_.emplace(*robot_, options_.base_motion);
  held_dynamics_ = HeldDynamics(*robot_);
}

std::vector<double> RightHandSide::start(std::span<const double> q, std::span<const double> qd) const {
  std::vector<double> y(size());
  std::copy(q.begin(), q.end(), y.begin());
  std::copy(qd.begin(), qd.end(), y.begin() + robot_->nq());
  if (base_) std::copy(options_.base_orientation.begin(), options_.base_orientation.end(), y.end() - 4);
  return y;
}

// In other coordinates than the user's, which are joints too.
std::span<const double> RightHandSide::users_q(std::span<const double> y) {
  if (robot_ == user_) return q(y);
  see(y);
  std::copy(y.begin(), y.begin() + static_cast<std::ptrdiff_t>(users_q_.size()), users_q_.begin());
  for (std::size_t j = robot_->coordinates.is_free() ? base_joints : 0; j < nv(); ++j)
    users_q_[user_->coordinates.position_of(Coordinate(j))] = watched_.position(j);
  return users_q_;
}
std::span<const double> RightHandSide::users_qd(std::span<const double> y) {
  if (robot_ == user_) return qd(y);
  see(y);
  for (std::size_t j = 0; j < nv(); ++j) users_qd_[j] = watched_.speed(j);
  return users_qd_;
}

double RightHandSide::position(std::span<const double> y, std::size_t j) const {
  const int c = watched_.coordinate(j);
  if (c >= 0) return y[robot_->coordinates.position_of(Coordinate(c))];
  see(y);
  return watched_.position(j);
}
double RightHandSide::speed(std::span<const double> y, std::size_t j) const {
  const int c = watched_.coordinate(j);
  if (c >= 0) return y[rates_at() + index(c)];
  see(y);
  return watched_.speed(j);
}
namespace {
// How much of its row a dependent joint is to be moved by: at a dead point, where coordinates do not move it, not at
// all.
double share_of(std::span<const double> row, double missing) {
  constexpr double most = 1e-6;  // what is corrected is the slack of a trigger
  double square = 0.0;
  for (const double part : row) square += part * part;
  return std::abs(missing) <= most * std::sqrt(square) ? missing / square : 0.0;
}
}  // namespace
void RightHandSide::set_position(std::span<double> y, std::size_t j, double value) const {
  const int c = watched_.coordinate(j);
  if (c >= 0) {
    y[robot_->coordinates.position_of(Coordinate(c))] = value;
    return;
  }
  for (int again = 0; again < 2; ++again) {  // a second time for the curvature of the way there
    see(y);
    const double share = share_of(watched_.row(j), value - watched_.position(j));
    for (std::size_t k = 0; k < nv(); ++k)
      y[robot_->coordinates.position_of(Coordinate(k))] += share * watched_.row(j)[k];
  }
}
void RightHandSide::set_speed(std::span<double> y, std::size_t j, double value) const {
  const int c = watched_.coordinate(j);
  if (c >= 0) {
    y[rates_at() + index(c)] = value;
    return;
  }
  see(y);
  const double share = share_of(watched_.row(j), value - watched_.speed(j));
  for (std::size_t k = 0; k < nv(); ++k) y[rates_at() + k] += share * watched_.row(j)[k];
}
void RightHandSide::copy_row(std::span<const double> y, std::size_t j, std::span<double> row) const {
  if (has_loops()) {
    see(y);
    std::copy(watched_.row(j).begin(), watched_.row(j).end(), row.begin());
    return;
  }
  std::fill(row.begin(), row.end(), 0.0);
  row[j] = 1.0;
}
double RightHandSide::acceleration_of(std::span<const double> y, std::size_t j) const {
  if (!has_loops()) return qdd_[j];
  see(y);
  double sum = watched_.drift(j);
  for (std::size_t c = 0; c < nv(); ++c) sum += watched_.row(j)[c] * qdd_[c];
  return sum;
}
// Joints of one loop may hold each other: they share the load by what friction each can bear.
double RightHandSide::compliance(std::size_t j) const {
  if (!has_loops()) return 0.0;
  double most = 0.0;
  for (const SimulatedJoint& joint : joints_) most = std::max(most, joint.coulomb);
  const SimulatedJoint& joint = joints_[j];
  return joint.stop == JointStop::none && joint.coulomb > 0.0 ? 1e-10 * most / joint.coulomb : 1e-10;
}

double RightHandSide::fitness(std::span<const double> y) const {
  see(y);
  return watched_.fitness();
}
std::string RightHandSide::refit(std::span<double> y) {
  see(y);
  std::string what;
  const auto robot = std::make_shared<const Mechanism>(watched_.refit(what));
  if (what.empty()) return what;
  std::vector<double> positions, rates;
  const std::span<const double> all = watched_.speeds_of_tree(), at = watched_.positions_of_tree();
  for (const Coordinate c : robot->coordinates.all()) {
    positions.push_back(at[index(robot->coordinates.joints[c])]);
    rates.push_back(all[index(robot->coordinates.joints[c])]);
  }
  use(robot);
  for (const Coordinate c : robot->coordinates.all()) {
    y[rates_at() + index(c)] = rates[index(c)];
    if (!robot->coordinates.is_free() || c >= base_joints) y[robot->coordinates.position_of(c)] = positions[index(c)];
  }
  return "coordinates are now " + what;
}

double RightHandSide::direction(const SimulatedJoint& joint, double speed) const {
  if (!modes_) return sign(speed);
  return joint.mode == JointMode::sliding_up ? 1.0 : joint.mode == JointMode::sliding_down ? -1.0 : 0.0;
}

void RightHandSide::require_finite(std::span<const double> values, const char* what, double t) const {
  for (std::size_t j = 0; j < values.size(); ++j)
    if (!std::isfinite(values[j]))
      throw std::domain_error(std::string(what) + " of joint '" + name(j) +
                              "' is not a finite number at t = " + std::to_string(t) + " s");
}

// The torques of the drives at the speeds asked_: zero for a passive joint, whatever the law returns.
void RightHandSide::ask_law(double t, std::span<const double> y, std::span<double> tau) {
  law_(t, users_q(y), asked_, tau);
  for (std::size_t j = 0; j < nv(); ++j)
    if (user_->is_passive(Coordinate(j))) tau[j] = 0.0;
  require_finite(tau, "the torque", t);
  if (!options_.saturate) return;
  for (std::size_t j = 0; j < nv(); ++j) tau[j] = std::clamp(tau[j], -limits(j).effort, limits(j).effort);
}

// The same with one joint just above (+1) or below (-1) rest.
void RightHandSide::ask_at_rest(double t, std::span<const double> y, std::size_t joint, double side,
                                std::span<double> tau) {
  const double speed = std::exchange(asked_[joint], side * least_speed);
  ask_law(t, y, tau);
  asked_[joint] = speed;
}

// tau_: the torques of the drives. A law may jump where a joint with dry friction reverses, such as a law that
// compensates friction by the sign of the speed; jump and friction then act as one force. For a sliding joint the law
// is evaluated on the side it slides to; beyond rest, which only trial steps of the integrator reach, its jump is
// removed: so it is smooth, like friction by modes.                                                                (7)
void RightHandSide::drive(double t, std::span<const double> y) {
  const auto way = [&](std::size_t j) { return modes_ ? direction(joints_[j], 0.0) : 0.0; };
  for (std::size_t j = 0; j < nv(); ++j) {
    // Some callers ask what would happen if it were not held.
    const double rate = joints_[j].held() ? 0.0 : speed(y, j);
    asked_[j] = rate == 0.0 ? way(j) * least_speed : rate;
  }
  ask_law(t, y, tau_);
  for (std::size_t j = 0; j < nv(); ++j) {
    if (!(way(j) * asked_[j] < 0.0)) continue;
    ask_at_rest(t, y, j, way(j), near_);
    ask_at_rest(t, y, j, -way(j), far_);
    for (std::size_t i = 0; i < tau_.size(); ++i) tau_[i] += near_[i] - far_[i];
  }
}

// external_ = Jᵀ w, the effect of the external wrenches on the joints.
void RightHandSide::find_external(double t, std::span<const double> y) {
  if (!wrenches_) return;
  acting_.clear();
  wrenches_(t, users_q(y), users_qd(y), acting_);
  const std::span<const double> found = pushes_.find(q(y), acting_);
  std::copy(found.begin(), found.end(), external_.begin());
  require_finite(external_, "the external torque", t);
}

// applied_: the torques of the drives, the dry friction of sliding joints, the external wrenches and the effect of the
// moving base.
void RightHandSide::find_torques(double t, std::span<const double> y) {
  drive(t, y);
  find_external(t, y);
  if (base_) base_->forces(t, q(y), qd(y), y.last<4>(), carried_);
  if (has_loops()) return gather_torques(y);
  for (std::size_t j = 0; j < joints_.size(); ++j)
    applied_[j] = tau_[j] + external_[j] - carried_[j] - joints_[j].coulomb * direction(joints_[j], qd(y)[j]);
}
// The same where joints move by rows of G.
void RightHandSide::gather_torques(std::span<const double> y) {
  for (std::size_t c = 0; c < nv(); ++c) applied_[c] = external_[c] - carried_[c];
  see(y);
  for (std::size_t j = 0; j < joints_.size(); ++j) {
    const double torque = (j < nv() ? tau_[j] : 0.0) - joints_[j].coulomb * direction(joints_[j], watched_.speed(j));
    if (torque == 0.0) continue;
    for (std::size_t c = 0; c < nv(); ++c) applied_[c] += watched_.row(j)[c] * torque;
  }
}

void RightHandSide::find_held() {
  held_.clear();
  for (std::size_t j = 0; j < joints_.size(); ++j)
    if (joints_[j].held()) held_.push_back(j);
}

// q̈ under applied_, with held joints kept in place.                                                           (1), (2)
void RightHandSide::accelerate(std::span<const double> y) {
  find_held();
  if (held_.empty()) return coordinates_.clear(), accelerate_released(y);
  coordinates_.clear();
  for (const std::size_t j : held_)
    if (const int c = watched_.coordinate(j); c >= 0) coordinates_.push_back(index(c));
  if (coordinates_.size() == held_.size()) {
    held_dynamics_.accelerate(q(y), qd(y), applied_, coordinates_, qdd_, hold_);
  } else {
    hold_by_rows(y);
  }
  for (std::size_t k = 0; k < held_.size(); ++k) joints_[held_[k]].hold = hold_[k];
}

// Where dependent joints of loops are held too.
void RightHandSide::hold_by_rows(std::span<const double> y) {
  rows_.resize(held_.size() * nv()), drifts_.resize(held_.size()), compliance_.resize(held_.size());
  for (std::size_t k = 0; k < held_.size(); ++k) {
    copy_row(y, held_[k], std::span(rows_).subspan(k * nv(), nv()));
    drifts_[k] = watched_.drift(held_[k]);
    compliance_[k] = compliance(held_[k]);
  }
  held_dynamics_.accelerate_by_rows(q(y), qd(y), applied_, {rows_, drifts_, compliance_}, qdd_, hold_);
  for (const std::size_t c : coordinates_) qdd_[c] = 0.0;  // they do not give way
}

// The same with nothing held.
void RightHandSide::accelerate_released(std::span<const double> y) { forward_(q(y), qd(y), applied_, qdd_); }

// Bounds of the torque that can hold the joints of held_, after find_torques(): dry friction in both directions, with
// what the law would add if the joint started to move, and a stop, which pushes but does not pull.                  (6)
void RightHandSide::find_bounds(double t, std::span<const double> y) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  for (const std::size_t j : held_) {
    SimulatedJoint& joint = joints_[j];
    joint.low = joint.high = 0.0;
    if (joint.coulomb > 0.0 && j >= nv()) {
      joint.low = -joint.coulomb, joint.high = joint.coulomb;
    } else if (joint.coulomb > 0.0) {
      ask_at_rest(t, y, j, 1.0, near_);
      ask_at_rest(t, y, j, -1.0, far_);
      const double up = near_[j], down = far_[j];
      joint.low = up - tau_[j] - joint.coulomb;
      joint.high = down - tau_[j] + joint.coulomb;
      // A law that compensates all of the friction, or more, leaves no margin: the joint goes where it is pushed.
      const double middle = 0.5 * (joint.low + joint.high),
                   rounding = 1e-12 * (std::abs(up) + std::abs(down) + joint.coulomb);
      joint.low = std::min(joint.low, middle - rounding);
      joint.high = std::max(joint.high, middle + rounding);
    }
    if (joint.stop == JointStop::upper || joint.stop == JointStop::both) joint.low = -infinity;
    if (joint.stop == JointStop::lower || joint.stop == JointStop::both) joint.high = infinity;
  }
}

// The loss to friction that does not jump.
double RightHandSide::smooth_loss(std::span<const double> y) const {
  double loss = 0.0;
  const auto lose = [&](TreeJoint j, double rate) {
    loss += Friction::torque<double>(robot_->drives[j], {0.0, rate, 0.0}) * rate;
  };
  if (has_loops()) {
    see(y);
    for (const TreeJoint j : robot_->all_joints()) lose(j, watched_.speeds_of_tree()[index(j)]);
  } else if (robot_->is_coupled()) {
    for (const TreeJoint j : robot_->all_joints()) {
      double rate = 0.0;
      for (const auto& [c, factor] : robot_->coordinates.following[j].terms) rate += factor * qd(y)[index(c)];
      lose(j, rate);
    }
  } else {
    for (const Coordinate c : robot_->coordinates.all()) lose(robot_->coordinates.joints[c], qd(y)[index(c)]);
  }
  return loss;
}

void RightHandSide::derivative(double t, std::span<const double> y, std::span<double> ydot) {
  find_torques(t, y);
  accelerate(y);
  require_finite(qdd_, "the acceleration", t);
  double power = 0.0, loss = smooth_loss(y), received = 0.0, taken = 0.0;
  for (std::size_t c = 0; c < nv(); ++c) {
    const bool stays = std::find(coordinates_.begin(), coordinates_.end(), c) != coordinates_.end();
    const double rate = stays ? 0.0 : qd(y)[c];
    ydot[robot_->coordinates.position_of(Coordinate(c))] = rate;
    ydot[rates_at() + c] = qdd_[c];
    received += external_[c] * rate;
    taken += carried_[c] * rate;
  }
  for (std::size_t j = 0; j < joints_.size(); ++j) {
    const double rate = joints_[j].held() ? 0.0 : speed(y, j);
    if (j < nv()) power += tau_[j] * rate;
    loss += joints_[j].coulomb * direction(joints_[j], rate) * rate;  // smooth beyond rest too, like the friction
  }
  if (robot_->coordinates.is_free()) move_base(q(y), qd(y), ydot);
  ydot[work_at()] = power;
  ydot[work_at() + 1] = loss;
  if (wrenches_) ydot[work_at() + 2] = received;
  if (!base_) return;
  ydot[base_at()] = -taken;
  base_->turn(y.last<4>(), ydot.last<4>());
}

// Motors and dry friction at joints that are not coordinates now reduce what the loops have to hold.
void RightHandSide::look_at_loops(std::span<const double> y, Sample& s) {
  see(y);
  const auto all = watched_.positions_of_tree();
  s.q_tree.assign(all.begin() + (robot_->carried ? base_joints : 0), all.end());
  if (base_) return;
  accelerate(y);
  s.loop_forces.resize(loop_forces_.size());
  loop_forces_({.q = q(y), .qd = qd(y), .qdd = qdd_, .wrenches = acting_}, s.loop_forces);
  see(y);
  std::vector<double> beside(index(robot_->joints())), taken(s.loop_forces.size());
  for (std::size_t j = 0; j < joints_.size(); ++j)
    beside[index(watched_.joint(j))] += (j < nv() ? tau_[j] : 0.0) + (joints_[j].held() ? joints_[j].hold : 0.0) -
                                        joints_[j].coulomb * direction(joints_[j], watched_.speed(j));
  watched_.loop_forces(beside, taken);
  for (std::size_t k = 0; k < taken.size(); ++k) s.loop_forces[k] -= taken[k];
}

Sample RightHandSide::sample(double t, std::span<const double> y) {
  find_torques(t, y);
  Sample s;
  s.t = t;
  const std::span<const double> positions = users_q(y), rates = users_qd(y);
  s.q.assign(positions.begin(), positions.end());
  s.qd.assign(rates.begin(), rates.end());
  s.tau = tau_;
  std::array<double, 2> energies{};
  energy_({.q = q(y), .qd = qd(y)}, energies);
  s.kinetic = energies[0], s.potential = energies[1];
  if (robot_->coordinates.is_free()) normalize_quaternion(&s.q[3]);
  if (has_loops()) look_at_loops(y, s);
  s.work = y[work_at()];
  s.losses = y[work_at() + 1];
  if (wrenches_) s.external = y[work_at() + 2];
  if (base_) s.base_work = y[base_at()], s.base_orientation = CarriedBase::unit(y.last<4>());
  return s;
}

}  // namespace catena
