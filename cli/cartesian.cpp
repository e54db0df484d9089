// catena cartesian: the model in the coordinates of a frame, and linearized in them.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>

#include "catena/control/cartesian_model.hpp"
#include "command.hpp"
#include "support/companions.hpp"
#include "support/errors.hpp"
#include "support/frames.hpp"
#include "support/model_options.hpp"
#include "support/numbers.hpp"
#include "support/output.hpp"

namespace catena::cli {
namespace cartesian_command {

struct Options {
  ModelOptions model;
  std::optional<std::string> q, qd, qdd, rows;
  std::string frame, coordinates = "velocity";
  double damping = 0.0;
  bool deg = false, linearize = false, json = false;
};

// In the order of Coordinates.
const std::vector<std::string>& kinds() {
  static const std::vector<std::string> words{"position", "velocity", "rpy", "zyz"};
  return words;
}
Coordinates coordinates_of(const std::string& word) {
  return static_cast<Coordinates>(std::find(kinds().begin(), kinds().end(), word) - kinds().begin());
}

// "x,y,yaw" as numbers of rows, ascending.
std::vector<int> parse_rows(const std::string& text, Coordinates coordinates) {
  const std::vector<std::string> names = row_names(coordinates);
  std::vector<int> rows;
  for (std::size_t from = 0; from <= text.size();) {
    const std::size_t to = std::min(text.find(',', from), text.size());
    const std::string word = text.substr(from, to - from);
    const auto found = std::find(names.begin(), names.end(), word);
    if (found == names.end())
      throw UsageError(fmt::format("--rows: there is no row '{}'; {} has {}", printable(word),
                                   kinds()[static_cast<std::size_t>(coordinates)], fmt::join(names, ", ")));
    const int row = static_cast<int>(found - names.begin());
    if (std::find(rows.begin(), rows.end(), row) != rows.end())
      throw UsageError(fmt::format("--rows: '{}' is there twice", word));
    rows.push_back(row);
    from = to + 1;
  }
  std::sort(rows.begin(), rows.end());
  return rows;
}

void put_motion(const CartesianMotion& motion, std::size_t joints, Json& out) {
  const auto rows = [&](const std::vector<double>& entries, std::size_t height, std::size_t width) {
    return width == 0 ? Rows(height) : rows_of(entries, width);
  };
  const std::size_t m = motion.names.size();
  out["rows"] = motion.names;
  out["chi"] = motion.position;
  out["chi_dot"] = motion.velocity;
  out["chi_ddot"] = motion.acceleration;
  out["J"] = rows(motion.J, m, joints);
  out["Jdot"] = rows(motion.J_dot, m, joints);
  out["Jddot"] = rows(motion.J_ddot, m, joints);
  out["Jinv"] = rows_of(motion.inverse, m);
  out["manipulability"] = motion.manipulability;
  out["condition"] = motion.condition;
  out["smallest_singular_value"] = motion.smallest_singular_value;
  out["damped"] = motion.damped();
  out["damping"] = motion.damping;
}

Json compute(const Options& options, const Robot& robot, const Mechanism& mechanism) {
  const Coordinates coordinates = coordinates_of(options.coordinates);
  const std::vector<double> q = joint_vector(options.q, "--q", robot, options.deg);
  const std::vector<double> qd = joint_vector(options.qd, "--qd", robot, options.deg);
  const std::vector<double> qdd = joint_vector(options.qdd, "--qdd", robot, options.deg);
  const int frame = frame_index(mechanism, options.frame);
  CartesianOptions how{.damping = options.damping};
  if (options.rows) how.rows = parse_rows(*options.rows, coordinates);
  CartesianDynamics dynamics(mechanism, frame, coordinates, how);
  const CartesianModel model = dynamics.model(q, qd, qdd);
  Json out{{"frame", mechanism.frames[index(frame)].name}, {"coordinates", options.coordinates}};
  put_motion(model, q.size(), out);
  const std::size_t m = model.names.size();
  out["D_chi"] = rows_of(model.D, m);
  out["C_chi"] = model.C;
  out["G_chi"] = model.G;
  out["f"] = model.f;
  if (options.linearize) {
    const CartesianLinearization linear = dynamics.linearize(q, qd, qdd);
    out["D_hat"] = rows_of(linear.D, m);
    out["V_hat"] = rows_of(linear.V, m);
    out["P_hat"] = rows_of(linear.P, m);
  }
  if (model.damped())
    note(fmt::format(
        "catena: the Jacobian is near singular (smallest singular value {:.3g}): inverted with a damping of "
        "{:.3g}, so that results are not exact",
        model.smallest_singular_value, model.damping));
  return out;
}

std::string text(const Json& result, const std::vector<std::string>& joints) {
  const auto names = result["rows"].get<std::vector<std::string>>();
  std::string out = fmt::format("frame {}, seen from the base; rows {}\n", result["frame"].get<std::string>(),
                                fmt::join(names, ", "));
  const auto columns = [&](const std::vector<const char*>& keys) {
    Rows rows(names.size());
    for (std::size_t i = 0; i < names.size(); ++i)
      for (const char* key : keys) rows[i].push_back(result[key][i]);
    return matrix_text(rows, names);
  };
  const bool all = result["chi"].size() == names.size();  // angular velocities are rates of no coordinates
  out += all ? "chi, its velocity and acceleration\n" + columns({"chi", "chi_dot", "chi_ddot"})
             : "velocity and acceleration\n" + columns({"chi_dot", "chi_ddot"});
  out += "J\n" + matrix_text(result["J"].get<Rows>(), names);
  out += "D_chi\n" + matrix_text(result["D_chi"].get<Rows>(), names);
  out += "C_chi, G_chi and f = D_chi acceleration + C_chi + G_chi\n" + columns({"C_chi", "G_chi", "f"});
  if (result.contains("D_hat"))
    for (const char* key : {"D_hat", "V_hat", "P_hat"})
      out += fmt::format("{}\n", key) + matrix_text(result[key].get<Rows>(), joints);
  out += fmt::format("manipulability    {:.6g}\ncondition number  {:.6g}\n", result["manipulability"].get<double>(),
                     result["condition"].get<double>());
  if (result["damped"].get<bool>()) out += fmt::format("damping           {:.6g}\n", result["damping"].get<double>());
  return out;
}

}  // namespace cartesian_command

void add_cartesian(CLI::App& program) {
  using namespace cartesian_command;
  const auto options = std::make_shared<Options>();
  CLI::App* command = add_command(
      program, "cartesian",
      "The model in the coordinates of a frame: inertia, velocity terms, gravity, force; linearized",
      "  catena cartesian ur5 --q 0,-1,1,0,1,0 --qd 0.1,0,0,0,0,0\n"
      "  catena cartesian ur5 --q 0,-1,1,0,1,0 --coordinates rpy --linearize --json\n"
      "  catena cartesian planar2r --q 0.3,0.7 --coordinates position --rows x,y\n"
      "  catena cartesian ur5 --q 0,-1,1,0,0,0 --damping 0.02\n"
      "\n"
      "f = D_chi chi_ddot + C_chi + G_chi, with the frame's origin x, y, z and, except for position, its rotation: as\n"
      "angular velocity (velocity), roll, pitch, yaw (rpy) or the angles of Rz Ry Rz (zyz). --linearize adds\n"
      "dtau = D_hat dchi_ddot + V_hat dchi_dot + P_hat dchi. With more joints than rows the Jacobian's inverse is the\n"
      "dynamically consistent one. A singular Jacobian is an error, exit status 1, unless --damping allows for it.");
  options->model.add_dynamics(*command);
  command->add_option("--q", options->q, "joint positions, rad and m; or JOINT=X,...; default all 0")
      ->type_name("Q1,Q2,...");
  command->add_option("--qd", options->qd, "joint velocities; default all 0")->type_name("V1,V2,...");
  command->add_option("--qdd", options->qdd, "joint accelerations; default all 0")->type_name("A1,A2,...");
  command->add_flag("--deg", options->deg, "revolute joints in degrees; results stay in radians");
  goes_with(*command, "--deg", {"--q", "--qd", "--qdd", "--lock"});
  command->add_option("--frame", options->frame, "a link or frame; default the model's tool")->type_name("NAME");
  command->add_option("--coordinates", options->coordinates, "what the rows are; default velocity")
      ->type_name(fmt::format("{}", fmt::join(kinds(), "|")))
      ->check(one_of(kinds()));
  command->add_option("--rows", options->rows, "only these rows: x,y,yaw")->type_name("NAME,NAME");
  command->add_flag("--linearize", options->linearize, "the linearized model as well");
  command
      ->add_option("--damping", options->damping,
                   "damp the inverse of the Jacobian where its smallest singular value is below X")
      ->type_name("X");
  command->add_flag("--json", options->json, "print one JSON object: frame, rows, chi, J, D_chi, …");
  command->callback([options] {
    if (!(options->damping >= 0.0) || !std::isfinite(options->damping))
      throw UsageError("--damping must be a number, positive or 0");
    const Robot robot = options->model.load();
    const Mechanism mechanism = options->model.mechanism(robot);
    const Json result = compute(*options, robot, mechanism);
    emit(options->json ? json_line(result) : text(result, mechanism.joint_names));
  });
}

}  // namespace catena::cli
