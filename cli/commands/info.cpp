// catena info: the contents of the model, as read.
#include <memory>

#include "command.hpp"
#include "options/model_options.hpp"
#include "output/description.hpp"
#include "output/output.hpp"

namespace catena::cli {

void add_info(CLI::App& program) {
  struct Options {
    ModelOptions model;
    bool json = false;
  };
  const auto options = std::make_shared<Options>();
  CLI::App* command = add_command(program, "info", "Show a robot: joints in the order of q, links, limits, mass",
                                  "  catena info ur5\n"
                                  "  catena info my_robot.urdf --json\n"
                                  "  xacro my_robot.urdf.xacro | catena info -");
  options->model.add_file(*command);
  command->add_flag("--json", options->json, "print one JSON object: name, dof, joints, mass, warnings, …");
  command->callback([options] {
    const Robot robot = options->model.load();
    emit(options->json ? json_line(describe_json(robot)) : describe_text(robot));
  });
}

}  // namespace catena::cli
