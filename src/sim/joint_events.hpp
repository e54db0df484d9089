// Events of the joints: the zero crossings that an integrator watches, where joints are when one fires, and what has
// changed since. Equations: docs/equations/friction_and_stops.md.
#pragma once

#include <span>
#include <string>

#include "catena/simulation.hpp"
#include "sim/right_hand_side.hpp"

namespace catena {

// Triggers fire this far beyond the place where something happens: so near, rounding and the integrator's error decide
// on which side a number lies, and a trigger must be positive at the start to be seen to change its sign.
double position_slack(double limit, double atol);

class JointEvents {
 public:
  JointEvents(RightHandSide& rhs, const SimulationOptions& options)
      : rhs_(rhs), atol_(options.atol), stops_(options.stops) {}

  // The event functions of the joints, four a joint, positive while the modes hold; one that is not in force is 1.
  std::size_t count() const { return 4 * rhs_.joints().size(); }
  void triggers(double t, std::span<const double> y, std::span<double> g);
  // Whether the state is to be settled when the trigger fires.
  bool matters(std::size_t trigger) const;

  // With stops: throws std::invalid_argument when a joint is beyond its limits.
  void require_within_stops(std::span<const double> q) const;
  // Takes the slack out of y: what has come to rest has no speed, and what is at a stop is exactly there.
  void locate(std::span<double> y);

 private:
  void end_slides(std::span<double> y);
  void touch_stops(std::span<double> y);

  RightHandSide& rhs_;
  double atol_;
  bool stops_;
};

// "slips", "comes to rest", …; empty: nothing to speak of.
std::string what_changed(const SimulatedJoint& before, const SimulatedJoint& now);

}  // namespace catena
