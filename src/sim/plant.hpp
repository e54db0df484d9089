// The robot as an ordinary differential equation with modes. State y = (q, q̇, work, losses),
// and the work of external wrenches where there are any; where the base moves, its work and its orientation. Each joint
// moves freely, slides one way or the other against dry friction, or is held, by dry friction or against a stop; modes
// change only at events, so that between them the right-hand side is smooth. What happens at an event is decided for
// all joints at once. Equations: docs/equations/friction_and_stops.md.
#pragma once

#include <algorithm>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "catena/call.hpp"
#include "catena/factorization.hpp"
#include "catena/simulation.hpp"
#include "coordinates/pushes.hpp"
#include "sim/box_problem.hpp"
#include "sim/carried_base.hpp"
#include "sim/held_dynamics.hpp"

namespace catena {

class Plant {
 public:
  Plant(const Mechanism& robot, TorqueLaw law, const SimulationOptions& options);

  int nv() const { return robot_->nv(); }
  std::size_t size() const { return base_at() + (base_ ? 1 + std::tuple_size_v<Quaternion> : 0); }
  const Mechanism& robot() const { return *robot_; }
  std::span<const double> q(std::span<const double> y) const { return y.first(rates_at()); }
  std::span<const double> qd(std::span<const double> y) const { return y.subspan(rates_at(), index(nv())); }

  std::vector<double> start(std::span<const double> q, std::span<const double> qd) const {
    std::vector<double> y(size());
    std::copy(q.begin(), q.end(), y.begin());
    std::copy(qd.begin(), qd.end(), y.begin() + robot_->nq());
    if (base_) std::copy(options_.base_orientation.begin(), options_.base_orientation.end(), y.end() - 4);
    return y;
  }
  // ẏ. Throws std::domain_error when the law's torque or the acceleration is not finite.
  void derivative(double t, std::span<const double> y, std::span<double> ydot);

  // Friction by modes and located events (true) or by the sign of q̇ alone (fixed steps).
  void use_modes(bool on) { modes_ = on; }

  // With stops: throws std::invalid_argument when a joint is beyond its limits.
  void require_within_stops(std::span<const double> q) const;

  // Makes the state what it is from t on: ends what has come to rest, lets impacts happen, and finds each joint's mode.
  // At the start, when a trigger fired, and after anything that jumps. Returns what happened, one line each.
  std::vector<std::string> settle(double t, std::span<double> y);

  // The event functions of the joints, four a joint, positive while the modes hold; one that is not in force is 1.
  std::size_t trigger_count() const { return 4 * index(nv()); }
  void triggers(double t, std::span<const double> y, std::span<double> g);
  // Whether the state is to be settled when the trigger fires.
  bool matters(std::size_t trigger) const;

  void replace_law(TorqueLaw law) { law_ = std::move(law); }
  // A changed robot: speeds stay, the energy that appears or vanishes with the parts does so unaccounted; see
  // docs/simulation.md.
  void replace_robot(const Mechanism& robot);

  Sample sample(double t, std::span<const double> y);

 private:
  static constexpr double infinity = std::numeric_limits<double>::infinity();
  enum class Mode { sliding_down = -1, held = 0, sliding_up = 1, free = 2 };  // free: no dry friction, not held
  enum class Stop { none, lower, upper, both };                               // both: the limits leave no room
  struct Joint {
    Mode mode = Mode::free;
    Stop stop = Stop::none;  // the one it is at: rests against, or is leaving
    double coulomb = 0.0;
    double hold = 0.0;             // torque that keeps it held
    double low = 0.0, high = 0.0;  // what can hold it
    double slack = 0.0;            // how far hold may lie beyond its bounds before it counts
    double hit_at = -infinity;     // when it last hit a stop
    Stop hit = Stop::none;         // and which
    int returns = 0;               // in a row to that one, each at once
    double hit_speed = 0.0;        // in this event; 0: none
  };

  double direction(const Joint& joint, double speed) const;
  double shared_loss(std::span<const double> qd) const;
  void ask_law(double t, std::span<const double> y, std::span<double> tau);
  void ask_at_rest(double t, std::span<const double> y, std::size_t joint, double side, std::span<double> tau);
  void drive(double t, std::span<const double> y);
  void torques(double t, std::span<const double> y);
  void find_bounds(double t, std::span<const double> y);
  void require_finite(std::span<const double> values, const char* what, double t) const;
  void accelerate(std::span<const double> y);
  struct Energies {
    double kinetic, potential;
  };
  Energies energies(std::span<const double> y);
  void find_external(double t, std::span<const double> y);

  double position_slack(double limit) const;
  double speed_slack() const;
  double approach(std::size_t j, std::span<const double> y) const;
  int returns(const Joint& joint, double t) const;
  double rest_speed() const;
  bool accumulates(double t, std::span<const double> y) const;
  double restitution(std::size_t j, double speed) const;

  void end_slides(std::span<double> y);
  void touch_stops(std::span<double> y);
  void impacts(double t, std::span<double> y);
  bool impact(double t, std::span<double> y);
  std::pair<double, double> impulse_bounds(const Joint& joint, bool stays) const;
  void find_modes(double t, std::span<double> y);
  void set_modes(std::span<const double> y);
  std::string what_changed(std::size_t j, const Joint& before) const;
  void factor_response_of_held(std::span<const double> q);

  // y: q, q̇, work of the drives, losses, work of wrenches where there are some, and what a moving base adds.
  std::size_t rates_at() const { return index(robot_->nq()); }
  std::size_t work_at() const { return rates_at() + index(nv()); }
  std::size_t base_at() const { return work_at() + (wrenches_ ? 3 : 2); }
  double position(std::span<const double> y, std::size_t j) const {
    return y[robot_->coordinates.position_of(Coordinate(j))];
  }
  double& position(std::span<double> y, std::size_t j) const {
    return y[robot_->coordinates.position_of(Coordinate(j))];
  }
  const JointLimits& limits(std::size_t j) const { return robot_->limits(Coordinate(j)); }
  const std::string& name(std::size_t j) const { return robot_->name_of(Coordinate(j)); }

  std::shared_ptr<const Mechanism> robot_;       // dry friction taken out: the modes bring it
  ByCoordinate<DriveConstants<double>> drives_;  // with it
  TorqueLaw law_;
  SimulationOptions options_;
  ForwardCall forward_;
  Call<double> energy_;
  WrenchLaw wrenches_;  // none: empty
  Pushes<double> pushes_;
  std::vector<ExternalWrench<double>> acting_;
  std::optional<CarriedBase> base_;  // where it moves
  HeldDynamics held_dynamics_;
  Factorization<double> inertia_;
  BoxProblem box_;
  std::vector<Joint> joints_;
  bool modes_ = true;
  std::vector<double> asked_, near_, far_;  // speeds that the law is asked about; what it gives on both sides of rest
  std::vector<double> tau_, external_, carried_, applied_, qdd_, hold_;
  std::vector<std::size_t> held_;  // those that are held, or that an event is about
  // Of the box problem over held_: columns of M⁻¹, their rows at held_, and the rest.
  std::vector<double> columns_, A_, b_, low_, high_, x_;
};

}  // namespace catena
