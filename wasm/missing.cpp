// What the module does without: other levels of instructions, SUNDIALS' integrators, URDF. The page gets its robots as
// TOML and moves them by fixed steps.
#include <stdexcept>

#include "io/reading.hpp"
#include "run/compiled_level.hpp"
#include "sim/sundials_solver.hpp"

namespace catena {

std::span<const CompiledLevel> compiled_levels() { return {}; }

std::unique_ptr<Solver> make_arkode(const SimulationOptions&, InitialValueProblem) {
  throw std::invalid_argument("the page integrates by fixed steps");
}
std::unique_ptr<Solver> make_cvode(const SimulationOptions&, InitialValueProblem) {
  throw std::invalid_argument("the page integrates by fixed steps");
}

namespace io {
Reading read_urdf(std::string_view) { throw std::invalid_argument("the page reads TOML"); }
}  // namespace io

}  // namespace catena
