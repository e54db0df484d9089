#include "plant.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <memory>
#include <stdexcept>

#include "catena/dynamics/forward_dynamics.hpp"

namespace catena {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

Mechanism without_dry_friction(Mechanism robot) {
  for (auto& drive : robot.drives) drive.coulomb = 0.0;
  return robot;
}

ForwardCall make_forward(const Mechanism& robot, const SimulationOptions& options) {
  if (options.forward) return options.forward(robot);
  const auto call = std::make_shared<ForwardDynamics<double>>(robot, options.formulation);
  return [call](auto q, auto qd, auto tau, auto qdd) { (*call)(q, qd, tau, qdd); };
}

void require_finite(std::span<const double> values, const Mechanism& robot, const char* what, double t) {
  for (std::size_t j = 0; j < values.size(); ++j)
    if (!std::isfinite(values[j]))
      throw std::domain_error(std::string(what) + " of joint '" + robot.joint_names[j] +
                              "' is not a finite number at t = " + std::to_string(t) + " s");
}

// Solves the small dense system A x = b in place (partial pivoting); A is k x k, row-major.
void solve_dense(std::span<double> A, std::span<double> b) {
  const std::size_t k = b.size();
  for (std::size_t c = 0; c < k; ++c) {
    std::size_t best = c;
    for (std::size_t r = c + 1; r < k; ++r)
      if (std::abs(A[r * k + c]) > std::abs(A[best * k + c])) best = r;
    if (A[best * k + c] == 0.0) throw std::domain_error("the joints that are held cannot be told apart");
    for (std::size_t e = 0; e < k; ++e) std::swap(A[c * k + e], A[best * k + e]);
    std::swap(b[c], b[best]);
    for (std::size_t r = c + 1; r < k; ++r) {
      const double factor = A[r * k + c] / A[c * k + c];
      for (std::size_t e = c; e < k; ++e) A[r * k + e] -= factor * A[c * k + e];
      b[r] -= factor * b[c];
    }
  }
  for (std::size_t c = k; c-- > 0;) {
    for (std::size_t e = c + 1; e < k; ++e) b[c] -= A[c * k + e] * b[e];
    b[c] /= A[c * k + c];
  }
}

}  // namespace

Plant::Plant(const Mechanism& robot, TorqueLaw law, const SimulationOptions& options)
    : robot_(without_dry_friction(robot)),
      law_(std::move(law)),
      options_(options),
      forward_(make_forward(robot_, options)),
      energy_(robot_, "energy"),
      joints_(index(robot.n())) {
  const std::size_t count = index(robot.n());
  for (auto* v : {&tau_, &applied_, &qdd_, &column_, &rhs_}) v->resize(count);
  response_.resize(count * count);
  matrix_.resize(count * count);
  held_.reserve(count);
  for (std::size_t j = 0; j < count; ++j) joints_[j].coulomb = robot.drives[j].coulomb;
}

void Plant::replace_robot(const Mechanism& robot) {
  if (robot.n() != n()) throw std::invalid_argument("the robot may change its links while running, not its joints");
  robot_ = without_dry_friction(robot);
  forward_ = make_forward(robot_, options_);
  energy_ = Call<double>(robot_, "energy");
  for (std::size_t j = 0; j < joints_.size(); ++j) joints_[j].coulomb = robot.drives[j].coulomb;
}

// tau_: what the law says. applied_: with the dry friction of sliding joints.
void Plant::torques(double t, std::span<const double> y) {
  law_(t, q(y), qd(y), tau_);
  require_finite(tau_, robot_, "the torque", t);
  for (std::size_t j = 0; j < joints_.size(); ++j) {
    double direction = sign(qd(y)[j]);
    if (modes_)
      direction = joints_[j].mode == Mode::sliding_up ? 1.0 : joints_[j].mode == Mode::sliding_down ? -1.0 : 0.0;
    applied_[j] = tau_[j] - joints_[j].coulomb * direction;
  }
}

// q̈ under applied_, held joints kept where they are: λ with (M⁻¹)_hh λ = -q̈_h, then q̈ += (M⁻¹)_·h λ.        (1), (2)
void Plant::accelerate(std::span<const double> y) {
  const std::size_t count = joints_.size();
  forward_(q(y), qd(y), applied_, qdd_);
  held_.clear();
  for (std::size_t j = 0; j < count; ++j)
    if (joints_[j].mode == Mode::held) held_.push_back(j);
  if (held_.empty()) return;
  const std::size_t k = held_.size();
  for (std::size_t c = 0; c < k; ++c) {
    // One column of M⁻¹: what a unit of torque at the held joint does to all of them.
    const std::span<double> column(response_.data() + c * count, count);
    std::copy(applied_.begin(), applied_.end(), column_.begin());
    column_[held_[c]] += 1.0;
    forward_(q(y), qd(y), column_, column);
    for (std::size_t j = 0; j < count; ++j) column[j] -= qdd_[j];
  }
  const std::span<double> A(matrix_.data(), k * k), lambda(rhs_.data(), k);
  for (std::size_t r = 0; r < k; ++r) {
    lambda[r] = -qdd_[held_[r]];
    for (std::size_t c = 0; c < k; ++c) A[r * k + c] = response_[c * count + held_[r]];
  }
  solve_dense(A, lambda);
  for (std::size_t c = 0; c < k; ++c) {
    joints_[held_[c]].hold = lambda[c];
    for (std::size_t j = 0; j < count; ++j) qdd_[j] += lambda[c] * response_[c * count + j];
  }
  for (const std::size_t j : held_) qdd_[j] = 0.0;
}

void Plant::derivative(double t, std::span<const double> y, std::span<double> ydot) {
  const std::size_t count = joints_.size();
  torques(t, y);
  accelerate(y);
  require_finite(qdd_, robot_, "the acceleration", t);
  double power = 0.0, loss = 0.0;
  for (std::size_t j = 0; j < count; ++j) {
    const double rate = joints_[j].mode == Mode::held ? 0.0 : qd(y)[j];
    ydot[j] = rate;
    ydot[count + j] = qdd_[j];
    power += tau_[j] * rate;
    loss += (tau_[j] - applied_[j] + robot_.drives[j].viscous * rate) * rate;
  }
  ydot[2 * count] = power;
  ydot[2 * count + 1] = loss;
}

// Bounds of the torque that can hold a joint: dry friction either way, and a stop, which pushes but does not pull. (3)
double Plant::hold_low(const Joint& j) const { return j.at_upper ? -infinity : -j.coulomb; }
double Plant::hold_high(const Joint& j) const { return j.at_lower ? infinity : j.coulomb; }

void Plant::settle(double t, std::span<double> y) {
  const std::size_t count = joints_.size();
  for (std::size_t j = 0; j < count; ++j) {
    Joint& joint = joints_[j];
    const double speed = qd(y)[j];
    if (options_.stops && speed == 0.0) {
      joint.at_lower = q(y)[j] <= robot_.limits[j].lower;
      joint.at_upper = q(y)[j] >= robot_.limits[j].upper;
    } else {
      joint.at_lower = joint.at_upper = false;
    }
    if (joint.coulomb == 0.0 && !joint.at_lower && !joint.at_upper) {
      joint.mode = Mode::free;
    } else {
      joint.mode = speed > 0.0 ? Mode::sliding_up : speed < 0.0 ? Mode::sliding_down : Mode::held;
    }
  }
  while (release_overloaded(t, y)) {
  }
}

// Lets the held joint go that is loaded furthest beyond what can hold it; false when all hold.
bool Plant::release_overloaded(double t, std::span<double> y) {
  torques(t, y);
  accelerate(y);
  double worst = 0.0;
  Joint* weakest = nullptr;
  for (Joint& joint : joints_) {
    if (joint.mode != Mode::held) continue;
    const double excess = std::max(hold_low(joint) - joint.hold, joint.hold - hold_high(joint));
    if (excess > worst) worst = excess, weakest = &joint;
  }
  if (weakest == nullptr) return false;
  // Held back by more than there is, it starts the other way.
  const bool up = weakest->hold < hold_low(*weakest);
  weakest->mode = weakest->coulomb == 0.0 ? Mode::free : up ? Mode::sliding_up : Mode::sliding_down;
  weakest->at_lower = weakest->at_upper = false;
  weakest->hold = 0.0;
  return true;
}

void Plant::triggers(double t, std::span<const double> y, std::span<double> g) {
  std::fill(g.begin(), g.end(), 1.0);
  bool any_held = false;
  for (std::size_t j = 0; j < joints_.size(); ++j) {
    const Joint& joint = joints_[j];
    any_held = any_held || joint.mode == Mode::held;
    if (joint.mode == Mode::sliding_up || joint.mode == Mode::sliding_down) g[4 * j] = qd(y)[j];
    if (!options_.stops || joint.mode == Mode::held) continue;
    if (std::isfinite(robot_.limits[j].lower)) g[4 * j + 1] = q(y)[j] - robot_.limits[j].lower;
    if (std::isfinite(robot_.limits[j].upper)) g[4 * j + 2] = robot_.limits[j].upper - q(y)[j];
  }
  if (!any_held) return;
  torques(t, y);
  accelerate(y);
  for (std::size_t j = 0; j < joints_.size(); ++j) {
    const Joint& joint = joints_[j];
    if (joint.mode != Mode::held) continue;
    const double low = hold_low(joint), high = hold_high(joint);
    g[4 * j + 3] = std::min(joint.hold - low, high - joint.hold);
    if (!std::isfinite(g[4 * j + 3])) g[4 * j + 3] = 1.0;
  }
}

std::string Plant::handle(std::size_t k, double t, std::span<double> y) {
  const std::size_t count = joints_.size(), j = k / 4;
  Joint& joint = joints_[j];
  double& speed = y[count + j];
  const std::string name = "joint '" + robot_.joint_names[j] + "' ";
  switch (k % 4) {
    case 0: {  // the speed passes zero under dry friction
      speed = 0.0;
      joint.mode = Mode::held;
      while (release_overloaded(t, y)) {
      }
      return name + (joint.mode == Mode::held ? "comes to rest" : "turns back");
    }
    case 3: {  // the hold gives way
      while (release_overloaded(t, y)) {
      }
      if (joint.mode == Mode::held) {  // exactly at the limit: the load is still growing, so let it go
        const bool up = joint.hold - hold_low(joint) < hold_high(joint) - joint.hold;
        joint.mode = joint.coulomb == 0.0 ? Mode::free : up ? Mode::sliding_up : Mode::sliding_down;
      }
      const bool from_stop = joint.at_lower || joint.at_upper;
      joint.at_lower = joint.at_upper = false;
      return name + (from_stop ? "leaves its stop" : "slips");
    }
    default: {  // a stop is reached
      const bool lower = k % 4 == 1;
      if (lower ? speed >= 0.0 : speed <= 0.0) return {};  // already on the way back
      const double before = std::abs(speed), rebound = options_.restitution * before;
      const double after = rebound < options_.rest_speed ? 0.0 : lower ? rebound : -rebound;
      y[j] = lower ? robot_.limits[j].lower : robot_.limits[j].upper;
      impact(j, after, y);
      settle(t, y);
      return name + "hits its " + (lower ? "lower" : "upper") + " stop at " + std::to_string(before);
    }
  }
}

// An impulse at joint j that leaves it with the given speed: q̇ += M⁻¹e_j p. What kinetic energy that costs is a loss.
// (4)
void Plant::impact(std::size_t j, double speed_after, std::span<double> y) {
  const std::size_t count = joints_.size();
  const double kinetic_before = energies(y).kinetic;
  std::fill(applied_.begin(), applied_.end(), 0.0);
  forward_(q(y), qd(y), applied_, qdd_);
  applied_[j] = 1.0;
  forward_(q(y), qd(y), applied_, column_);
  const double own = column_[j] - qdd_[j];
  const double impulse = (speed_after - y[count + j]) / own;
  for (std::size_t i = 0; i < count; ++i) y[count + i] += impulse * (column_[i] - qdd_[i]);
  y[count + j] = speed_after;
  y[2 * count + 1] += kinetic_before - energies(y).kinetic;
}

Plant::Energies Plant::energies(std::span<const double> y) {
  std::array<double, 2> out{};
  energy_({.q = q(y), .qd = qd(y)}, out);
  return {out[0], out[1]};
}

Sample Plant::sample(double t, std::span<const double> y) {
  torques(t, y);
  Sample s;
  s.t = t;
  s.q.assign(q(y).begin(), q(y).end());
  s.qd.assign(qd(y).begin(), qd(y).end());
  s.tau = tau_;
  const auto [kinetic, potential] = energies(y);
  s.kinetic = kinetic;
  s.potential = potential;
  s.work = y[2 * joints_.size()];
  s.losses = y[2 * joints_.size() + 1];
  return s;
}

}  // namespace catena
