// A frame's coordinates as typed, and the models in these coordinates as JSON and text.
#pragma once

#include <optional>
#include <string>

#include "catena/control.hpp"
#include "options/app.hpp"
#include "output/output.hpp"

namespace catena::cli {

struct CartesianChoice {
  std::string frame, coordinates = "velocity";
  std::optional<std::string> rows;
  double damping = 0.0;

  void add(CLI::App& command);                     // --coordinates, --rows, --damping; --frame is the command's own
  static std::vector<std::string> option_names();  // the ones above
  // Throws UsageError.
  CartesianDynamics make(const Mechanism& robot) const;
  std::size_t row_count() const;
};

// The motion of a frame and the forces on it: frame, rows, chi, J, …; notes on stderr where the Jacobian was damped.
Json motion_json(const CartesianMotion& motion, std::size_t joints);
void put_model(const CartesianModel& model, Json& out);           // D_chi, C_chi, G_chi, f
void put_linear(const CartesianLinearization& model, Json& out);  // D_hat, V_hat, P_hat
// Prints the parts that `result` contains.
std::string cartesian_text(const Json& result, const std::vector<std::string>& joints);
void note_damping(const CartesianMotion& motion);

}  // namespace catena::cli
