#include "options/integrator_options.hpp"

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <string_view>
#include <vector>

#include "terminal/errors.hpp"

namespace catena::cli {
namespace {

std::string integrators_named(bool fixed_step) {
  std::vector<std::string_view> names;
  for (const std::string_view name : integrator_names())
    if (has_fixed_step(*integrator_from_name(name)) == fixed_step) names.push_back(name);
  return fmt::format("{}", fmt::join(names, ", "));
}

}  // namespace

void IntegratorOptions::add(CLI::App& command) {
  command.add_option("--rtol", rtol, "relative tolerance; default 1e-9")->type_name("R");
  command.add_option("--atol", atol, "absolute tolerance; default 1e-11")->type_name("A");
  command
      .add_option("--integrator", integrator, fmt::format("{}; default verner", fmt::join(integrator_names(), ", ")))
      ->type_name("NAME");
  command.add_option("--step", step, "step of " + integrators_named(true) + ", s; default 1e-3")->type_name("H");
  command.add_option("--max-steps", max_steps, "the most steps to take; default 10000000")->type_name("N");
}

void IntegratorOptions::set(SimulationOptions& options) const {
  const auto known = integrator_from_name(integrator);
  if (!known)
    throw UsageError(
        fmt::format("--integrator: no '{}'; known: {}", printable(integrator), fmt::join(integrator_names(), ", ")));
  options.integrator = *known;
  options.rtol = rtol.value_or(options.rtol), options.atol = atol.value_or(options.atol);
  options.step = step.value_or(options.step), options.max_steps = max_steps.value_or(options.max_steps);
  const auto only = [&](bool given, bool fixed_step, const char* option) {
    if (given && has_fixed_step(*known) != fixed_step)
      throw UsageError(fmt::format("{} goes with --integrator {}", option, integrators_named(fixed_step)));
  };
  only(step.has_value(), true, "--step");
  only(rtol.has_value(), false, "--rtol");
  only(atol.has_value(), false, "--atol");
}

}  // namespace catena::cli
