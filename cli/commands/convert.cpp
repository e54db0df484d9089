// catena convert: from one robot format to the other.
#include <fmt/format.h>

#include <memory>

#include "catena/robot_file.hpp"
#include "command.hpp"
#include "options/companions.hpp"
#include "options/model_options.hpp"
#include "output/output.hpp"
#include "terminal/errors.hpp"

namespace catena::cli {
namespace convert_command {

struct Options {
  ModelOptions model;
  std::string output, to;
  bool force = false;
};

void run(const Options& options) {
  if (options.output.empty() == options.to.empty())
    throw UsageError("say where: -o OUT.toml, -o OUT.urdf, or --to toml|urdf for standard output");
  if (!options.to.empty()) {
    const Robot robot = options.model.load();
    emit(options.to == "toml" ? to_toml(robot) : to_urdf(robot));
    return;
  }
  require_model_output(options.output, options.force);
  save_robot(options.model.load(), options.output);
}

}  // namespace convert_command

void add_convert(CLI::App& program) {
  using namespace convert_command;
  const auto options = std::make_shared<Options>();
  CLI::App* command = add_command(program, "convert", "Convert a robot between TOML and URDF",
                                  "  catena convert my_robot.urdf -o my_robot.toml\n"
                                  "  catena convert panda --to urdf | less");
  options->model.add_file(*command);
  command->add_option("-o,--output", options->output, "file to write; its ending, .toml or .urdf, says the format")
      ->type_name("FILE");
  command->add_option("--to", options->to, "write this format to standard output")
      ->check(one_of({"toml", "urdf"}))
      ->type_name("toml|urdf");
  command->add_flag("--force", options->force, "replace the output file when it exists");
  goes_with(*command, "--force", {"-o"});
  command->callback([options] { run(*options); });
}

}  // namespace catena::cli
