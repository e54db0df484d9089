// catena help [COMMAND]: the same text as --help.
#include <fmt/format.h>

#include <memory>

#include "command.hpp"
#include "output/output.hpp"
#include "terminal/errors.hpp"

namespace catena::cli {
namespace help_command {

void run(CLI::App& program, const std::string& topic) {
  if (topic.empty())
    return emit(program.get_formatter()->make_help(&program, program.get_name(), CLI::AppFormatMode::Normal));
  std::vector<std::string> names;
  for (CLI::App* command : program.get_subcommands({})) {
    if (command->get_name() == topic)
      return emit(
          command->get_formatter()->make_help(command, program.get_name() + " " + topic, CLI::AppFormatMode::Normal));
    names.push_back(command->get_name());
  }
  throw UsageError(fmt::format("unknown command '{}'{}", printable(topic), suggest(topic, names)));
}

}  // namespace help_command

void add_help(CLI::App& program) {
  using namespace help_command;
  const auto topic = std::make_shared<std::string>();
  CLI::App* command = add_command(program, "help", "Show what --help shows: all commands, or the options of one",
                                  "  catena help\n"
                                  "  catena help inverse");
  command->add_option("COMMAND", *topic, "a command; default: the list of all")->type_name("");
  command->callback([&program, topic] { run(program, *topic); });
}

}  // namespace catena::cli
