// catena COMMAND MODEL [options]: builds the program from its commands and turns what they throw into an exit status.
#include <fmt/format.h>

#include <algorithm>
#include <exception>
#include <stdexcept>
#include <string>
#include <vector>

#include "catena/job.hpp"
#include "catena/tables.hpp"
#include "catena/validate.hpp"
#include "catena/write_error.hpp"
#include "command.hpp"
#include "io/formats.hpp"
#include "output/output.hpp"
#include "pages/report_option.hpp"
#include "run/level.hpp"
#include "system/own_process.hpp"
#include "terminal/errors.hpp"
#include "terminal/interrupt.hpp"

namespace catena::cli {
namespace {

constexpr const char* overview =
    "Examples:\n"
    "  catena info ur5\n"
    "  catena check my_robot.urdf --strict\n"
    "  catena convert my_robot.urdf -o my_robot.toml\n"
    "  catena info my_robot.urdf.xacro --xacro ur_type:=ur5e\n"
    "  catena static panda --lock panda_joint7=0 --payload tool:1.5,0,0,0.1\n"
    "  catena kinematics ur5 --q 0,-90,90,0,0,0 --deg --frame tool0\n"
    "  catena inverse ur5 --q 0,-1,1,0,0,0 --qd 0.1,0,0,0,0,0 --json\n"
    "  catena inverse ur5 --states motion.csv -o torques.csv\n"
    "  catena inertia ur5 --q 0,-1,1,0,0,0\n"
    "  catena trajectory ur5 --from 0,0,0,0,0,0 --to 1,-1,1,0,0,0 --time 2 --check\n"
    "  catena simulate planar3r --time 1 --json\n"
    "  catena generate ur5 --compute inverse,forward --name arm -o arm.c\n"
    "  catena equations pelican -o pelican.tex\n"
    "  catena methods --compute inverse\n"
    "  catena help inverse\n"
    "  source <(catena completion bash)\n"
    "\n"
    "MODEL is a .toml, .urdf, .xml (MJCF) or .sdf file, the name of a robot that ships with catena, or - for "
    "standard input.\n"
    "Numbers are in SI units and radians (--deg: degrees); joints have one each, --q 0,-1,1,0,0,0, or are named,\n"
    "--q elbow=1 (the others 0). Exit status: 0 done, 1 the computation failed, 2 bad usage or bad input.";

// An empty value is usually an unset shell variable; a file or frame with an empty name does not exist. A list of
// numbers may be empty: a robot without joints has such lists.
void refuse_empty_values(CLI::App& program) {
  for (CLI::App* command : program.get_subcommands({}))
    for (CLI::Option* option : command->get_options()) {
      if (option->get_expected_max() == 0) option->disable_flag_override();  // --deg=3 is not a valid way to say --deg
      if (option->get_positional() || option->get_type_name().ends_with(",...")) continue;
      option->each([option](const std::string& value) {
        if (value.empty()) throw UsageError(fmt::format("{}: the value is empty", option->get_name()));
      });
    }
}

// The options of a command come before those that it shares with others.
class OwnOptionsFirst : public CLI::Formatter {
 public:
  std::string make_help(const CLI::App* app, std::string name, CLI::AppFormatMode mode) const override {
    std::string out = make_description(app) + make_usage(app, std::move(name)) + make_positionals(app);
    for (const std::string heading : {"Options", robot_options, file_options, general_options}) {
      const std::vector<const CLI::Option*> options = app->get_options(
          [&](const CLI::Option* option) { return option->get_group() == heading && option->nonpositional(); });
      if (!options.empty()) out += make_group(heading, false, options);
    }
    return out + make_subcommands(app, mode) + "\n" + make_footer(app);
  }
};

struct Command {
  std::string_view name;
  void (*add)(CLI::App& program);
};
constexpr Command commands[] = {
#define CATENA_COMMAND(name) {#name, add_##name},
#include "commands.def"
};

// Making the options of all commands takes longer than most commands run: where the first word is a command, its own
// are made and no others.
bool add_one_command(CLI::App& program, const std::string& name) {
  if (name == "help" || name == "completion" || name == "job_commands") return false;  // they are about all
  for (const JobInfo& job : jobs())
    if (job.name == name) return add_job_command(program, job), true;
  for (const Command& command : commands)
    if (command.name == name) return command.add(program), true;
  return false;
}

void build(CLI::App& program, const std::vector<std::string>& arguments) {
  program.allow_windows_style_options(false);  // on Windows /models/arm.toml would be one
  program.formatter(std::make_shared<OwnOptionsFirst>());
  program.description("Catena: the dynamics of robot manipulators.");
  program.footer(overview);
  program.set_version_flag("--version", fmt::format("catena {}, instructions: {}", CATENA_VERSION, level().name))
      ->group(general_options);
  add_quiet(program);
  program.get_formatter()->column_width(34);
  program.get_formatter()->label("SUBCOMMAND", "COMMAND");
  if (arguments.empty() || !add_one_command(program, arguments.front()))
    for (const Command& command : commands) command.add(program);
  refuse_empty_values(program);
  program.require_subcommand(1);
}

std::vector<std::string> command_names(CLI::App& program) {
  std::vector<std::string> names;
  for (const CLI::App* command : program.get_subcommands({})) names.push_back(command->get_name());
  return names;
}

// CLI11 would say "argument was not expected"; users want to know which command or option comes closest.
void require_known_command(CLI::App& program, const std::vector<std::string>& arguments) {
  for (const std::string& argument : arguments) {
    if (argument == "--help" || argument == "-h" || argument == "--version") return;
    if (argument == "--quiet") continue;
    const std::vector<std::string> names = command_names(program);
    if (std::find(names.begin(), names.end(), argument) != names.end()) return;
    if (argument.starts_with('-'))
      throw UsageError(fmt::format("unknown option '{}' before the command; the commands are {}", printable(argument),
                                   fmt::join(names, ", ")));
    const auto command = std::find_first_of(arguments.begin(), arguments.end(), names.begin(), names.end());
    if (command != arguments.end())
      throw UsageError(fmt::format("the command comes first: catena {} {}", *command, printable(argument)));
    std::vector<std::string> words = names;
    words.emplace_back("--version");
    throw UsageError(fmt::format("unknown command '{}'{}", printable(argument), suggest(argument, words)));
  }
}

bool ends_with_any(const std::string& text, std::initializer_list<const char*> endings) {
  return std::any_of(endings.begin(), endings.end(), [&](const char* ending) { return text.ends_with(ending); });
}

bool is_number_like(const std::string& word) {
  return word.find_first_of("0123456789") != std::string::npos &&
         word.find_first_not_of("0123456789+-.,;eE") == std::string::npos;
}

// What a word without an option was probably meant to be.
std::string probable_use(const CLI::App& command, const std::string& word) {
  const auto has = [&](const char* option) { return command.get_option_no_throw(option) != nullptr; };
  if (is_number_like(word))
    return "; a list of numbers is one argument with commas and no spaces: 0.1,-2,3; a list of points is \"0,0;1,1\"";
  if (has("--states") && ends_with_any(word, {".csv", ".npy", ".npz"})) return "; a table goes after --states";
  if (has("-o") &&
      (ends_with_any(word, {".csv", ".npy", ".npz", ".c", ".tex"}) || io::format_to_write(word) != nullptr))
    return "; an output file goes after -o";
  const auto& known = jobs();
  const bool is_job = std::any_of(known.begin(), known.end(), [&](const JobInfo& job) { return job.name == word; });
  if (has("--compute") && is_job) return "; jobs go after --compute, separated by commas";
  return "";
}

std::string describe_extras(const CLI::App& command) {
  std::vector<std::string> options;
  for (const CLI::Option* option : command.get_options())
    for (const std::string& name : option->get_lnames()) options.push_back("--" + name);
  const std::vector<std::string> extras = command.remaining();
  const std::string first = extras.empty() ? "" : extras.front();
  if (!first.starts_with('-') || is_number_like(first))
    return fmt::format("unexpected argument '{}'{}", printable(first), probable_use(command, first));
  return fmt::format("unknown option '{}'{}", printable(first), suggest(first.substr(0, first.find('=')), options));
}

// CLI11's own messages, reworded: "--q: At Most 1 required but received 2", "--states: 1 required FILE missing",
// "Could not convert: --time = 1s", "deg was given a disallowed flag override".
std::string in_our_words(const CLI::App& program, const std::string& message) {
  constexpr std::string_view many = ": At Most 1 required but received ", none = ": 1 required ", missing = " missing",
                             wrong = "Could not convert: ", equals = " = ",
                             flag = " was given a disallowed flag override";
  if (message.ends_with(flag))
    return fmt::format("--{} takes no value", message.substr(0, message.size() - flag.size()));
  if (const std::size_t at = message.find(many); at != std::string::npos)
    return fmt::format("{} is given {} times", message.substr(0, at), message.substr(at + many.size()));
  if (const std::size_t at = message.find(none); at != std::string::npos && message.ends_with(missing)) {
    const std::size_t type = at + none.size();
    return fmt::format("{} needs a value: {}", message.substr(0, at),
                       message.substr(type, message.size() - missing.size() - type));
  }
  const auto parsed = program.get_subcommands();
  const std::size_t at = message.find(equals);
  if (parsed.empty() || !message.starts_with(wrong) || at == std::string::npos) return message;
  const std::string name = message.substr(wrong.size(), at - wrong.size());
  const CLI::Option* option = parsed.front()->get_option_no_throw(name);
  const bool whole = option != nullptr && option->get_type_name() == "N";
  return fmt::format("{}: '{}' is not a {}number", name, printable(message.substr(at + equals.size())),
                     whole ? "whole " : "");
}

std::string hint(const CLI::App& program) {
  const auto parsed = program.get_subcommands();
  return fmt::format(" (see 'catena {}--help')", parsed.empty() ? "" : parsed.front()->get_name() + " ");
}

int usage_failure(const CLI::App& program, std::string message) {
  while (!message.empty() && (message.back() == '\n' || message.back() == '.')) message.pop_back();
  for (char& c : message)
    if (c == '\n') c = ' ';
  complain("catena: " + message + hint(program));
  return 2;
}

int run(CLI::App& program, std::vector<std::string> arguments) {
  if (arguments.empty()) {
    complain(program.help());
    return 2;
  }
  try {
    require_known_command(program, arguments);
    std::reverse(arguments.begin(), arguments.end());  // CLI11 takes them from the back
    program.parse(std::move(arguments));
    return 0;
  } catch (const CLI::CallForHelp&) {
    emit(program.help());  // of the command, where one was given
    return 0;
  } catch (const CLI::CallForVersion& version) {
    emit(std::string(version.what()) + "\n");
    return 0;
  } catch (const CLI::ExtrasError& error) {
    const auto parsed = program.get_subcommands();
    return usage_failure(program, parsed.empty() ? error.what() : describe_extras(*parsed.front()));
  } catch (const CLI::ParseError& error) {
    return usage_failure(program, in_our_words(program, error.what()));
  } catch (const UsageError& error) {
    return usage_failure(program, error.what());
  }
}

// The reader of the output has closed the pipe, as in `catena … | head`: the program ends silently, as others do. By
// now everything is cleaned up.
using system::end_of_closed_pipe;

// The exception decides the exit status; every line goes to stderr, nothing to stdout.
int guarded_run(std::vector<std::string> arguments) {
  CLI::App program;
  program.name("catena");
  try {
    level();
  } catch (const std::runtime_error& error) {
    complain(std::string("catena: ") + error.what());
    return 2;
  }
  try {
    remember_command(arguments);
    build(program, arguments);
    return run(program, std::move(arguments));
  } catch (const ClosedPipe&) {
    return end_of_closed_pipe();
  } catch (const TablePipeClosed&) {
    return end_of_closed_pipe();
  } catch (const Interrupted& stop) {
    complain(std::string("catena: ") + stop.what());
    return status_of_signal();
  } catch (const WriteError& error) {
    complain(error.what());
    return 1;
  } catch (const ModelError& error) {
    complain(error.what());
    return 2;
  } catch (const InputError& error) {
    complain(error.what());
    return 2;
  } catch (const FailedAt& error) {
    complain(error.what());
    return 1;
  } catch (const std::invalid_argument& error) {
    complain(std::string("catena: ") + error.what());
    return 2;
  } catch (const std::exception& error) {  // std::domain_error, a full disk, out of memory
    complain(std::string("catena: ") + error.what());
    return 1;
  }
}

}  // namespace
}  // namespace catena::cli

int main(int argc, char** argv) {
  catena::system::prepare_streams();
  catena::system::ignore_failed_writes();  // after one, temporary files are removed
  catena::cli::tidy_up_at_signals();
  return catena::cli::guarded_run(catena::system::arguments(argc, argv));
}
