#include "fall.hpp"

#include <algorithm>
#include <limits>
#include <stdexcept>

#include "catena/math/quaternion.hpp"
#include "catena/simulation.hpp"

namespace catena::wasm {

Fall::Fall(Session& session) : session_(session), tau_(index(session.mechanism().nv())) {
  SimulationOptions options;
  options.integrator = Integrator::runge_kutta_4;
  options.max_steps = std::numeric_limits<long>::max();
  options.wrenches = [this](const Mechanism&) -> WrenchLaw {
    return [this](double, auto, auto, std::vector<ExternalWrench<double>>& wrenches) { wrenches = acting_; };
  };
  const TorqueLaw law = [this](double, std::span<const double>, std::span<const double> qd, std::span<double> tau) {
    for (std::size_t j = 0; j < tau.size(); ++j) tau[j] = tau_[j] - damping_ * qd[j];
  };
  if (const std::span<const double> told = session.base_motion(); !told.empty()) {
    BaseTwist twist, acceleration;
    std::copy_n(told.begin(), twist.size(), twist.begin());
    std::copy_n(told.begin() + twist.size(), acceleration.size(), acceleration.begin());
    options.base_motion = constant_base_acceleration(twist, acceleration);
    base_.emplace(options.base_motion);
  }
  if (session.mechanism().nv() == 0) throw std::invalid_argument("the robot has no moving joints");
  rhs_ = std::make_unique<RightHandSide>(session.at_rest(), law, options);
  events_ = std::make_unique<JointEvents>(*rhs_, options);
  impacts_ = std::make_unique<Impacts>(*rhs_, options);
  InitialValueProblem problem;
  problem.size = rhs_->size();
  problem.derivative = [this](double t, std::span<const double> y, std::span<double> ydot) {
    rhs_->derivative(t, y, ydot);
  };
  solver_ = make_solver(options, std::move(problem));
  const Inputs<double> in = session.state().inputs();
  y_ = rhs_->start(in.q, in.qd);
  tell();
  first_ = told_[4];
  told_[4] = 0.0;
}

void Fall::step(double dt, double damping, std::size_t wrenches) {
  if (!(dt > 0.0)) throw std::invalid_argument("a step must take some time");
  const Inputs<double> in = session_.state().inputs();
  std::copy(in.tau.begin(), in.tau.end(), tau_.begin());
  acting_.clear();
  for (const catena_wrench& w : session_.state().wrenches(wrenches))
    acting_.push_back({w.frame,
                       {w.force[0], w.force[1], w.force[2]},
                       {w.moment[0], w.moment[1], w.moment[2]},
                       w.along_world != 0 ? Axes::world : Axes::frame});
  damping_ = damping;
  const std::vector<double> before = y_;
  const double start = t_, end = t_ + dt;
  constexpr int most_turns = 50;  // of joints within one step
  try {
    for (int turns = 0; t_ < end; ++turns) {
      settle();
      const std::vector<double> settled = y_;
      double t = t_;
      solver_->advance(end, t, y_);
      if (turned(y_) && turns < most_turns) t = t_ + before_turning(end - t_, settled);
      t_ = t;
    }
  } catch (...) {
    y_ = before;
    t_ = start;
    throw;
  }
  if (rhs_->robot().coordinates.is_free()) normalize_quaternion(&y_[3]);
  tell();
}

// Joints that came to rest stop, and dry friction holds those that it can.
void Fall::settle() {
  events_->locate(y_);
  impacts_->find_modes(t_, y_);
}

// Whether a joint slides against the direction in which its dry friction was taken.
bool Fall::turned(std::span<const double> y) const {
  for (std::size_t j = 0; j < rhs_->joints().size(); ++j)
    if (rhs_->direction(rhs_->joints()[j], 0.0) * rhs_->speed(y, j) < 0.0) return true;
  return false;
}

// Brings y to just after the first joint turned, and returns how long that takes: a step across it would take friction
// for a force that drives.
double Fall::before_turning(double dt, const std::vector<double>& before) {
  double low = 0.0, high = dt;
  std::vector<double> after = y_;
  while (high - low > 1e-9 * dt + 4.0 * std::numeric_limits<double>::epsilon() * t_) {
    const double middle = 0.5 * (low + high);
    y_ = before;
    double t = t_;
    solver_->advance(t_ + middle, t, y_);
    if (turned(y_)) {
      high = middle, after = y_;
    } else {
      low = middle;
    }
  }
  y_ = std::move(after);
  return high;
}

void Fall::tell() {
  const Sample s = rhs_->sample(t_, y_);
  const double work = s.work + s.external + s.base_work - s.losses;
  told_ = {s.t, s.kinetic, s.potential, work, s.kinetic + s.potential - work - first_};
  told_.insert(told_.end(), s.q.begin(), s.q.end());
  told_.insert(told_.end(), s.qd.begin(), s.qd.end());
  if (!base_) return;
  const BasePath::Place& place = base_->at(t_);
  told_.insert(told_.end(), place.begin(), place.end());
}

}  // namespace catena::wasm
