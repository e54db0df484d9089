// What the module leaves out: SUNDIALS' integrators, URDF, MJCF, SDF and xacro. The page gets robots as TOML and moves
// them by fixed steps.
#include <stdexcept>

#include "c/models.hpp"
#include "catena/robot_file.hpp"
#include "io/reading.hpp"
#include "io/visuals.hpp"
#include "io/xacro.hpp"
#include "sim/sundials_solver.hpp"

namespace catena {

std::unique_ptr<Solver> make_arkode(const SimulationOptions&, InitialValueProblem) {
  throw std::invalid_argument("the page integrates by fixed steps");
}
std::unique_ptr<Solver> make_cvode(const SimulationOptions&, InitialValueProblem) {
  throw std::invalid_argument("the page integrates by fixed steps");
}

std::string to_urdf(const Robot&) { throw std::invalid_argument("the page writes TOML"); }
std::string to_mjcf(const Robot&) { throw std::invalid_argument("the page writes TOML"); }

Robot c::load_model(const std::string&, const LoadOptions&) { throw std::invalid_argument("the page reads TOML"); }

namespace io {
Reading read_urdf(const RobotText&) { throw std::invalid_argument("the page reads TOML"); }
bool is_xacro(std::string_view) { return false; }
std::string expand_xacro(std::string_view, const std::string&, bool, const LoadOptions&) {
  throw std::invalid_argument("the page reads TOML");
}
Reading read_mjcf(const RobotText&) { throw std::invalid_argument("the page reads TOML"); }
Reading read_sdf(const RobotText&) { throw std::invalid_argument("the page reads TOML"); }
std::vector<Visual> urdf_visuals(const RobotText&) { return {}; }
std::vector<Visual> mjcf_visuals(const RobotText&) { return {}; }
std::vector<Visual> sdf_visuals(const RobotText&) { return {}; }
}  // namespace io

}  // namespace catena
