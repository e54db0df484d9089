// Pages: the option --report, and how the program finds the template.
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
  // Called before the work: throws UsageError on any other kind of file, std::runtime_error where no page was built.
  void require() const;
  void write(const report::Scene& scene) const;
};

// The robot of a command as it is computed, titled with the command line.
report::Scene scene_of(const ModelOptions& options, const Robot& robot, const std::string& kind);
report::Scene scene_of(const ModelOptions& options, const std::string& model, const Robot& robot,
                       const std::string& kind);

// Keeps the command line in the form in which a shell would accept it.
void remember_command(const std::vector<std::string>& arguments);
std::string& typed_command();

// Throws std::runtime_error that says how to get the template.
std::string page_template();
void write_page(const std::string& path, const std::string& title, const std::vector<report::Scene>& scenes,
                const report::Json& benchmarks = {});

}  // namespace catena::cli
