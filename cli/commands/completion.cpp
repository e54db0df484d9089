// catena completion: a completion script for a shell, generated from the program's own commands and options.
#include <fmt/format.h>

#include <memory>

#include "catena/job.hpp"
#include "catena/robot_file.hpp"
#include "command.hpp"
#include "output/output.hpp"
#include "terminal/words.hpp"

namespace catena::cli {
namespace completion_command {

// What may follow an option.
struct Value {
  enum class Kind { none, words, file, other } kind = Kind::none;
  std::vector<std::string> words;
};
struct OptionView {
  std::vector<std::string> names;  // with their dashes
  std::string description;
  Value value;
};
struct CommandView {
  std::string name, description;
  std::vector<OptionView> options;
  Value argument;
};

std::vector<std::string> formulation_words() {
  std::vector<std::string> words;
  for (const FormulationInfo& f : formulations())
    if (std::find(words.begin(), words.end(), f.name) == words.end()) words.emplace_back(f.name);
  return words;
}
std::vector<std::string> job_words() {
  std::vector<std::string> words;
  for (const JobInfo& job : jobs()) words.emplace_back(job.name);
  return words;
}

// The models whose file names a shell takes literally: the shell expands what it completes.
std::vector<std::string> model_words() {
  std::vector<std::string> words = shipped_models();
  std::erase_if(words, [](const std::string& word) {
    return word.find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-.+") !=
           std::string::npos;
  });
  return words;
}

// A type name "a|b" lists the choices, FILE stands for a path; --method and --compute take words from the list of jobs.
Value value_of(const CLI::Option& option) {
  if (option.get_expected_max() == 0) return {};
  const std::string type = option.get_type_name();
  if (option.check_lname("method")) return {Value::Kind::words, formulation_words()};
  if (option.check_lname("compute")) return {Value::Kind::words, job_words()};
  if (option.get_name() == "MODEL" || option.get_name() == "OTHER") return {Value::Kind::words, model_words()};
  if (type.find('|') != std::string::npos) return {Value::Kind::words, split(type, '|')};
  return {type == "FILE" ? Value::Kind::file : Value::Kind::other, {}};
}

std::vector<std::string> command_words(CLI::App& program) {
  std::vector<std::string> words;
  for (const CLI::App* command : program.get_subcommands({})) words.push_back(command->get_name());
  return words;
}

std::vector<CommandView> commands_of(CLI::App& program) {
  std::vector<CommandView> views;
  for (const CLI::App* command : program.get_subcommands({})) {
    CommandView view{command->get_name(), command->get_description(), {}, {}};
    for (const CLI::Option* option : command->get_options()) {
      Value value = value_of(*option);
      if (option->get_name() == "COMMAND") value = {Value::Kind::words, command_words(program)};
      if (option->get_positional()) {
        view.argument = value;
        continue;
      }
      OptionView item{{}, option->get_description(), value};
      for (const std::string& name : option->get_snames()) item.names.push_back("-" + name);
      for (const std::string& name : option->get_lnames()) item.names.push_back("--" + name);
      view.options.push_back(item);
    }
    views.push_back(view);
  }
  return views;
}

std::string quoted(std::string text) {  // for use inside single quotes, in any of the shells
  std::erase(text, '\'');
  return "'" + text + "'";
}

std::string all_names(const CommandView& command) {
  std::vector<std::string> names;
  for (const OptionView& option : command.options) names.insert(names.end(), option.names.begin(), option.names.end());
  return fmt::format("{}", fmt::join(names, " "));
}

std::string bash_value(const Value& value) {
  switch (value.kind) {
    case Value::Kind::words:
      return fmt::format("COMPREPLY=($(compgen -W '{}' -- \"$cur\"))", fmt::join(value.words, " "));
    case Value::Kind::file:
      return "COMPREPLY=($(compgen -f -- \"$cur\"))";
    default:
      return "COMPREPLY=()";
  }
}

// Models are completed as names of shipped models and as files; other arguments by their list of words.
std::string bash_argument(const CommandView& command) {
  std::string out = bash_value(command.argument);
  if (command.name != "completion" && command.argument.kind == Value::Kind::words)
    out += " && COMPREPLY+=($(compgen -f -- \"$cur\"))";
  return out;
}

std::string bash_script(const std::vector<CommandView>& commands) {
  std::vector<std::string> names;
  for (const CommandView& command : commands) names.push_back(command.name);
  std::string out = fmt::format(
      "# bash completion for catena: source <(catena completion bash)\n"
      "_catena() {{\n"
      "  local cur=${{COMP_WORDS[COMP_CWORD]}} prev=${{COMP_WORDS[COMP_CWORD-1]}}\n"
      "  if [[ $COMP_CWORD -eq 1 ]]; then\n"
      "    COMPREPLY=($(compgen -W '{} --help --version' -- \"$cur\"))\n"
      "    return\n"
      "  fi\n"
      "  case ${{COMP_WORDS[1]}} in\n",
      fmt::join(names, " "));
  for (const CommandView& command : commands) {
    out += fmt::format("    {})\n      case $prev in\n", command.name);
    for (const OptionView& option : command.options)
      if (option.value.kind != Value::Kind::none)
        out += fmt::format("        {}) {}; return ;;\n", fmt::join(option.names, "|"), bash_value(option.value));
    out += fmt::format(
        "      esac\n"
        "      if [[ $cur == -* ]]; then\n"
        "        COMPREPLY=($(compgen -W '{}' -- \"$cur\"))\n"
        "      else\n"
        "        {}\n"
        "      fi ;;\n",
        all_names(command), bash_argument(command));
  }
  return out + "  esac\n}\ncomplete -o filenames -F _catena catena\n";
}

std::string zsh_value(const Value& value) {
  switch (value.kind) {
    case Value::Kind::words:
      return fmt::format("compadd -- {}", fmt::join(value.words, " "));
    case Value::Kind::file:
      return "_files";
    default:
      return "_message value";
  }
}

std::string zsh_script(const std::vector<CommandView>& commands) {
  std::string out =
      "#compdef catena\n"
      "# zsh completion for catena: source <(catena completion zsh)\n"
      "_catena() {\n"
      "  local cur=${words[CURRENT]} prev=${words[CURRENT-1]}\n"
      "  local -a choices\n"
      "  if (( CURRENT == 2 )); then\n"
      "    choices=(";
  for (const CommandView& command : commands) out += quoted(command.name + ":" + command.description) + " ";
  out +=
      ")\n"
      "    _describe command choices\n"
      "    return\n"
      "  fi\n"
      "  case ${words[2]} in\n";
  for (const CommandView& command : commands) {
    out += fmt::format("    {})\n      case $prev in\n", command.name);
    for (const OptionView& option : command.options)
      if (option.value.kind != Value::Kind::none)
        out += fmt::format("        {}) {}; return ;;\n", fmt::join(option.names, "|"), zsh_value(option.value));
    const bool files = command.name != "completion" && command.argument.kind == Value::Kind::words;
    out += fmt::format(
        "      esac\n"
        "      if [[ $cur == -* ]]; then\n"
        "        compadd -- {}\n"
        "      else\n"
        "        {}{}\n"
        "      fi ;;\n",
        all_names(command), zsh_value(command.argument), files ? "; _files" : "");
  }
  return out + "  esac\n}\ncompdef _catena catena\n";
}

std::string fish_script(const std::vector<CommandView>& commands) {
  std::string out =
      "# fish completion for catena: catena completion fish | source\n"
      "complete -c catena -f\n"
      "complete -c catena -n __fish_use_subcommand -l help -d 'show help'\n"
      "complete -c catena -n __fish_use_subcommand -l version -d 'show the version'\n";
  for (const CommandView& command : commands) {
    out += fmt::format("complete -c catena -n __fish_use_subcommand -a {} -d {}\n", command.name,
                       quoted(command.description));
    const std::string start = fmt::format("complete -c catena -n '__fish_seen_subcommand_from {}'", command.name);
    if (command.argument.kind == Value::Kind::words)
      out += fmt::format("{}{} -a '{}'\n", start, command.name == "completion" ? "" : " -F",
                         fmt::join(command.argument.words, " "));
    for (const OptionView& option : command.options) {
      out += start;
      for (const std::string& name : option.names)
        out += name.starts_with("--") ? " -l " + name.substr(2) : " -s " + name.substr(1);
      if (option.value.kind == Value::Kind::words)
        out += fmt::format(" -x -a '{}'", fmt::join(option.value.words, " "));
      if (option.value.kind == Value::Kind::file) out += " -r -F";
      if (option.value.kind == Value::Kind::other) out += " -x";
      out += " -d " + quoted(option.description) + "\n";
    }
  }
  return out;
}

}  // namespace completion_command

void add_completion(CLI::App& program) {
  using namespace completion_command;
  const auto shell = std::make_shared<std::string>();
  CLI::App* command = add_command(program, "completion", "Print a completion script for a shell",
                                  "  source <(catena completion bash)\n"
                                  "  catena completion zsh > \"${fpath[1]}/_catena\"\n"
                                  "  catena completion fish > ~/.config/fish/completions/catena.fish");
  command->add_option("SHELL", *shell, "the shell")
      ->required()
      ->check(one_of({"bash", "zsh", "fish"}))
      ->type_name("bash|zsh|fish");
  command->callback([shell, &program] {
    const std::vector<CommandView> commands = commands_of(program);
    emit(*shell == "bash" ? bash_script(commands) : *shell == "zsh" ? zsh_script(commands) : fish_script(commands));
  });
}

}  // namespace catena::cli
