// catena convert: converts a robot from one file format to another.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <memory>

#include "catena/robot_file.hpp"
#include "command.hpp"
#include "io/formats.hpp"
#include "options/companions.hpp"
#include "options/dh_convention.hpp"
#include "options/model_options.hpp"
#include "output/output.hpp"
#include "terminal/errors.hpp"

namespace catena::cli {
namespace convert_command {

struct Options {
  ModelOptions model;
  std::string output, to, convention;
  bool force = false;
};

// Formats that are written by ending or by name, and "dh", which is TOML in rows and has no ending of its own.
std::vector<std::string> printed_formats() {
  std::vector<std::string> names = io::format_names();
  names.emplace_back("dh");
  return names;
}

void run(const Options& options) {
  if (!options.convention.empty() && options.to != "dh") throw UsageError("--convention goes with --to dh");
  if (options.output.empty() == options.to.empty())
    throw UsageError(fmt::format("say where: -o OUT.{}, or --to {} for standard output",
                                 fmt::join(io::format_names(), ", -o OUT."), fmt::join(printed_formats(), "|")));
  if (options.to == "dh") return emit(to_toml(dh_form(options.model.load(), dh_convention(options.convention))));
  if (!options.to.empty()) return emit(io::format_named(options.to)->write(options.model.load()));
  require_model_output(options.output, options.force);
  save_robot(options.model.load(), options.output);
}

}  // namespace convert_command

void add_convert(CLI::App& program) {
  using namespace convert_command;
  const auto options = std::make_shared<Options>();
  CLI::App* command = add_command(program, "convert", "Convert a robot, MJCF and SDF too, to TOML or URDF, and to DH rows",
                                  "  catena convert my_robot.urdf -o my_robot.toml\n"
                                  "  catena convert my_robot.xml -o my_robot.toml\n"
                                  "  catena convert panda --to urdf | less\n"
                                  "  catena convert panda --to dh --convention modified > panda_rows.toml");
  options->model.add_file(*command);
  command
      ->add_option("-o,--output", options->output,
                   "file to write; its ending, " + io::endings_in_words(io::Use::writing) + ", says the format")
      ->type_name("FILE");
  command
      ->add_option("--to", options->to, "write this format to standard output; dh: TOML with Denavit-Hartenberg rows")
      ->check(one_of(printed_formats()))
      ->type_name(fmt::format("{}", fmt::join(printed_formats(), "|")));
  add_dh_convention(*command, options->convention);
  goes_with(*command, "--convention", {"--to"});
  command->add_flag("--force", options->force, "replace the output file when it exists");
  goes_with(*command, "--force", {"-o"});
  command->callback([options] { run(*options); });
}

}  // namespace catena::cli
