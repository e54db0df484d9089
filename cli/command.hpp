// A command: a function that adds its options to the program and registers a callback that does the work.
#pragma once

#include <CLI/CLI.hpp>
#include <memory>
#include <string>
#include <vector>

#include "output/output.hpp"
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
void add_job_command(CLI::App& program, const JobInfo& job);

// Headings of the help, in this order: a command's own options, then those that it shares with others.
inline constexpr const char *robot_options = "Changes to the robot", *file_options = "Reading the robot",
                            *general_options = "General options";

inline void add_quiet(CLI::App& app) {
  app.add_flag("--quiet", quiet(), "print only errors on stderr, no warnings or notes")->group(general_options);
  app.get_help_ptr()->group(general_options);
}

// While it lives, options that are added stand under this heading.
class UnderHeading {
 public:
  UnderHeading(CLI::App& app, const char* heading) : app_(app), before_(app.option_defaults()->get_group()) {
    app_.option_defaults()->group(heading);
  }
  ~UnderHeading() { app_.option_defaults()->group(before_); }
  UnderHeading(const UnderHeading&) = delete;
  UnderHeading& operator=(const UnderHeading&) = delete;

 private:
  CLI::App& app_;
  std::string before_;
};

// A subcommand whose help ends with `examples`.
inline CLI::App* add_command(CLI::App& program, const std::string& name, const std::string& summary,
                             const std::string& examples) {
  CLI::App* command = program.add_subcommand(name, summary);
  command->group("Commands");
  command->footer("Examples:\n" + examples);
  add_quiet(*command);
  command->preparse_callback([name](std::size_t) { set_schema_command(name); });
  return command;
}

// A check that the value is one of these words. The option's type name ("a|b") lists them in the help.
inline CLI::Validator one_of(const std::vector<std::string>& words) { return CLI::IsMember(words).description(""); }

}  // namespace catena::cli
