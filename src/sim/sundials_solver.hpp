#pragma once

#include "sim/solver.hpp"

namespace catena {

std::unique_ptr<Solver> make_arkode(const SimulationOptions& options, InitialValueProblem problem);
std::unique_ptr<Solver> make_cvode(const SimulationOptions& options, InitialValueProblem problem);

}  // namespace catena
