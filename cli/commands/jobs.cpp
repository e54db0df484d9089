// catena jobs: lists what can be computed, from the job descriptions.
#include <fmt/format.h>

#include <memory>

#include "command.hpp"
#include "jobs/extent_text.hpp"
#include "output/output.hpp"

namespace catena::cli {
namespace jobs_command {

// Every joint has the same number of parameters.
std::string side_text(const Extent& extent) {
  return extent.of == Extent::Of::parameters ? fmt::format("{} nv", parameters_per_joint) : extent_text(extent);
}

std::string shape_text(const OutputInfo& output) {
  if (!output.is_matrix()) return side_text(output.rows);
  return side_text(output.rows) + " x " + side_text(output.columns);
}

std::vector<std::string> inputs_of(const JobInfo& job) {
  std::vector<std::string> names;
  for (const Input input : job.inputs) names.emplace_back(info_of(input).name);
  if (job.takes_frame) names.emplace_back("frame");
  if (job.feels_wrenches()) names.emplace_back("wrenches");
  return names;
}

std::vector<std::string> outputs_of(const JobInfo& job) {
  std::vector<std::string> texts;
  for (const OutputInfo& output : job.outputs) texts.push_back(fmt::format("{} [{}]", output.name, shape_text(output)));
  return texts;
}

Json to_json(const JobInfo& job) {
  Json outputs = Json::array(), names = Json::array();
  for (const OutputInfo& output : job.outputs)
    outputs.push_back({{"name", output.name},
                       {"words", output.words},
                       {"shape", shape_text(output)},
                       {"symmetric", output.symmetric},
                       {"units", {output.unit.turning, output.unit.sliding}}});
  for (const FormulationInfo& f : job.formulations) names.push_back(f.name);
  return {{"name", job.name},   {"words", job.words}, {"inputs", inputs_of(job)},
          {"outputs", outputs}, {"methods", names},   {"default", job.standard(6)}};
}

// The table of docs/commands.md; a test compares the two.
std::string markdown() {
  std::string text = "| job | computes | takes | gives | formulations |\n| --- | --- | --- | --- | --- |\n";
  for (const JobInfo& job : jobs()) {
    std::vector<std::string> names;
    for (const FormulationInfo& f : job.formulations) names.emplace_back(f.name);
    text += fmt::format("| `{}` | {} | {} | {} | {} |\n", job.name, job.words, fmt::join(inputs_of(job), ", "),
                        fmt::join(outputs_of(job), ", "), fmt::join(names, ", "));
  }
  return text;
}

struct Options {
  bool json = false, markdown = false;
};

void run(const Options& options) {
  if (options.markdown) return emit(markdown());
  Json list = Json::array();
  TextTable table;
  for (const char* title : {"job", "computes", "takes", "gives"}) table.column(title, TextTable::Align::left);
  for (const JobInfo& job : jobs()) {
    list.push_back(to_json(job));
    table.row({std::string(job.name), std::string(job.words), fmt::format("{}", fmt::join(inputs_of(job), ", ")),
               fmt::format("{}", fmt::join(outputs_of(job), ", "))});
  }
  emit(options.json ? json_line({{"jobs", list}}) : table.text());
}

}  // namespace jobs_command

void add_jobs(CLI::App& program) {
  using namespace jobs_command;
  const auto options = std::make_shared<Options>();
  CLI::App* command = add_command(program, "jobs", "List what can be computed: inputs, outputs, shapes and units",
                                  "  catena jobs\n"
                                  "  catena jobs --json");
  command->add_flag("--json", options->json, "print one JSON object: jobs");
  command->add_flag("--markdown", options->markdown, "print the table of docs/commands.md")->excludes("--json");
  command->callback([options] { run(*options); });
}

}  // namespace catena::cli
