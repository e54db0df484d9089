// catena cartesian: the model in the coordinates of a frame, and linearized in them.
#include <fmt/format.h>

#include <memory>
#include <optional>

#include "command.hpp"
#include "options/cartesian_options.hpp"
#include "options/companions.hpp"
#include "options/efforts.hpp"
#include "options/frames.hpp"
#include "options/model_options.hpp"
#include "options/numbers.hpp"
#include "terminal/errors.hpp"

namespace catena::cli {
namespace cartesian_command {

struct Options {
  ModelOptions model;
  CartesianChoice choice;
  std::optional<std::string> q, qd, qdd;
  WrenchOptions wrenches;
  bool deg = false, linearize = false, json = false;
};

Json compute(const Options& options, const Robot& robot, const Mechanism& mechanism) {
  const std::vector<double> q = position_vector(options.q, "--q", robot, options.deg);
  const std::vector<double> qd = joint_vector(options.qd, "--qd", robot, options.deg);
  const std::vector<double> qdd = joint_vector(options.qdd, "--qdd", robot, options.deg);
  const auto wrenches = options.wrenches.parse(mechanism);
  CartesianDynamics dynamics = options.choice.make(mechanism);
  const CartesianModel model = dynamics.model(q, qd, qdd, wrenches);
  Json out = motion_json(model, q.size());
  out["frame"] = mechanism.frames[index(frame_index(mechanism, options.choice.frame))].name;
  out["coordinates"] = options.choice.coordinates;
  put_model(model, out);
  if (options.linearize) put_linear(dynamics.linearize(q, qd, qdd, wrenches), out);
  note_damping(model);
  return out;
}

}  // namespace cartesian_command

void add_cartesian(CLI::App& program) {
  using namespace cartesian_command;
  const auto options = std::make_shared<Options>();
  CLI::App* command = add_command(
      program, "cartesian",
      "The dynamics in the coordinates of a frame: inertia, velocity terms, gravity, force; also linearized",
      "  catena cartesian ur5 --q 0,-1,1,0,1,0 --qd 0.1,0,0,0,0,0\n"
      "  catena cartesian ur5 --q 0,-1,1,0,1,0 --coordinates rpy --linearize --json\n"
      "  catena cartesian planar2r --q 0.3,0.7 --coordinates position --rows x,y\n"
      "  catena cartesian ur5 --q 0,-1,1,0,0,0 --damping 0.02\n"
      "\n"
      "f = D_chi chi_ddot + C_chi + G_chi - W_chi (of --wrench), with the frame's origin x, y, z and, except for\n"
      "position, its rotation: as angular velocity (velocity), roll, pitch, yaw (rpy) or the angles of Rz Ry Rz "
      "(zyz).\n"
      "--linearize adds dtau = D_hat dchi_ddot + V_hat dchi_dot + P_hat dchi. With more joints than rows the "
      "Jacobian's\n"
      "inverse is the dynamically consistent one. A singular Jacobian is an error, exit status 1, unless --damping\n"
      "allows for it.");
  options->model.add_dynamics(*command);
  command->add_option("--q", options->q, "joint positions, rad and m; or JOINT=X,...; default all 0")
      ->type_name("Q1,Q2,...");
  command->add_option("--qd", options->qd, "joint velocities; default all 0")->type_name("V1,V2,...");
  command->add_option("--qdd", options->qdd, "joint accelerations; default all 0")->type_name("A1,A2,...");
  command->add_flag("--deg", options->deg, "revolute joints in degrees; results stay in radians");
  goes_with(*command, "--deg", {"--q", "--qd", "--qdd", "--lock"});
  command->add_option("--frame", options->choice.frame, "a link or frame; default the model's tool")->type_name("NAME");
  options->choice.add(*command);
  options->wrenches.add(*command);
  command->add_flag("--linearize", options->linearize, "add the linearized model");
  command->add_flag("--json", options->json, "print one JSON object: frame, rows, chi, J, D_chi, …");
  command->callback([options] {
    const Robot robot = options->model.load();
    const Mechanism mechanism = options->model.mechanism(robot);
    const Json result = compute(*options, robot, mechanism);
    emit(options->json ? json_line(result) : cartesian_text(result, coordinate_names(mechanism)));
  });
}

}  // namespace catena::cli
