// --integrator, --rtol, --atol, --step and --max-steps: how a run is integrated.
#pragma once

#include <optional>
#include <string>

#include "catena/simulation.hpp"
#include "options/app.hpp"

namespace catena::cli {

struct IntegratorOptions {
  std::string integrator = "verner";
  std::optional<double> step, rtol, atol;
  std::optional<long> max_steps;

  void add(CLI::App& command);
  // Throws UsageError, also for an option that this integrator does not use.
  void set(SimulationOptions& options) const;
};

}  // namespace catena::cli
