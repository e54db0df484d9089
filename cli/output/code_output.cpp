#include "output/code_output.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <filesystem>

#include "catena/tables.hpp"
#include "output/own_files.hpp"
#include "terminal/errors.hpp"

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

std::vector<std::string> files_of(const std::string& output, const LanguageInfo& language) {
  if (output.empty() || language.file_each) return {};
  std::vector<std::string> files{output};
  if (!language.has_header) return files;
  files.push_back(std::filesystem::path(output).replace_extension(".h").string());
  if (files[1] == files[0]) throw UsageError("-o names the source file; the header goes to the same name in .h");
  return files;
}

void write_code(const Code& code, const std::vector<std::string>& files) {
  if (files.empty()) return emit(code.source);
  std::vector<TextFile> texts{{files[0], code.source}};
  if (files.size() > 1) texts.push_back({files[1], code.header});
  write_text_files(texts);
}

std::vector<std::string> write_functions(const std::vector<Program>& programs, const CodeOptions& code,
                                         const std::string& output, bool force) {
  const LanguageInfo& language = language_info(code.language);
  const std::filesystem::path path(output);
  const std::string first = function_name(programs[0], code);
  const bool is_file = path.extension() == language.extension;
  if (is_file && (programs.size() > 1 || path.stem() != first))
    throw UsageError(fmt::format("--lang {} finds a function by its file, {}{}: -o names that file or a folder",
                                 language.name, first, language.extension));
  std::vector<std::string> files, sources;
  for (const Program& program : programs) {
    const std::string name = function_name(program, code) + std::string(language.extension);
    files.push_back(is_file ? output : (path / name).string());
    sources.push_back(print_code({program}, code).source);
  }
  require_own(files, force);
  std::error_code ignored;  // where a folder cannot be made, files in it cannot be written
  if (!is_file) std::filesystem::create_directory(path, ignored);
  std::vector<TextFile> texts;
  for (std::size_t k = 0; k < files.size(); ++k) texts.push_back({files[k], sources[k]});
  write_text_files(texts);
  return files;
}

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
      text += fmt::format("{}: nothing is left out, because no shorter program kept within the allowed error\n",
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
