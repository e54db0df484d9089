// catena kinematics: where a frame is and how it moves, seen from the base link frame.
#include <fmt/format.h>

#include <array>
#include <cmath>
#include <memory>
#include <optional>

#include "catena/dynamics/call.hpp"
#include "catena/dynamics/kinematics.hpp"
#include "catena/dynamics/kinematics/frames.hpp"
#include "command.hpp"
#include "support/companions.hpp"
#include "support/errors.hpp"
#include "support/frames.hpp"
#include "support/model_options.hpp"
#include "support/numbers.hpp"
#include "support/output.hpp"

namespace catena::cli {
namespace kinematics_command {

struct Options {
  ModelOptions model;
  std::optional<std::string> q, qd, qdd;
  std::string frame;
  bool deg = false, all = false, json = false;
};

Rows pose_rows(const Pose<double>& pose) {
  std::array<double, 16> entries{};
  put_pose<double>(pose, entries);
  return rows_of(entries, 4);
}

Rows jacobian_rows(const std::vector<JacobianColumn<double>>& columns) {
  const int n = static_cast<int>(columns.size());
  std::vector<double> entries(6 * columns.size());
  for (int j = 0; j < n; ++j) put_column<double>(columns[index(j)], j, n, entries);
  return n == 0 ? Rows(6) : rows_of(entries, columns.size());
}

std::vector<double> six(const Vec3<double>& linear, const Vec3<double>& angular) {
  std::vector<double> entries(6);
  put_column<double>({linear, angular}, 0, 1, entries);
  return entries;
}

void require_finite(const Json& value) {
  if (value.is_number_float() && !std::isfinite(value.get<double>()))
    throw std::domain_error("the result is not finite; the motion is too large for a double");
  if (value.is_structured())
    for (const auto& element : value) require_finite(element);
}

Json compute(const Options& options, const Robot& robot, const Mechanism& mechanism) {
  const std::vector<double> q = joint_vector(options.q, "--q", robot, options.deg);
  const std::vector<double> qd = joint_vector(options.qd, "--qd", robot, options.deg);
  const std::vector<double> qdd = joint_vector(options.qdd, "--qdd", robot, options.deg);
  const int frame = frame_index(mechanism, options.frame);
  Kinematics<double> kinematics(mechanism);
  kinematics.update(q, qd, qdd);
  std::array<double, 2> energies{};
  Call<double>(mechanism, "energy")({.q = q, .qd = qd}, energies);
  std::vector<JacobianColumn<double>> columns(q.size());
  kinematics.jacobian(frame, columns);
  Json out{{"frame", mechanism.frames[static_cast<std::size_t>(frame)].name},
           {"pose", pose_rows(kinematics.pose(frame))},
           {"J", jacobian_rows(columns)}};
  if (options.qd || options.qdd) {
    kinematics.jacobian_derivative(frame, columns);
    const FrameMotion<double> motion = kinematics.motion(frame);
    out["Jdot"] = jacobian_rows(columns);
    out["velocity"] = six(motion.velocity, motion.omega);
    out["acceleration"] = six(motion.acceleration, motion.omega_dot);
    out["kinetic_energy"] = energies[0];
  }
  out["potential_energy"] = energies[1];
  if (options.all)
    for (std::size_t k = 0; k < mechanism.frames.size(); ++k)
      out["poses"][mechanism.frames[k].name] = pose_rows(kinematics.pose(static_cast<int>(k)));
  require_finite(out);
  return out;
}

std::string text(const Json& result) {
  const std::vector<std::string> axes{"vx", "vy", "vz", "wx", "wy", "wz"};
  std::string out = fmt::format("frame {}, seen from the base\n", result["frame"].get<std::string>());
  out += "pose\n" + matrix_text(result["pose"].get<Rows>());
  out += "J\n" + matrix_text(result["J"].get<Rows>(), axes);
  if (result.contains("Jdot")) {
    out += "Jdot\n" + matrix_text(result["Jdot"].get<Rows>(), axes);
    Rows motion(6);
    for (std::size_t i = 0; i < 6; ++i) motion[i] = {result["velocity"][i], result["acceleration"][i]};
    out += "velocity and acceleration\n" + matrix_text(motion, axes);
    out += fmt::format("kinetic energy    {:.10g} J\n", result["kinetic_energy"].get<double>());
  }
  out += fmt::format("potential energy  {:.10g} J\n", result["potential_energy"].get<double>());
  if (result.contains("poses"))
    for (const auto& [name, pose] : result["poses"].items())
      out += fmt::format("pose of {}\n", name) + matrix_text(pose.get<Rows>());
  return out;
}

}  // namespace kinematics_command

void add_kinematics(CLI::App& program) {
  using namespace kinematics_command;
  const auto options = std::make_shared<Options>();
  CLI::App* command = add_command(
      program, "kinematics", "Pose, Jacobian, velocity and acceleration of a frame, and the energies",
      "  catena kinematics ur5 --q 0,-90,90,0,0,0 --deg --frame tool0\n"
      "  catena kinematics planar2r --q 0.1,0.2 --qd 1,0 --qdd 0,1 --json\n"
      "\n"
      "Everything is seen from the base link frame. J is 6 x n: rows are the linear velocity x, y, z of the frame's\n"
      "origin, then the angular velocity x, y, z; velocity and acceleration have the same order.");
  options->model.add_dynamics(*command);
  command->add_option("--q", options->q, "joint positions, rad and m; or JOINT=X,...; default all 0")
      ->type_name("Q1,Q2,...");
  command->add_option("--qd", options->qd, "joint velocities: adds Jdot, velocity, acceleration, kinetic_energy")
      ->type_name("V1,V2,...");
  command->add_option("--qdd", options->qdd, "joint accelerations; default all 0")->type_name("A1,A2,...");
  command->add_flag("--deg", options->deg, "revolute joints in degrees");
  goes_with(*command, "--deg", {"--q", "--qd", "--qdd", "--lock"});
  command->add_option("--frame", options->frame, "a link or frame; default the model's tool")->type_name("NAME");
  command->add_flag("--all", options->all, "poses of all frames as well");
  command->add_flag("--json", options->json, "print one JSON object: frame, pose, J, …");
  command->callback([options] {
    const Robot robot = options->model.load();
    const Json result = compute(*options, robot, options->model.mechanism(robot));
    emit(options->json ? json_line(result) : text(result));
  });
}

}  // namespace catena::cli
