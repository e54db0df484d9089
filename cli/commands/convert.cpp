// catena convert: converts a robot from one file format to another.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <memory>

#include "catena/robot_file.hpp"
#include "catena/tables.hpp"
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

// Formats that are written by ending or by name, and "dh", which is TOML in rows.
std::vector<std::string> printed_formats() {
  std::vector<std::string> names = io::format_names();
  names.emplace_back("dh");
  return names;
}

std::string text_of(const Options& options) {
  const Robot robot = options.model.load();
  if (options.to == "dh") return to_toml(dh_form(robot, dh_convention(options.convention)));
  return (options.to.empty() ? io::format_to_write(options.output) : io::format_named(options.to))->write(robot);
}

void check_output(const Options& options) {
  if (options.to.empty()) return require_model_output(options.output, options.force);
  const io::RobotFormat* format = io::format_named(options.to == "dh" ? "toml" : options.to);
  if (!io::ends_as(*format, options.output))
    throw UsageError(fmt::format("-o {}: with --to {} the name must end in {}", printable(options.output), options.to,
                                 fmt::join(format->endings, " or ")));
  require_new(options.output, options.force);
}

void run(const Options& options) {
  if (!options.convention.empty() && options.to != "dh") throw UsageError("--convention goes with --to dh");
  if (options.output.empty() && options.to.empty())
    throw UsageError(fmt::format("give an output file, -o OUT.{}, or --to {} for standard output",
                                 fmt::join(io::format_names(), ", -o OUT."), fmt::join(printed_formats(), "|")));
  if (options.output.empty()) return emit(text_of(options));
  check_output(options);
  write_text_file(options.output, text_of(options));
}

}  // namespace convert_command

void add_convert(CLI::App& program) {
  using namespace convert_command;
  const auto options = std::make_shared<Options>();
  CLI::App* command =
      add_command(program, "convert", "Convert a robot from any format to TOML, URDF or MJCF, and to DH rows",
                  "  catena convert my_robot.urdf -o my_robot.toml\n"
                  "  catena convert my_robot.xml -o my_robot.toml\n"
                  "  catena convert panda -o panda.mjcf\n"
                  "  catena convert panda --to mjcf -o panda.xml\n"
                  "  catena convert panda --to urdf | less\n"
                  "  catena convert panda --to dh --convention modified -o panda_rows.toml");
  options->model.add_file(*command);
  command
      ->add_option(
          "-o,--output", options->output,
          "file to write; its ending, " + io::endings_in_words(io::Use::writing) + ", sets the format unless --to does")
      ->type_name("FILE");
  command
      ->add_option("--to", options->to,
                   "the format to write, to standard output without -o; dh: TOML with Denavit-Hartenberg rows")
      ->check(one_of(printed_formats()))
      ->type_name(fmt::format("{}", fmt::join(printed_formats(), "|")));
  add_dh_convention(*command, options->convention);
  goes_with(*command, "--convention", {"--to"});
  command->add_flag("--force", options->force, "replace the output file if it exists");
  goes_with(*command, "--force", {"-o"});
  command->callback([options] { run(*options); });
}

}  // namespace catena::cli
