// catena laws: the control laws that run step by step, and their parameters.
#include <fmt/format.h>

#include <memory>

#include "catena/laws.hpp"
#include "command.hpp"
#include "output/output.hpp"
#include "terminal/errors.hpp"

namespace catena::cli {
namespace laws_command {

struct Options {
  std::string law;
  bool json = false;
};

std::string_view per(const LawParameter& parameter) {
  switch (parameter.per) {
    case LawParameter::Per::joint:
      return "joint";
    case LawParameter::Per::direction:
      return "direction";
    default:
      return "law";
  }
}
std::string_view follows(const LawInfo& law) {
  return law.follows == LawInfo::Follows::joints ? "joints" : law.follows == LawInfo::Follows::frame ? "frame" : "both";
}

std::string standard(const LawParameter& parameter) {
  std::string text = fmt::format("{:g}", parameter.standard);
  if (parameter.turning != parameter.standard) text += fmt::format(", turning {:g}", parameter.turning);
  return text + (parameter.by_inertia ? " x inertia" : "");
}

Json json_of(const LawInfo& law) {
  Json parameters = Json::array();
  for (const LawParameter& p : law.parameters)
    parameters.push_back({{"name", p.name},
                          {"words", p.words},
                          {"per", per(p)},
                          {"default", p.standard},
                          {"times_inertia", p.by_inertia},
                          {"default_turning", p.turning}});
  return {{"name", law.name}, {"words", law.words}, {"follows", follows(law)}, {"parameters", parameters}};
}

void run(const Options& options) {
  Json list = Json::array();
  std::string text;
  std::vector<std::string> names;
  for (const LawInfo& law : control_laws()) {
    names.emplace_back(law.name);
    if (!options.law.empty() && law.name != options.law) continue;
    list.push_back(json_of(law));
    text += fmt::format("{}{}: {}\n", text.empty() ? "" : "\n", law.name, law.words);
    TextTable table;
    for (const char* title : {"  gain", "one a", "default", ""}) table.column(title, TextTable::Align::left);
    for (const LawParameter& p : law.parameters)
      table.row({"  " + std::string(p.name), std::string(per(p)), standard(p), std::string(p.words)});
    if (!law.parameters.empty()) text += table.text();
    if (law.takes_schedule) text += "  its gains follow from --weights along the motion\n";
  }
  if (list.empty())
    throw UsageError(fmt::format("unknown law '{}'{}", printable(options.law), suggest(options.law, names)));
  emit(options.json ? json_line({{"laws", list}}) : text);
}

}  // namespace laws_command

void add_laws(CLI::App& program) {
  using namespace laws_command;
  const auto options = std::make_shared<Options>();
  CLI::App* command = add_command(
      program, "laws", "List the control laws for 'simulate --torque' and 'generate --law'",
      "  catena laws\n"
      "  catena laws impedance\n"
      "\n"
      "A default with 'x inertia' is multiplied by the inertia that the joint moves, 1/(M^-1)_jj, in the middle of its "
      "limits.\ndocs/control-laws.md explains the laws, and docs/equations/control_laws.md has their equations.");
  command->add_option("LAW", options->law, "only this one")->type_name("");
  command->add_flag("--json", options->json, "print one JSON object: laws");
  command->callback([options] { run(*options); });
}

}  // namespace catena::cli
