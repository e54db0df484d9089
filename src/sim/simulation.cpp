#include "catena/simulation.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <memory>
#include <stdexcept>
#include <utility>

#include "catena/kinematics.hpp"
#include "jobs/checks.hpp"
#include "sim/energy_account.hpp"
#include "sim/held_law.hpp"
#include "sim/impacts.hpp"
#include "sim/joint_events.hpp"
#include "sim/right_hand_side.hpp"
#include "sim/solver.hpp"

namespace catena {
namespace {

constexpr std::array<std::pair<std::string_view, Integrator>, 6> integrators{{
    {"verner", Integrator::verner},
    {"dormand-prince", Integrator::dormand_prince},
    {"adams", Integrator::adams},
    {"bdf", Integrator::bdf},
    {"rk4", Integrator::runge_kutta_4},
    {"adams-bashforth", Integrator::adams_bashforth_4},
}};

void check_options(const SimulationOptions& o) {
  const auto positive = [](double v, const char* name) {
    if (!(v > 0.0) || !std::isfinite(v))
      throw std::invalid_argument(std::string(name) + " must be positive and finite");
  };
  positive(o.rtol, "rtol");
  positive(o.atol, "atol");
  positive(o.step, "the step");
  if (o.rtol < 1e-15) throw std::invalid_argument("rtol below 1e-15 asks for more digits than a double has");
  positive(o.rest_speed, "rest_speed");
  positive(o.rest_time, "rest_time");
  if (o.period != 0.0) positive(o.period, "the period of the law");
  if (!(o.restitution >= 0.0 && o.restitution <= 1.0))
    throw std::invalid_argument("restitution must lie between 0 and 1");
  const auto& [x, y, z, w] = o.base_orientation;
  if (!(std::abs(std::hypot(std::hypot(x, y), std::hypot(z, w)) - 1.0) < 1e-6))
    throw std::invalid_argument("base_orientation must be a quaternion of length 1");
  if (has_fixed_step(o.integrator) && o.stops)
    throw std::invalid_argument(
        "a fixed-step integrator cannot locate stops; use verner, dormand-prince, adams or bdf");
}

}  // namespace

bool has_fixed_step(Integrator integrator) {
  return integrator == Integrator::runge_kutta_4 || integrator == Integrator::adams_bashforth_4;
}

std::optional<Integrator> integrator_from_name(std::string_view name) {
  for (const auto& [known, integrator] : integrators)
    if (known == name) return integrator;
  return std::nullopt;
}

std::vector<std::string_view> integrator_names() {
  std::vector<std::string_view> names;
  names.reserve(integrators.size());
  for (const auto& [name, integrator] : integrators) names.push_back(name);
  return names;
}

Event at_time(double when) {
  return {"time", [when](double t, auto, auto) { return t - when; }, 0, {}};
}
Event at_position(int entry, double value) {
  return {"position", [=](double, std::span<const double> q, auto) { return q[index(entry)] - value; }, 0, {}};
}
Event at_speed(int joint, double value) {
  return {"speed", [=](double, auto, std::span<const double> qd) { return qd[index(joint)] - value; }, 0, {}};
}
Event frame_enters(const Mechanism& robot, int frame, const Vec3<double>& normal, double offset) {
  const auto kinematics = std::make_shared<Kinematics<double>>(robot);
  return {"frame",
          [=](double, std::span<const double> q, auto) {
            kinematics->update(q);
            return dot(normal, kinematics->pose(frame).p) - offset;
          },
          +1,
          {}};
}

struct Simulation::Impl {
  SimulationOptions options;
  HeldLaw held;
  RightHandSide rhs;
  JointEvents joint_events;
  Impacts impacts;
  std::vector<Event> events;

  Impl(const Mechanism& robot, TorqueLaw law, const SimulationOptions& o)
      : options(o),
        held(std::move(law), o.period, robot.nv()),
        rhs(robot, held.as_seen(), o),
        joint_events(rhs, o),
        impacts(rhs, o) {}

  InitialValueProblem problem() {
    InitialValueProblem p;
    const std::size_t own = joint_events.count();
    const bool located = !has_fixed_step(options.integrator);
    p.size = rhs.size();
    p.trigger_count = located ? own + events.size() : 0;
    p.directions.assign(p.trigger_count, 0);
    for (std::size_t k = 0; located && k < events.size(); ++k) p.directions[own + k] = events[k].direction;
    p.derivative = [this, calls = 0U](double t, std::span<const double> y, std::span<double> ydot) mutable {
      constexpr unsigned between = 256;  // a violent motion may take minutes between two samples
      if (options.proceed && ++calls % between == 0 && !options.proceed(t)) throw std::runtime_error("interrupted");
      rhs.derivative(t, y, ydot);
    };
    p.triggers = [this, own](double t, std::span<const double> y, std::span<double> g) {
      joint_events.triggers(t, y, g.subspan(0, own));
      for (std::size_t k = 0; k < events.size(); ++k)
        g[own + k] = events[k].trigger(t, rhs.users_q(y), rhs.users_qd(y));
    };
    return p;
  }

  // Brings the state up to date at t: stops joints that came to rest, applies impacts, and finds each joint's mode.
  // Called at the start, when a trigger fires, and after every jump.
  void settle(double t, std::span<double> y, SimulationResult& result) {
    const std::vector<SimulatedJoint> before = rhs.joints();
    joint_events.locate(y);
    impacts.happen(t, y);
    impacts.find_modes(t, y);
    for (std::size_t j = 0; j < before.size(); ++j) {
      std::string what = impacts.what_hit(j);
      if (what.empty()) what = what_changed(before[j], rhs.joints()[j]);
      if (!what.empty()) result.events.push_back({t, "joint '" + rhs.name(j) + "' " + what});
    }
  }

  struct Outcome {
    bool stop = false;     // end the run
    bool changed = false;  // restart the integrator
  };
  // Handles the triggers that fired at t.
  Outcome handle(const std::vector<std::size_t>& fired, double t, std::span<double> y, SimulationResult& result) {
    const std::size_t own = joint_events.count();
    Outcome outcome;
    if (std::any_of(fired.begin(), fired.end(), [&](std::size_t k) { return k < own && joint_events.is_fitness(k); })) {
      if (const std::string what = rhs.refit(y); !what.empty()) result.events.push_back({t, what});
      impacts.replace_robot();
    }
    outcome.changed =
        std::any_of(fired.begin(), fired.end(), [&](std::size_t k) { return k >= own || joint_events.matters(k); });
    if (std::any_of(fired.begin(), fired.end(), [&](std::size_t k) { return k < own && joint_events.matters(k); }))
      settle(t, y, result);
    for (const std::size_t k : fired) {
      if (k < own) continue;
      const Event& event = events[k - own];
      result.events.push_back({t, event.name});
      if (!event.effect) continue;
      EventEffect effect = event.effect(t, rhs.users_q(y), rhs.users_qd(y));
      if (effect.law) held.replace(effect.law);
      if (effect.law && !held.samples()) rhs.replace_law(std::move(effect.law));
      if (effect.robot) {
        rhs.replace_robot(*effect.robot);
        impacts.replace_robot();
      }
      if (effect.law || effect.robot) settle(t, y, result);
      if (effect.stop) result.ended_by = event.name, result.stopped = true;
      outcome.stop = outcome.stop || effect.stop;
    }
    return outcome;
  }

  // Asks a law that is sampled, where its moment has come.
  bool ask(double t, std::span<const double> y) {
    if (!held.is_due(t)) return false;
    held.ask(t, rhs.users_q(y), rhs.users_qd(y));
    return true;
  }
  // Moves (t, y) on to `next`. Returns whether an event ended the run.
  bool advance(Solver& solver, double next, double& t, std::span<double> y, SimulationResult& result) {
    while (t < next) {
      const std::vector<std::size_t> fired = solver.advance(held.until(next), t, y);
      const Outcome outcome = fired.empty() ? Outcome{} : handle(fired, t, y, result);
      if (outcome.stop) return true;
      const bool asked = fired.empty() && ask(t, y);
      if (asked && !has_fixed_step(options.integrator)) settle(t, y, result);
      if (asked || outcome.changed) solver.restart(t, y);
    }
    return false;
  }
};

Simulation::Simulation(const Mechanism& robot, TorqueLaw law, const SimulationOptions& options) {
  check_options(options);
  if (!law) throw std::invalid_argument("the simulation needs a torque law");
  if (robot.nv() == 0) throw std::invalid_argument("the robot has no moving joints");
  for (const Coordinate c : robot.coordinates.all())
    if (options.saturate && robot.limits(c).effort < 0.0)
      throw std::invalid_argument("the drive of joint '" + robot.name_of(c) +
                                  "' cannot be saturated: its effort limit is negative");
  impl_ = std::make_unique<Impl>(robot, std::move(law), options);
}
Simulation::~Simulation() = default;

void Simulation::add_event(Event event) {
  if (has_fixed_step(impl_->options.integrator))
    throw std::invalid_argument(
        "a fixed-step integrator cannot locate events; use verner, dormand-prince, adams or bdf");
  impl_->events.push_back(std::move(event));
}

namespace {

// Records the joints that are beyond their limits for the first time.
void look_at_limits(const Sample& s, const Mechanism& robot, SimulationResult& result) {
  for (std::size_t j = 0; j < s.qd.size(); ++j) {
    const double at = s.q[robot.coordinates.position_of(Coordinate(j))];
    const JointLimits& limits = robot.limits(Coordinate(j));
    const bool beyond = at < limits.lower || at > limits.upper;
    const auto known = [j](const LeftLimits& left) { return index(left.joint) == j; };
    if (beyond && std::none_of(result.left_limits.begin(), result.left_limits.end(), known))
      result.left_limits.push_back({static_cast<int>(j), s.t});
  }
}

void book(const Sample& s, EnergyAccount& account, SimulationResult& result) {
  account.add(s);
  result.balance = account.balance();
  const double potential_at_start = result.samples.empty() ? s.potential : result.samples.front().potential;
  for (const double e : {s.kinetic, s.potential - potential_at_start, s.work, s.external, s.base_work, s.losses})
    result.largest_energy = std::max(result.largest_energy, std::abs(e));
  result.samples.push_back(s);
}

}  // namespace

SimulationResult Simulation::run(std::span<const double> q, std::span<const double> qd, std::span<const double> times,
                                 const std::function<void(const Sample&)>& on_sample) {
  RightHandSide& rhs = impl_->rhs;
  if (q.size() != index(rhs.robot().nq()) || qd.size() != index(rhs.robot().nv()))
    throw std::invalid_argument("q and qd need one value per joint, and q one more where the base is free");
  if (rhs.robot().coordinates.is_free()) require_unit_quaternion<double>(q);
  if (times.empty()) throw std::invalid_argument("at least one sample time is needed");
  for (std::size_t k = 1; k < times.size(); ++k)
    if (!(times[k] > times[k - 1])) throw std::invalid_argument("the sample times must increase");

  SimulationResult result;
  EnergyAccount account;
  rhs.start_again();
  std::vector<double> y = rhs.start(q, qd);
  impl_->joint_events.require_within_stops(y);
  double t = times.front();
  std::unique_ptr<Solver> solver;
  try {
    impl_->held.start(t);
    impl_->ask(t, y);
    rhs.use_modes(!has_fixed_step(impl_->options.integrator));
    if (!has_fixed_step(impl_->options.integrator)) impl_->settle(t, y, result);
    solver = make_solver(impl_->options, impl_->problem());
    solver->restart(t, y);
    const auto take = [&] {
      const Sample s = rhs.sample(t, y);
      if (!impl_->options.stops) look_at_limits(s, rhs.robot(), result);
      book(s, account, result);
      if (on_sample) on_sample(s);
    };
    take();
    for (const double next : times.subspan(1)) {
      const bool stop = impl_->advance(*solver, next, t, y, result);
      take();
      if (stop) break;
      if (impl_->options.proceed && !impl_->options.proceed(t)) {
        result.ended_by = "interrupted";
        break;
      }
    }
  } catch (const std::exception& e) {
    result.ended_by = e.what();
  }
  if (solver) result.steps = solver->steps(), result.evaluations = solver->evaluations();
  result.complete = result.ended_by.empty();
  return result;
}

}  // namespace catena
