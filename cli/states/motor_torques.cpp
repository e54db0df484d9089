#include "states/motor_torques.hpp"

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <algorithm>

#include "catena/call.hpp"
#include "coordinates/motor_torques.hpp"
#include "options/numbers.hpp"
#include "output/output.hpp"
#include "terminal/errors.hpp"
#include "terminal/words.hpp"

namespace catena::cli {
namespace {

// The joints named, or all that have a motor.
std::vector<MotorTorques::Motor> motors_of(const Robot& robot, const Mechanism& mechanism,
                                           const MotorOptions& options) {
  const std::vector<std::string>& names = mechanism.joint_names.list();
  std::vector<MotorTorques::Motor> motors;
  if (options.motors.empty()) {
    for (const TreeJoint j : mechanism.all_joints())
      if (const JointDescription& joint = robot.joints[index(robot.joint_index(mechanism.joint_names[j]))];
          !joint.passive && !joint.is_coupled())
        motors.push_back({j});
  } else {
    for (const std::string& name : split(options.motors, ','))
      motors.push_back({TreeJoint(joint_position(name, "--motors", names))});
  }
  if (options.weights.empty()) return motors;
  for (const NamedNumber& weight : parse_named(options.weights, "--motor-weights")) {
    const TreeJoint joint(joint_position(weight.name, "--motor-weights", names));
    const auto motor = std::find_if(motors.begin(), motors.end(), [&](const auto& m) { return m.joint == joint; });
    if (motor == motors.end())
      throw UsageError(fmt::format("--motor-weights: joint '{}' has no motor", printable(weight.name)));
    if (!(weight.value > 0.0))
      throw UsageError(
          fmt::format("--motor-weights: {} of joint '{}' must be positive", weight.value, printable(weight.name)));
    motor->weight = weight.value;
  }
  return motors;
}

}  // namespace

void MotorOptions::add(CLI::App& command) {
  command
      .add_option("--motors", motors,
                  "with closed loops: torques of motors at these joints of the tree instead of at the coordinates; if "
                  "there are more motors than needed, the least sum of squares")
      ->type_name("JOINT,...");
  command
      .add_option("--motor-weights", weights,
                  "weights for that sum of squares; without --motors, for all joints that have a motor")
      ->type_name("JOINT=W,...");
}

void MotorOptions::run(const JobOptions& options) const {
  if (!options.states.empty()) throw UsageError("--motors goes with one state, not with --states");
  const Robot robot = options.model.load();
  const Mechanism mechanism = options.model.mechanism(robot);
  const auto input = [&](Input which) { return options.inputs[static_cast<std::size_t>(which)]; };
  const std::vector<double> q = position_vector(input(Input::q), "--q", robot, options.deg);
  const std::vector<double> qd = joint_vector(input(Input::qd), "--qd", robot, options.deg);
  const std::vector<double> qdd = joint_vector(input(Input::qdd), "--qdd", robot, options.deg);
  const Mechanism moved = options.mechanism(robot);
  Call<double> inverse =
      options.engine.make(moved, {.job = "inverse", .formulation = options.formulation, .table = {}});
  std::vector<double> tau(index(moved.nv()));
  const auto wrenches = options.wrenches.parse(moved);
  const std::array<double, base_motion_size> base = options.base.motion();
  Inputs<double> in{.q = q, .qd = qd, .qdd = qdd, .wrenches = wrenches};
  if (options.base.given()) in.base = base;
  inverse(in, tau);
  const std::vector<MotorTorques::Motor> all_motors = motors_of(robot, mechanism, *this);
  std::vector<double> torques(all_motors.size());
  MotorTorques(mechanism, all_motors)(q, tau, torques);
  Json all;
  TextTable table;
  table.column("motor", TextTable::Align::left);
  table.column("torque");
  table.column("", TextTable::Align::left);
  for (std::size_t k = 0; k < all_motors.size(); ++k) {
    const std::string& name = mechanism.joint_names[all_motors[k].joint];
    const bool turns = mechanism.link(mechanism.link_of(all_motors[k].joint)).revolute;
    all[name] = torques[k];
    table.row({name, fmt::format("{:.10g}", torques[k]), turns ? "N m" : "N"});
  }
  emit(options.json ? json_line({{"tau", tau}, {"motors", all}}) : table.text());
}

}  // namespace catena::cli
