// catena assemble: attaches one robot to another.
#include <fmt/format.h>

#include <cmath>
#include <memory>
#include <optional>

#include "catena/changes.hpp"
#include "catena/robot_file.hpp"
#include "catena/validate.hpp"
#include "command.hpp"
#include "io/formats.hpp"
#include "options/companions.hpp"
#include "options/model_options.hpp"
#include "options/numbers.hpp"
#include "terminal/errors.hpp"

namespace catena::cli {
namespace assemble_command {

struct Options {
  ModelOptions model;
  std::string other, at, joint = "fixed", name, prefix, output;
  std::optional<std::string> axis, origin;
  bool force = false;
};

Vec3<double> direction(const std::string& text) {
  const Vec3<double> axis = parse_vec3(text, "--axis");
  const double length = std::hypot(axis.x, axis.y, axis.z);
  if (!(length > 0.0)) throw UsageError(fmt::format("--axis {} has zero length; give a direction", printable(text)));
  return {axis.x / length, axis.y / length, axis.z / length};
}

// x,y,z[,roll,pitch,yaw]
Pose<double> pose(const std::string& text) {
  std::vector<double> v = parse_numbers(text, "--origin");
  if (v.size() != 3 && v.size() != 6)
    throw UsageError(
        fmt::format("--origin '{}' has {} numbers; write x,y,z[,roll,pitch,yaw]", printable(text), v.size()));
  v.resize(6);
  return {rotation_from_rpy({v[3], v[4], v[5]}), {v[0], v[1], v[2]}};
}

JointDescription between(const Options& options) {
  JointDescription joint;
  joint.name = options.name;
  joint.type = options.joint == "fixed"       ? JointType::fixed
               : options.joint == "prismatic" ? JointType::prismatic
                                              : JointType::revolute;
  if (options.axis && joint.type == JointType::fixed)
    throw UsageError("--axis goes with --joint revolute or prismatic");
  if (options.axis) joint.axis = direction(*options.axis);
  if (options.origin) joint.origin = pose(*options.origin);
  return joint;
}

void run(const Options& options) {
  require_model_output(options.output, options.force);
  const JointDescription joint = between(options);
  ModelOptions other;  // --lock, --payload and the like apply to the first robot only
  other.model = options.other, other.lenient = options.model.lenient;
  const Robot a = options.model.read(), b = other.read();
  const Robot joined = join(a, frame_to_hang_on(a, options.at, "--at"), b, joint, options.prefix);
  options.model.report(joined);
  save_robot(joined, options.output);
}

}  // namespace assemble_command

void add_assemble(CLI::App& program) {
  using namespace assemble_command;
  const auto options = std::make_shared<Options>();
  CLI::App* command =
      add_command(program, "assemble", "Mount one robot on another and write the result as one robot",
                  "  catena assemble ur5 gripper.urdf --at tool0 -o cell.toml\n"
                  "  catena assemble gantry.urdf arm.urdf --at carriage --origin 0,0,-0.2,3.14159265,0,0 -o cell.urdf\n"
                  "  catena assemble pelican bucket.toml --at tool --joint revolute --axis 0,0,1 -o loaded.toml\n"
                  "\n"
                  "The order of q: the joints of MODEL, the joint between the two if it moves, the joints of OTHER. "
                  "Names of OTHER\n"
                  "that MODEL also has get the prefix. The tool is OTHER's if it names one or has a joint that moves;\n"
                  "gravity is MODEL's. --lock and --payload change MODEL.");
  options->model.add_file(*command);
  command->add_option("OTHER", options->other, "the robot to mount: a file, a shipped robot, or - for stdin")
      ->required()
      ->type_name("");
  command->add_option("--at", options->at, "where to mount it: a link or frame of MODEL, or tool")
      ->required()
      ->type_name("FRAME");
  command->add_option("--joint", options->joint, "the joint between the two; default fixed")
      ->check(one_of({"fixed", "revolute", "prismatic"}))
      ->type_name("fixed|revolute|prismatic");
  command->add_option("--axis", options->axis, "direction of the joint's axis at its origin; default 0,0,1")
      ->type_name("X,Y,Z");
  goes_with(*command, "--axis", {"--joint"});
  command->add_option("--origin", options->origin, "where the joint is in that frame, m and rad; default 0,0,0")
      ->type_name("X,Y,Z[,ROLL,PITCH,YAW]");
  command->add_option("--name", options->name, "name of the joint; default OTHER's base followed by _joint")
      ->type_name("JOINT");
  command
      ->add_option("--prefix", options->prefix,
                   "prefix for names of OTHER that MODEL also has; default its name followed by _")
      ->type_name("WORD");
  command
      ->add_option("-o,--output", options->output,
                   "file to write; its ending, " + io::endings_in_words(io::Use::writing) + ", says the format")
      ->required()
      ->type_name("FILE");
  command->add_flag("--force", options->force, "replace the output file if it exists");
  command->callback([options] { run(*options); });
}

}  // namespace catena::cli
