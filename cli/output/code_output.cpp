#include "output/code_output.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace catena::cli {
namespace {

Json summary_of(const Program& program, const CodeOptions& code) {
  const GraphCost cost = program.cost();
  Json out{{"function", function_name(program, code)},
           {"jobs", program.jobs},
           {"methods", program.choices.formulations},
           {"multiplications", cost.multiplications},
           {"additions", cost.additions},
           {"fused", cost.fused},
           {"divisions", cost.reciprocals},
           {"sincos", cost.sincos},
           {"nodes", cost.nodes},
           {"depth", cost.depth},
           {"stack_bytes", stack_bound(program, code)}};
  if (const auto& abridged = program.abridged)
    out["abridged"] = {{"significance", abridged->how.significance},
                       {"by", "sampling"},
                       {"exact",
                        {{"multiplications", abridged->exact.multiplications},
                         {"additions", abridged->exact.additions},
                         {"divisions", abridged->exact.reciprocals}}},
                       {"speeds", abridged->how.speeds},
                       {"accelerations", abridged->how.accelerations},
                       {"states", abridged->states},
                       {"errors", abridged->errors},
                       {"scales", abridged->scales},
                       {"largest_error", abridged->largest_error()}};
  for (const Argument& input : program.inputs)
    for (const KeptParameter& p : input.parameters)
      out["parameters"].push_back({{"name", p.name}, {"nominal", p.nominal}});
  return out;
}

}  // namespace

Json summary(const std::vector<Program>& programs, const CodeOptions& code, const std::vector<std::string>& files) {
  Json functions = Json::array();
  for (const Program& program : programs) functions.push_back(summary_of(program, code));
  return {{"files", files}, {"functions", functions}};
}

std::string table_text(const std::vector<Program>& programs, const CodeOptions& code) {
  TextTable table;
  table.column("function", TextTable::Align::left);
  table.column("formulation", TextTable::Align::left);
  for (const char* title : {"multiplications", "additions", "divisions", "sin/cos"}) table.column(title);
  for (const Program& program : programs) {
    const GraphCost cost = program.cost();
    table.row({function_name(program, code), fmt::format("{}", fmt::join(program.choices.formulations, ", ")),
               std::to_string(cost.multiplications), std::to_string(cost.additions), std::to_string(cost.reciprocals),
               std::to_string(cost.sincos)});
  }
  return table.text();
}

std::string abridged_text(const std::vector<Program>& programs, const CodeOptions& code) {
  std::string text;
  for (const Program& program : programs) {
    if (!program.abridged) continue;
    if (program.abridged->states == 0) {
      text += fmt::format("{}: nothing is left out; no shorter program kept to the errors that are allowed\n",
                          function_name(program, code));
      continue;
    }
    const GraphCost cost = program.cost(), &exact = program.abridged->exact;
    text += fmt::format(
        "{}: {} of {} multiplications and additions; largest error {:.2g} % at {} fresh states (sampled, not a "
        "bound)\n",
        function_name(program, code), cost.multiplications + cost.additions, exact.multiplications + exact.additions,
        100.0 * program.abridged->largest_error(), program.abridged->states);
  }
  return text;
}

}  // namespace catena::cli
