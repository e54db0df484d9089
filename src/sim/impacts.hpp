// What happens to joints at one instant: speeds jump where stops are hit, and then friction and stops hold as many
// joints as they can. Both involve all joints at once: each is a box problem over those that could be held. Equations:
// docs/equations/friction_and_stops.md (3)-(5).
#pragma once

#include <limits>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "catena/factorization.hpp"
#include "catena/simulation.hpp"
#include "sim/box_problem.hpp"
#include "sim/right_hand_side.hpp"

namespace catena {

class Impacts {
 public:
  Impacts(RightHandSide& rhs, const SimulationOptions& options);

  // Call this after the robot of the right-hand side was replaced.
  void replace_robot() { inertia_ = Factorization<double>(rhs_.robot()); }

  // Lets joints that are at their stops hit them: changes the speeds and losses of y.
  void happen(double t, std::span<double> y);
  // "hits its upper stop at …", from the latest happen(); empty: it hit none.
  std::string what_hit(std::size_t j) const;

  // Finds each joint's mode from its speed, and for a joint at rest from what can hold it.
  void find_modes(double t, std::span<const double> y);

 private:
  static constexpr double infinity = std::numeric_limits<double>::infinity();
  struct Hit {
    double at = -infinity;             // when a stop was last hit
    JointStop stop = JointStop::none;  // and which
    int returns = 0;                   // number of quick returns in a row to this stop
    double speed = 0.0;                // of the impact at this instant; 0: none
  };

  bool impact(double t, std::span<double> y);
  void strike(double t, std::span<double> y);
  double approach(std::size_t j, std::span<const double> y) const;
  int returns(std::size_t j, double t) const;
  bool accumulates(double t, std::span<const double> y) const;
  double restitution(std::size_t j, double speed) const;
  std::pair<double, double> impulse_bounds(const SimulatedJoint& joint, bool stays) const;

  void set_modes(std::span<const double> y);
  void find_slack(double t, std::span<const double> y, double largest);
  void factor_response_of_held(std::span<const double> y, std::span<const std::size_t> held);

  RightHandSide& rhs_;
  double restitution_, rest_speed_, rest_time_;
  Factorization<double> inertia_;
  BoxProblem box_;
  std::vector<Hit> hits_;
  std::vector<std::size_t> struck_;      // joints that take part in an impact
  std::vector<double> before_, wanted_;  // their speeds before it, and the speeds after it that the stops ask for
  // The box problem: columns of M⁻¹ at its joints, their rows at these joints, and the other data.
  std::vector<double> rows_, columns_, A_, b_, low_, high_, x_;
};

}  // namespace catena
