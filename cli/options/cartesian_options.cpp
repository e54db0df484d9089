#include "options/cartesian_options.hpp"

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <cmath>

#include "command.hpp"
#include "options/frames.hpp"
#include "terminal/errors.hpp"
#include "terminal/words.hpp"

namespace catena::cli {
namespace {

std::vector<std::string> kinds() { return {std::begin(frame_coordinate_names), std::end(frame_coordinate_names)}; }

FrameCoordinates coordinates_of(const std::string& word) {
  const auto found = std::find(std::begin(frame_coordinate_names), std::end(frame_coordinate_names), word);
  return static_cast<FrameCoordinates>(found - std::begin(frame_coordinate_names));
}

// "x,y,yaw" as row numbers, ascending.
std::vector<int> parse_rows(const std::string& text, FrameCoordinates coordinates) {
  const std::vector<std::string> names = row_names(coordinates);
  std::vector<int> rows;
  for (const std::string& word : split(text, ',')) {
    const auto found = std::find(names.begin(), names.end(), word);
    if (found == names.end())
      throw UsageError(fmt::format("--rows: there is no row '{}'; {} has {}", printable(word),
                                   frame_coordinate_names[static_cast<std::size_t>(coordinates)],
                                   fmt::join(names, ", ")));
    const int row = static_cast<int>(found - names.begin());
    if (std::find(rows.begin(), rows.end(), row) != rows.end())
      throw UsageError(fmt::format("--rows: '{}' is given twice", word));
    rows.push_back(row);
  }
  std::sort(rows.begin(), rows.end());
  return rows;
}

}  // namespace

std::vector<std::string> CartesianChoice::option_names() { return {"--coordinates", "--rows", "--damping"}; }

void CartesianChoice::add(CLI::App& command) {
  command.add_option("--coordinates", coordinates, "which coordinates the rows are; default velocity")
      ->type_name(fmt::format("{}", fmt::join(kinds(), "|")))
      ->check(one_of(kinds()));
  command.add_option("--rows", rows, "only these rows: x,y,yaw")->type_name("NAME,NAME");
  command
      .add_option("--damping", damping, "damp the inverse of the Jacobian where its smallest singular value is below X")
      ->type_name("X");
}

CartesianDynamics CartesianChoice::make(const Mechanism& robot) const {
  if (!(damping >= 0.0) || !std::isfinite(damping)) throw UsageError("--damping must be a number, positive or 0");
  const FrameCoordinates kind = coordinates_of(coordinates);
  CartesianOptions how{.damping = damping};
  if (rows) how.rows = parse_rows(*rows, kind);
  return {robot, frame_index(robot, frame), kind, how};
}

std::size_t CartesianChoice::row_count() const {
  const FrameCoordinates kind = coordinates_of(coordinates);
  return rows ? parse_rows(*rows, kind).size() : row_names(kind).size();
}

Json motion_json(const CartesianMotion& motion, std::size_t joints) {
  const std::size_t m = motion.names.size();
  const auto rows = [&](const std::vector<double>& entries) {
    return joints == 0 ? Rows(m) : rows_of(entries, joints);
  };
  return {{"rows", motion.names},
          {"chi", motion.position},
          {"chi_dot", motion.velocity},
          {"chi_ddot", motion.acceleration},
          {"J", rows(motion.J)},
          {"Jdot", rows(motion.J_dot)},
          {"Jddot", rows(motion.J_ddot)},
          {"Jinv", rows_of(motion.inverse, m)},
          {"manipulability", motion.manipulability},
          {"condition", motion.condition},
          {"smallest_singular_value", motion.smallest_singular_value},
          {"damped", motion.damped()},
          {"damping", motion.damping}};
}
void put_model(const CartesianModel& model, Json& out) {
  out["D_chi"] = rows_of(model.D, model.names.size());
  out["C_chi"] = model.C;
  out["G_chi"] = model.G;
  out["W_chi"] = model.W;
  out["f"] = model.f;
}
void put_linear(const CartesianLinearization& model, Json& out) {
  const std::size_t m = model.names.size();
  out["D_hat"] = rows_of(model.D, m);
  out["V_hat"] = rows_of(model.V, m);
  out["P_hat"] = rows_of(model.P, m);
}

void note_damping(const CartesianMotion& motion) {
  if (!motion.damped()) return;
  note(
      fmt::format("catena: the Jacobian is nearly singular (smallest singular value {:.3g}): it was inverted with a "
                  "damping of {:.3g}, so results are not exact",
                  motion.smallest_singular_value, motion.damping));
}

std::string cartesian_text(const Json& result, const std::vector<std::string>& joints) {
  const auto names = result["rows"].get<std::vector<std::string>>();
  std::string out = fmt::format("frame {}, seen from the base; rows {}\n", result["frame"].get<std::string>(),
                                fmt::join(names, ", "));
  const auto columns = [&](const std::vector<const char*>& keys) {
    Rows rows(names.size());
    for (std::size_t i = 0; i < names.size(); ++i)
      for (const char* key : keys) rows[i].push_back(result[key][i]);
    return matrix_text(rows, names);
  };
  const bool all = result["chi"].size() == names.size();  // angular velocities are not rates of any coordinates
  out += all ? "chi, its velocity and acceleration\n" + columns({"chi", "chi_dot", "chi_ddot"})
             : "velocity and acceleration\n" + columns({"chi_dot", "chi_ddot"});
  out += "J\n" + matrix_text(result["J"].get<Rows>(), names);
  if (result.contains("D_chi")) {
    out += "D_chi\n" + matrix_text(result["D_chi"].get<Rows>(), names);
    out += "C_chi, G_chi, W_chi of wrenches, and f = D_chi acceleration + C_chi + G_chi - W_chi\n" +
           columns({"C_chi", "G_chi", "W_chi", "f"});
  }
  if (result.contains("D_hat"))
    for (const char* key : {"D_hat", "V_hat", "P_hat"})
      out += fmt::format("{}\n", key) + matrix_text(result[key].get<Rows>(), joints);
  out += fmt::format("manipulability    {:.6g}\ncondition number  {:.6g}\n", result["manipulability"].get<double>(),
                     result["condition"].get<double>());
  if (result["damped"].get<bool>()) out += fmt::format("damping           {:.6g}\n", result["damping"].get<double>());
  return out;
}

}  // namespace catena::cli
