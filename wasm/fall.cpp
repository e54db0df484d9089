#include "fall.hpp"

#include <algorithm>
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
  }
  if (session.mechanism().nv() == 0) throw std::invalid_argument("the robot has no moving joints");
  rhs_ = std::make_unique<RightHandSide>(session.at_rest(), law, options);
  rhs_->use_modes(false);
  InitialValueProblem problem;
  problem.size = rhs_->size();
  problem.derivative = [this](double t, std::span<const double> y, std::span<double> ydot) {
    rhs_->derivative(t, y, ydot);
  };
  solver_ = make_solver(options, std::move(problem));
  const Inputs<double> in = session.state().inputs(tool_frame, 0);
  y_ = rhs_->start(in.q, in.qd);
  tell();
  first_ = told_[4];
  told_[4] = 0.0;
}

void Fall::step(double dt, double damping, std::size_t wrenches) {
  if (!(dt > 0.0)) throw std::invalid_argument("a step must take some time");
  const Inputs<double> in = session_.state().inputs(tool_frame, wrenches);
  std::copy(in.tau.begin(), in.tau.end(), tau_.begin());
  acting_.assign(in.wrenches.begin(), in.wrenches.end());
  damping_ = damping;
  const std::vector<double> before = y_;
  double t = t_;
  try {
    solver_->advance(t_ + dt, t, y_);
  } catch (...) {
    y_ = before;
    throw;
  }
  t_ = t;
  if (rhs_->robot().coordinates.is_free()) normalize_quaternion(&y_[3]);
  tell();
}

void Fall::tell() {
  const Sample s = rhs_->sample(t_, y_);
  const double work = s.work + s.external + s.base_work - s.losses;
  told_ = {s.t, s.kinetic, s.potential, work, s.kinetic + s.potential - work - first_};
  told_.insert(told_.end(), s.q.begin(), s.q.end());
  told_.insert(told_.end(), s.qd.begin(), s.qd.end());
}

}  // namespace catena::wasm
