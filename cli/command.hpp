// A command: a function that adds its options to the program and registers a callback that does the work.
#pragma once

#include <CLI/CLI.hpp>
#include <memory>
#include <string>
#include <vector>

#include "terminal/errors.hpp"

namespace catena {
struct JobInfo;
}  // namespace catena

namespace catena::cli {

struct JobOptions;

#define CATENA_COMMAND(name) void add_##name(CLI::App& program);
// Adds options to the command of that job.
#define CATENA_EXTENDED(job) \
  void extend_##job(CLI::App& command, const JobInfo& info, const std::shared_ptr<JobOptions>& options);
#include "commands.def"

inline void add_quiet(CLI::App& app) {
  app.add_flag("--quiet", quiet(), "no warnings and notes on stderr, only errors");
}

// A subcommand whose help ends with `examples`.
inline CLI::App* add_command(CLI::App& program, const std::string& name, const std::string& summary,
                             const std::string& examples) {
  CLI::App* command = program.add_subcommand(name, summary);
  command->group("Commands");
  command->footer("Examples:\n" + examples);
  add_quiet(*command);
  return command;
}

// A check that the value is one of these words. The option's type name ("a|b") lists them in the help.
inline CLI::Validator one_of(const std::vector<std::string>& words) { return CLI::IsMember(words).description(""); }

}  // namespace catena::cli
