// catena check: is this file a robot? Reports every problem of every file, not only the first.
#include <fmt/format.h>

#include <memory>

#include "catena/validate.hpp"
#include "command.hpp"
#include "io/formats.hpp"
#include "options/model_options.hpp"
#include "output/description.hpp"
#include "output/output.hpp"
#include "terminal/errors.hpp"

namespace catena::cli {
namespace check_command {

struct Options {
  std::vector<std::string> models;
  ModelOptions model;  // shared by all of them
  bool json = false;
};

std::string verdict(const std::string& model, const Robot& robot) {
  std::string out = fmt::format("{}: OK: {}, {} joint{}, {:.6g} kg", model_label(model), robot.name, robot.dof(),
                                robot.dof() == 1 ? "" : "s", robot.mass());
  if (!robot.warnings.empty())
    out += fmt::format(", {} warning{}", robot.warnings.size(), robot.warnings.size() == 1 ? "" : "s");
  return out + "\n";
}

void run(const Options& options) {
  std::string text, problems;
  Json reports = Json::array();
  for (const std::string& model : options.models) {
    try {
      std::vector<std::string> notes;
      const Robot robot = options.model.load(model, &notes);
      reports.push_back(describe_json(robot));
      reports.back()["notes"] = notes;
      for (const std::string& line : notes) note(line);
      text += verdict(model, robot);
    } catch (const ModelError& error) {
      problems += problems.empty() ? "" : "\n";
      problems += error.what();
    }
  }
  if (!problems.empty()) throw ModelError(problems);
  if (options.json) text = json_line(reports.size() == 1 ? reports.front() : Json{{"models", reports}});
  emit(text);
}

}  // namespace check_command

void add_check(CLI::App& program) {
  using namespace check_command;
  const auto options = std::make_shared<Options>();
  CLI::App* command = add_command(
      program, "check", "Check robot files: list every problem, every warning, and every element that is not used",
      "  catena check my_robot.urdf\n"
      "  catena check models/*.toml --strict");
  command
      ->add_option("MODEL", options->models,
                   io::endings_in_words(io::Use::reading) + " files, names of shipped robots, or - for stdin")
      ->required()
      ->type_name("");
  options->model.add_changes(*command);
  command->add_flag("--json", options->json, "print one JSON object, as info does ({\"models\": […]} for several)");
  command->callback([options] { run(*options); });
}

}  // namespace catena::cli
