// catena info: the contents of the model, as read.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <memory>

#include "command.hpp"
#include "options/companions.hpp"
#include "options/dh_convention.hpp"
#include "options/model_options.hpp"
#include "output/description.hpp"
#include "output/dh_table.hpp"
#include "output/output.hpp"
#include "terminal/errors.hpp"

namespace catena::cli {

void add_info(CLI::App& program) {
  struct Options {
    ModelOptions model;
    bool json = false, dh = false;
    std::string convention, format = "text";
  };
  const auto options = std::make_shared<Options>();
  CLI::App* command = add_command(program, "info", "Show a robot: joints in the order of q, links, limits, mass",
                                  "  catena info ur5\n"
                                  "  catena info my_robot.urdf --json\n"
                                  "  catena info panda --dh --convention modified --format latex\n"
                                  "  catena info my_robot.urdf.xacro --xacro ur_type:=ur5e --package-path ~/robots");
  options->model.add_file(*command);
  command->add_flag("--json", options->json, "print one JSON object: name, dof, joints, mass, warnings, …");
  command->add_flag("--dh", options->dh, "print a table of Denavit-Hartenberg rows instead");
  add_dh_convention(*command, options->convention);
  command->add_option("--format", options->format, "format of that table; default text")
      ->check(one_of(dh_table_formats()))
      ->type_name(fmt::format("{}", fmt::join(dh_table_formats(), "|")));
  goes_with(*command, "--convention", {"--dh"});
  goes_with(*command, "--format", {"--dh"});
  command->callback([options] {
    if (options->dh && options->json) throw UsageError("give either --dh or --json; --dh --format csv is for programs");
    const Robot robot = options->model.load();
    if (options->dh) return emit(dh_table(dh_form(robot, dh_convention(options->convention)), options->format));
    emit(options->json ? json_line(describe_json(robot)) : describe_text(robot));
  });
}

}  // namespace catena::cli
