// The robot as an ordinary differential equation with modes. State y = (q, q̇, work, losses). Each joint slides one way,
// slides the other way, or is held (by dry friction or against a stop); modes change only at events, so that between
// them the right-hand side is smooth. Equations: docs/equations/friction_and_stops.md.
#pragma once

#include <string>
#include <vector>

#include "catena/dynamics/call.hpp"
#include "catena/sim/simulation.hpp"

namespace catena {

class Plant {
 public:
  Plant(const Mechanism& robot, TorqueLaw law, const SimulationOptions& options);

  int n() const { return robot_.n(); }
  std::size_t size() const { return 2 * index(n()) + 2; }

  // ẏ. Throws std::domain_error when the law's torque or the acceleration is not finite.
  void derivative(double t, std::span<const double> y, std::span<double> ydot);

  // Friction by modes and located events (true) or by the sign of q̇ alone (fixed steps).
  void use_modes(bool on) { modes_ = on; }
  // Sets every mode from the state: at the start and after anything that jumps.
  void settle(double t, std::span<double> y);

  // The event functions of the joints, four a joint; one that is not in force is 1.
  std::size_t trigger_count() const { return 4 * index(n()); }
  void triggers(double t, std::span<const double> y, std::span<double> g);
  // Trigger k became zero: changes modes and jumps velocities as physics says. Empty when nothing is worth a record.
  std::string handle(std::size_t k, double t, std::span<double> y);

  void replace_law(TorqueLaw law) { law_ = std::move(law); }
  // A changed robot: speeds stay, the energy that appears or vanishes with the parts does so unaccounted; see
  // docs/simulation.md.
  void replace_robot(const Mechanism& robot);

  Sample sample(double t, std::span<const double> y);

 private:
  enum class Mode { sliding_down = -1, held = 0, sliding_up = 1, free = 2 };  // free: no dry friction, no stop
  struct Joint {
    Mode mode = Mode::free;
    bool at_lower = false, at_upper = false;  // held against that stop
    double coulomb = 0.0;
    double hold = 0.0;  // torque that keeps it held
  };

  void torques(double t, std::span<const double> y);
  void accelerate(std::span<const double> y);
  struct Energies {
    double kinetic, potential;
  };
  Energies energies(std::span<const double> y);
  bool release_overloaded(double t, std::span<double> y);
  double hold_low(const Joint& j) const;
  double hold_high(const Joint& j) const;
  void impact(std::size_t j, double speed_after, std::span<double> y);
  std::span<const double> q(std::span<const double> y) const { return y.subspan(0, index(n())); }
  std::span<const double> qd(std::span<const double> y) const { return y.subspan(index(n()), index(n())); }

  Mechanism robot_;  // dry friction taken out: the modes bring it
  TorqueLaw law_;
  SimulationOptions options_;
  ForwardCall forward_;
  Call<double> energy_;
  std::vector<Joint> joints_;
  bool modes_ = true;
  std::vector<double> tau_, applied_, qdd_, column_, response_, matrix_, rhs_;
  std::vector<std::size_t> held_;
};

}  // namespace catena
