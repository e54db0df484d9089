// The common interface of all integrators: advance to a time or to the first event, whichever comes first.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "catena/simulation.hpp"

namespace catena {

// What is integrated. Both functions may throw; Solver::advance passes the exception on.
struct InitialValueProblem {
  std::size_t size = 0, trigger_count = 0;
  std::function<void(double t, std::span<const double> y, std::span<double> ydot)> derivative;
  std::function<void(double t, std::span<const double> y, std::span<double> g)> triggers;
  std::vector<int> directions;  // for each trigger, as in Event
};

class Solver {
 public:
  virtual ~Solver() = default;
  // Starts from (t, y): at the beginning and after a jump.
  virtual void restart(double t, std::span<const double> y) = 0;
  // Advances (t, y) to exactly t_out, or to the first trigger before it. Returns the triggers that fired; empty: t_out
  // was reached.
  virtual std::vector<std::size_t> advance(double t_out, double& t, std::span<double> y) = 0;
  virtual long steps() const = 0;
  virtual long evaluations() const = 0;
};

std::unique_ptr<Solver> make_solver(const SimulationOptions& options, InitialValueProblem problem);

}  // namespace catena
