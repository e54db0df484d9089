// catena methods: lists the formulations.
#include <fmt/format.h>

#include <memory>

#include "catena/job.hpp"
#include "command.hpp"
#include "output/output.hpp"
#include "terminal/errors.hpp"

namespace catena::cli {
namespace methods_command {

struct Options {
  std::string job;
  bool json = false, markdown = false;
};

// A table of the README; a test compares the two.
std::string markdown(const std::vector<FormulationInfo>& list) {
  std::string text = "| name | source | equations |\n| --- | --- | --- |\n";
  for (const FormulationInfo& f : list)
    text += fmt::format("| `{}` | {} | [page]({}) |\n", f.name, f.source, f.equations);
  return text;
}

void run(const Options& options) {
  const std::vector<FormulationInfo> chosen = formulations(options.job);
  if (chosen.empty()) {
    std::vector<std::string> known;
    for (const JobInfo& job : jobs()) known.emplace_back(job.name);
    throw UsageError(
        fmt::format("--compute: nothing computes '{}'{}", printable(options.job), suggest(options.job, known)));
  }
  if (options.markdown) return emit(markdown(chosen));
  Json list = Json::array();
  TextTable table;
  for (const char* title : {"name", "computes", "source", "equations", "cost as published"})
    table.column(title, TextTable::Align::left);
  for (const FormulationInfo& f : chosen) {
    list.push_back(
        {{"name", f.name}, {"computes", f.job}, {"source", f.source}, {"equations", f.equations}, {"cost", f.cost}});
    table.row({std::string(f.name), std::string(f.job), std::string(f.source), std::string(f.equations),
               std::string(f.cost)});
  }
  if (options.json) return emit(json_line({{"methods", list}}));
  emit(table.text() +
       "\nA published cost is the source's own count for a general arm of n joints. Some sources multiply full 4x4 "
       "matrices,\n"
       "and do so again for every term. 'catena count --n 6' counts what this program does for such an arm, and\n"
       "docs/operation-counts.md has both side by side.\n");
}

}  // namespace methods_command

void add_methods(CLI::App& program) {
  using namespace methods_command;
  const auto options = std::make_shared<Options>();
  CLI::App* command = add_command(program, "methods", "List the formulations, their sources and costs",
                                  "  catena methods\n"
                                  "  catena methods --compute inverse --json");
  command->add_option("--compute", options->job, "only those of this job, see 'catena jobs'")->type_name("JOB");
  command->add_flag("--json", options->json, "print one JSON object: methods");
  command->add_flag("--markdown", options->markdown, "print the table of docs/formulations.md")->excludes("--json");
  command->callback([options] { run(*options); });
}

}  // namespace catena::cli
