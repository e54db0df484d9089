#include "pages/report_option.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <filesystem>

#include "catena/robot_file.hpp"
#include "catena/tables.hpp"
#include "options/numbers.hpp"
#include "report/page.hpp"
#include "system/own_process.hpp"
#include "terminal/errors.hpp"

namespace catena::cli {
namespace {

namespace fs = std::filesystem;

std::string quoted(const std::string& word) {
  const bool plain = !word.empty() && word.find_first_not_of(
                                          "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                                          "-_=+,./:@%") == std::string::npos;
  if (plain) return word;
  std::string out = "'";
  for (const char c : word) out += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return out + "'";
}

// Where the template may be, in order of preference; only CATENA_PAGE where that is set.
std::vector<fs::path> places() {
  if (const std::string chosen = system::variable("CATENA_PAGE"); !chosen.empty()) return {chosen};
  const fs::path program = fs::path(system::program_file()).parent_path();
  return {program / "page" / "page.html", (program / CATENA_PAGE_FROM_PROGRAM).lexically_normal()};
}

report::Json payloads_of(const ModelOptions& options, const Robot& robot) {
  report::Json out = report::Json::array();
  for (const std::string& text : options.payloads) {
    const std::size_t colon = text.rfind(':');
    const std::vector<double> v = parse_numbers(std::string_view(text).substr(colon + 1), "--payload");
    const std::string frame = text.substr(0, colon);
    out.push_back(
        {{"frame", frame == "tool" ? robot.tool_name() : frame}, {"mass", v[0]}, {"com", {v[1], v[2], v[3]}}});
  }
  return out;
}

}  // namespace

std::string& typed_command() {
  static std::string text;
  return text;
}

void remember_command(const std::vector<std::string>& arguments) {
  typed_command() = "catena";
  for (const std::string& word : arguments) typed_command() += " " + quoted(word);
}

void ReportOption::add(CLI::App& command) {
  command.add_option("--report", file, "also write a page to open in a browser: FILE.html")->type_name("FILE");
}

void ReportOption::require() const {
  if (!given()) return;
  const std::string ending = fs::path(file).extension().string();
  if (ending != ".html" && ending != ".htm")
    throw UsageError(fmt::format("--report {}: the name must end in .html", printable(file)));
  page_template();
}

void ReportOption::write(const report::Scene& scene) const {
  if (given()) write_page(file, scene.name, {scene});
}

report::Scene scene_of(const ModelOptions& options, const std::string& model, const Robot& robot,
                       const std::string& kind) {
  report::Scene scene{.name = robot.name, .kind = kind, .command = typed_command(), .robot = robot};
  if (model != "-" && !model.empty()) scene.file = find_model(model);
  scene.reading = options.reading();
  scene.payloads = payloads_of(options, robot);
  if (options.rigid)
    for (JointDescription& joint : scene.robot.joints) joint.drive = {};
  if (options.snap)
    scene.notes.emplace_back("Computed with --snap, but the page computes with the robot as it was read.");
  return scene;
}

report::Scene scene_of(const ModelOptions& options, const Robot& robot, const std::string& kind) {
  return scene_of(options, options.model, robot, kind);
}

std::string page_template() { return report::page_template(places()); }

void write_page(const std::string& path, const std::string& title, const std::vector<report::Scene>& scenes,
                const report::Json& benchmarks) {
  const auto warn = [](const std::string& line) { note("catena: warning: " + line); };
  const std::string page =
      report::filled_page(page_template(), {title, "catena " CATENA_VERSION, scenes, benchmarks}, warn);
  write_text_file(path, page);
  note(fmt::format("{}: {:.1f} MB; open it in a browser{}", path, static_cast<double>(page.size()) / 1e6,
                   report::computes(page)
                       ? ""
                       : "; it plays what was computed but computes nothing, because it was built without Emscripten"));
}

}  // namespace catena::cli
