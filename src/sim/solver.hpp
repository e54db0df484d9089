// One face for all integrators: advance to a time or to the first event, whichever comes first.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "catena/simulation.hpp"

namespace catena {

// What is integrated. Both functions may throw; the exception comes out of Solver::advance.
struct InitialValueProblem {
  std::size_t size = 0, trigger_count = 0;
  std::function<void(double t, std::span<const double> y, std::span<double> ydot)> derivative;
  std::function<void(double t, std::span<const double> y, std::span<double> g)> triggers;
  std::vector<int> directions;  // of the triggers, as in Event
};

class Solver {
 public:
  virtual ~Solver() = default;
  // Starts anew from (t, y): at the beginning and after a jump.
  virtual void restart(double t, std::span<const double> y) = 0;
  // Moves (t, y) on to t_out exactly, or to the first trigger before it. Returns the triggers that fired; none: t_out
  // reached.
  virtual std::vector<std::size_t> advance(double t_out, double& t, std::span<double> y) = 0;
  virtual long steps() const = 0;
  virtual long evaluations() const = 0;
};

std::unique_ptr<Solver> make_solver(const SimulationOptions& options, InitialValueProblem problem);

}  // namespace catena
