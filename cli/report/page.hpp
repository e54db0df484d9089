// Pages: the option --report, and how a page is put together of the template that the build made and what is to be
// seen.
#pragma once

#include <string>
#include <vector>

#include "options/app.hpp"
#include "options/model_options.hpp"
#include "report/scene.hpp"

namespace catena::cli {

struct ReportOption {
  std::string file;

  void add(CLI::App& command);
  bool given() const { return !file.empty(); }
  // Before the work: throws UsageError on another kind of file, std::runtime_error where the page was not built.
  void require() const;
  void write(const report::Scene& scene) const;
};

// The robot of a command as it is computed, under the command line that was typed.
report::Scene scene_of(const ModelOptions& options, const Robot& robot, const std::string& kind);
report::Scene scene_of(const ModelOptions& options, const std::string& model, const Robot& robot,
                       const std::string& kind);

// The command line as a shell would take it.
void remember_command(const std::vector<std::string>& arguments);

// Throws std::runtime_error that says how to get it.
std::string page_template();
void write_page(const std::string& path, const std::string& title, const std::vector<report::Scene>& scenes,
                const report::Json& benchmarks = {});

// The payload as it stands in a script of an HTML file: nothing in it ends that script.
std::string script_text(const report::Json& payload);

}  // namespace catena::cli
