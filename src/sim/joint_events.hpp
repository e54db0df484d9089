// Events of the joints: the zero crossings that an integrator watches, the joints' positions when one fires, and what
// has changed since. Equations: docs/equations/friction_and_stops.md.
#pragma once

#include <span>
#include <string>

#include "catena/simulation.hpp"
#include "sim/right_hand_side.hpp"

namespace catena {

// Triggers fire this far beyond the actual place: closer to it, rounding and the integrator's error decide on which
// side a number lies, and a trigger must be positive at the start for its sign change to be detected.
double position_slack(double limit, double atol);

class JointEvents {
 public:
  JointEvents(RightHandSide& rhs, const SimulationOptions& options)
      : rhs_(rhs), atol_(options.atol), stops_(options.stops) {}

  // The event functions of the joints, four per joint, positive while the modes hold; an inactive one is 1.
  // One more with closed loops, positive while the coordinates are fit to describe them.
  std::size_t count() const { return 4 * rhs_.joints().size() + (rhs_.has_loops() ? 1 : 0); }
  bool is_fitness(std::size_t trigger) const { return trigger == 4 * rhs_.joints().size(); }
  void triggers(double t, std::span<const double> y, std::span<double> g);
  // Whether the state must be settled when the trigger fires.
  bool matters(std::size_t trigger) const;

  // With stops enabled: throws std::invalid_argument when a joint is beyond its limits.
  void require_within_stops(std::span<const double> y) const;
  // Removes the slack from y: a joint that has come to rest gets zero speed, and one at a stop exactly that position.
  void locate(std::span<double> y);

 private:
  void end_slides(std::span<double> y);
  void touch_stops(std::span<double> y);

  RightHandSide& rhs_;
  double atol_;
  bool stops_;
};

// "slips", "comes to rest", …; empty: nothing worth reporting.
std::string what_changed(const SimulatedJoint& before, const SimulatedJoint& now);

}  // namespace catena
