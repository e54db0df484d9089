// catena kinematics: where a frame is and how it moves, seen from the base link frame; with --solve, the joint
// positions that bring the frame to a target.
#include <fmt/format.h>

#include <array>
#include <cmath>
#include <memory>
#include <numbers>
#include <optional>

#include "catena/call.hpp"
#include "catena/control.hpp"
#include "catena/inverse_kinematics.hpp"
#include "catena/kinematics.hpp"
#include "command.hpp"
#include "formulations/kinematics/frames.hpp"
#include "model/assemblies.hpp"
#include "options/companions.hpp"
#include "options/frames.hpp"
#include "options/model_options.hpp"
#include "options/numbers.hpp"
#include "options/targets.hpp"
#include "output/output.hpp"
#include "report/ellipsoids.hpp"
#include "terminal/errors.hpp"
#include "terminal/words.hpp"

namespace catena::cli {
namespace kinematics_command {

struct Options {
  ModelOptions model;
  std::optional<std::string> q, qd, qdd, solve;
  std::string frame;
  bool deg = false, all = false, json = false, assemblies = false, ellipsoids = false;
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

// The position, and the rotation as three numbers in every convention.
Json chi_json(const Pose<double>& pose) {
  const auto list = [](const Vec3<double>& v) { return std::vector<double>{v.x, v.y, v.z}; };
  Json out{{"position", list(pose.p)}};
  for (const AngleConvention& convention : angle_conventions)
    out[std::string(convention.name)] = list(angles_of(pose.R, convention));
  out["rotation_vector"] = list(rotation_vector(pose.R));
  return out;
}

// The dexterity of J, and of its rows for the velocity and for the angular velocity.
Json dexterity_json(const std::vector<JacobianColumn<double>>& columns) {
  const std::size_t n = columns.size();
  std::vector<double> J(6 * n);
  for (std::size_t j = 0; j < n; ++j) put_column<double>(columns[j], static_cast<int>(j), static_cast<int>(n), J);
  const auto of = [&](std::size_t first, std::size_t rows) -> Json {
    const Dexterity d = dexterity(std::span<const double>(J).subspan(first * n, rows * n), rows, n);
    Json out{{"manipulability", d.manipulability}};
    out["condition"] = std::isfinite(d.condition) ? Json(d.condition) : Json(nullptr);
    out["smallest_singular_value"] = d.smallest_singular_value;
    return out;
  };
  return {{"J", of(0, 6)}, {"translation", of(0, 3)}, {"rotation", of(3, 3)}};
}

std::string ellipsoids_text(const Json& all) {
  std::string out = fmt::format("ellipsoids at the frame: speeds of norm 1, {} of norm 1, inertia that resists\n",
                                all["by_efforts"].get<bool>() ? "shares of the efforts" : "torques");
  TextTable table;
  table.column("", TextTable::Align::left);
  for (const char* title : {"half axis", "x", "y", "z", "isotropy"}) table.column(title);
  for (const char* part : {"translation", "rotation"})
    for (const char* kind : {"velocity", "acceleration", "inertia"}) {
      const Json& own = all[part][kind];
      for (std::size_t k = 0; k < 3; ++k) {
        const auto axis = own["axes"][k].get<std::vector<double>>();
        std::vector<std::string> row{k == 0 ? fmt::format("{} {}", part, kind) : ""};
        row.push_back(own["lengths"][k].is_null() ? "infinite"
                                                  : fmt::format("{:.6g}", own["lengths"][k].get<double>()));
        for (const double entry : axis) row.push_back(fmt::format("{:.4f}", entry));
        row.push_back(k == 0 ? fmt::format("{:.4g}", own["isotropy"].get<double>()) : "");
        table.row(row);
      }
    }
  return out + table.text();
}

void require_finite(const Json& value) {
  if (value.is_number_float() && !std::isfinite(value.get<double>()))
    throw std::domain_error("the result is not finite; the motion is too large for a double");
  if (value.is_structured())
    for (const auto& element : value) require_finite(element);
}

Json compute(const Options& options, const Robot& robot, const Mechanism& mechanism) {
  const std::vector<double> q = position_vector(options.q, "--q", robot, options.deg);
  const std::vector<double> qd = joint_vector(options.qd, "--qd", robot, options.deg);
  const std::vector<double> qdd = joint_vector(options.qdd, "--qdd", robot, options.deg);
  const int frame = frame_index(mechanism, options.frame);
  Kinematics<double> kinematics(mechanism);
  kinematics.update(q, qd, qdd);
  std::array<double, 2> energies{};
  Call<double>(mechanism, "energy")({.q = q, .qd = qd}, energies);
  std::vector<JacobianColumn<double>> columns(qd.size());
  kinematics.jacobian(frame, columns);
  Json out{{"frame", mechanism.frames[static_cast<std::size_t>(frame)].name},
           {"pose", pose_rows(kinematics.pose(frame))},
           {"J", jacobian_rows(columns)}};
  out["chi"] = chi_json(kinematics.pose(frame));
  out["dexterity"] = dexterity_json(columns);
  if (options.ellipsoids) out["ellipsoids"] = report::ellipsoids_json(ellipsoids(mechanism, frame, q));
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
  if (options.assemblies) {
    for (const std::vector<double>& joints : find_assemblies(mechanism, q)) out["assemblies"].push_back(joints);
    out["joints"] = mechanism.joint_names.list();
  }
  require_finite(out);
  return out;
}

std::string text(const Json& result) {
  const std::vector<std::string> axes(std::begin(twist_rows), std::end(twist_rows));
  std::string out = fmt::format("frame {}, seen from the base\n", result["frame"].get<std::string>());
  out += "pose\n" + matrix_text(result["pose"].get<Rows>());
  Rows chi;
  std::vector<std::string> names;
  for (const auto& [name, numbers] : result["chi"].items()) {
    names.push_back(name == "rotation_vector" ? "rotation vector" : name);
    chi.push_back(numbers.get<std::vector<double>>());
  }
  out += "chi: the position, and the rotation by conventions\n" + matrix_text(chi, names);
  out += "J\n" + matrix_text(result["J"].get<Rows>(), axes);
  TextTable table;
  table.column("", TextTable::Align::left);
  for (const char* title : {"manipulability", "condition", "smallest singular value"}) table.column(title);
  for (const auto& [name, d] : result["dexterity"].items())
    table.row({name, fmt::format("{:.6g}", d["manipulability"].get<double>()),
               d["condition"].is_null() ? "infinite" : fmt::format("{:.6g}", d["condition"].get<double>()),
               fmt::format("{:.6g}", d["smallest_singular_value"].get<double>())});
  out += table.text();
  if (result.contains("ellipsoids")) out += ellipsoids_text(result["ellipsoids"]);
  if (result.contains("Jdot")) {
    out += "Jdot\n" + matrix_text(result["Jdot"].get<Rows>(), axes);
    Rows motion(6);
    for (std::size_t i = 0; i < 6; ++i) motion[i] = {result["velocity"][i], result["acceleration"][i]};
    out += "velocity and acceleration\n" + matrix_text(motion, axes);
    out += fmt::format("kinetic energy    {:.10g} J\n", result["kinetic_energy"].get<double>());
  }
  out += fmt::format("potential energy  {:.10g} J\n", result["potential_energy"].get<double>());
  if (result.contains("assemblies")) {
    TextTable ways;
    ways.column("joint", TextTable::Align::left);
    for (std::size_t k = 1; k <= result["assemblies"].size(); ++k) ways.column(fmt::format("assembly {}", k));
    for (std::size_t j = 0; j < result["joints"].size(); ++j) {
      std::vector<std::string> row{result["joints"][j].get<std::string>()};
      for (const Json& way : result["assemblies"]) row.push_back(fmt::format("{:.10g}", way[j].get<double>()));
      ways.row(row);
    }
    out += ways.text();
  }
  if (result.contains("poses"))
    for (const auto& [name, pose] : result["poses"].items())
      out += fmt::format("pose of {}\n", name) + matrix_text(pose.get<Rows>());
  return out;
}

Json solution(const InverseKinematicsResult& found, const Mechanism& mechanism, const Pose<double>& pose, Aim aim) {
  Json out{{"q", found.q}, {"position_error", found.position_error}};
  if (aim == Aim::pose) out["rotation_error"] = found.rotation_error;
  out["iterations"] = found.iterations;
  out["starts"] = found.starts;
  out["at_limit"] = Json::array();
  for (const int joint : found.at_limit) out["at_limit"].push_back(mechanism.name_of(Coordinate(joint)));
  out["pose"] = pose_rows(pose);
  return out;
}

// One target after the other, each starting from where the previous one left the arm.
Json solve(const Options& options, const Robot& robot, const Mechanism& mechanism) {
  const Targets targets = parse_targets(*options.solve, "--solve", options.deg);
  const int frame = frame_index(mechanism, options.frame);
  InverseKinematics solver(mechanism, frame, targets.aim);
  std::vector<double> q(solver.middle().begin(), solver.middle().end());
  if (options.q) q = position_vector(options.q, "--q", robot, options.deg);
  Kinematics<double> kinematics(mechanism);
  Json solutions = Json::array();
  for (const Pose<double>& target : targets.poses) {
    const InverseKinematicsResult& found = [&]() -> const InverseKinematicsResult& {
      try {
        return solver.solve(target, q);
      } catch (const std::invalid_argument& error) {
        throw UsageError(fmt::format("--solve: {}", error.what()));
      }
    }();
    if (!found.reached)
      throw std::domain_error(
          (targets.poses.size() > 1 ? fmt::format("target {}: ", solutions.size() + 1) : std::string()) +
          out_of_reach(found, targets.aim));
    q = found.q;
    kinematics.update(q);
    solutions.push_back(solution(found, mechanism, kinematics.pose(frame), targets.aim));
  }
  Json out{{"frame", mechanism.frames[index(frame)].name}};
  if (solutions.size() == 1)
    out.update(solutions[0]);
  else
    out["solutions"] = solutions;
  return out;
}

std::string solution_text(const Json& result, const std::vector<std::string>& names) {
  Rows rows;
  for (const double position : result["q"]) rows.push_back({position});
  std::string out = "q\n" + matrix_text(rows, names);
  out += fmt::format("left              {:.3g} m", result["position_error"].get<double>());
  if (result.contains("rotation_error")) out += fmt::format(", {:.3g} rad", result["rotation_error"].get<double>());
  out += fmt::format("\nfound             from start {} after {} iterations\n", result["starts"].get<int>(),
                     result["iterations"].get<int>());
  const auto limits = result["at_limit"].get<std::vector<std::string>>();
  if (!limits.empty()) out += fmt::format("at a limit        {}\n", fmt::join(limits, ", "));
  return out;
}
std::string solved_text(const Json& result, const std::vector<std::string>& names) {
  std::string out = fmt::format("frame {}, seen from the base\n", result["frame"].get<std::string>());
  if (!result.contains("solutions")) return out + solution_text(result, names);
  int count = 0;
  for (const Json& one : result["solutions"]) out += fmt::format("target {}\n", ++count) + solution_text(one, names);
  return out;
}

}  // namespace kinematics_command

void add_kinematics(CLI::App& program) {
  using namespace kinematics_command;
  const auto options = std::make_shared<Options>();
  CLI::App* command = add_command(
      program, "kinematics",
      "Pose, Jacobian, velocity and acceleration of a frame, and the energies; or the q that brings it somewhere",
      "  catena kinematics ur5 --q 0,-90,90,0,0,0 --deg --frame tool0\n"
      "  catena kinematics planar2r --q 0.1,0.2 --qd 1,0 --qdd 0,1 --json\n"
      "  catena kinematics ur5 --q 0,-1,1,0.3,1,0 --ellipsoids\n"
      "  catena kinematics ur5 --solve 0.4,0.2,0.3,180,0,90 --deg\n"
      "  catena kinematics panda --solve \"0.5,0,0.4;0.5,0.1,0.4;0.5,0.2,0.4\" --json\n"
      "\n"
      "Everything is seen from the base link frame. J is 6 x n: rows are the linear velocity x, y, z of the frame's\n"
      "origin, then the angular velocity x, y, z; velocity and acceleration have the same order.\n"
      "chi is the position and the rotation in radians: rpy is roll, pitch, yaw of Rz(yaw) Ry(pitch) Rx(roll); zyz, "
      "zxz\n"
      "and xyz are R = Rz(a) Ry(b) Rz(c), …; the rotation vector is axis times angle, up to pi.\n"
      "\n"
      "--solve gives the q, in radians and metres and within the limits of the joints, that brings the frame's origin "
      "to\n"
      "x, y, z and, where given, turns its axes by Rz(yaw) Ry(pitch) Rx(roll). If there are several, it is the first\n"
      "found from --q, or else from the middle of the limits. If there is none, it prints the nearest and exits with "
      "status 1.");
  options->model.of_links = true;
  options->model.add_dynamics(*command);
  command
      ->add_option("--q", options->q,
                   "joint positions, rad and m; or JOINT=X,...; default all 0. With --solve: where to start")
      ->type_name("Q1,Q2,...");
  command->add_option("--qd", options->qd, "joint velocities: adds Jdot, velocity, acceleration, kinetic_energy")
      ->type_name("V1,V2,...");
  command->add_option("--qdd", options->qdd, "joint accelerations; default all 0")->type_name("A1,A2,...");
  command->add_option("--solve", options->solve, "where the frame should be: prints the q that brings it there")
      ->type_name("X,Y,Z[,ROLL,PITCH,YAW][;...]")
      ->excludes("--qd", "--qdd");
  command->add_flag("--deg", options->deg, "revolute joints, roll, pitch and yaw in degrees; results stay in radians");
  goes_with(*command, "--deg", {"--q", "--qd", "--qdd", "--solve", "--lock"});
  command->add_option("--frame", options->frame, "a link or frame; default the model's tool")->type_name("NAME");
  command
      ->add_flag(
          "--ellipsoids", options->ellipsoids,
          "velocity, acceleration (dynamic manipulability) and inertia ellipsoids of the frame, and their isotropy")
      ->excludes("--solve");
  command->add_flag("--all", options->all, "poses of all frames as well")->excludes("--solve");
  command
      ->add_flag("--assemblies", options->assemblies,
                 "with closed loops: positions of all joints, for every assembly found that fits q")
      ->excludes("--solve");
  command->add_flag("--json", options->json, "print one JSON object: frame, pose, J, …");
  command->callback([options] {
    const Robot robot = options->model.load();
    const Mechanism mechanism = options->model.mechanism(robot);
    const Json result = options->solve ? solve(*options, robot, mechanism) : compute(*options, robot, mechanism);
    if (options->json)
      emit(json_line(result));
    else
      emit(options->solve ? solved_text(result, position_names(mechanism)) : text(result));
  });
}

}  // namespace catena::cli
