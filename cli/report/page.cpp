#include "report/page.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <stdexcept>

#include "catena/robot_file.hpp"
#include "catena/tables.hpp"
#include "options/numbers.hpp"
#include "terminal/errors.hpp"

namespace catena::cli {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view data_mark = "<!--catena-data-->", engine_sign = "id=\"catena-engine\"";

std::string& typed_command() {
  static std::string text;
  return text;
}

std::string quoted(const std::string& word) {
  const bool plain = !word.empty() && word.find_first_not_of(
                                          "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                                          "-_=+,./:@%") == std::string::npos;
  if (plain) return word;
  std::string out = "'";
  for (const char c : word) out += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return out + "'";
}

// Where the template may be, in this order; CATENA_PAGE alone where it is set.
std::vector<fs::path> places() {
  if (const char* chosen = std::getenv("CATENA_PAGE"); chosen != nullptr && *chosen != '\0') return {chosen};
  std::error_code ignored;
  const fs::path program = fs::read_symlink("/proc/self/exe", ignored).parent_path();
  return {program / "page" / "page.html", (program / CATENA_PAGE_FROM_PROGRAM).lexically_normal()};
}

bool has_once(const std::string& text, std::string_view mark) {
  const std::size_t at = text.find(mark);
  return at != std::string::npos && text.find(mark, at + 1) == std::string::npos;
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

void remember_command(const std::vector<std::string>& arguments) {
  typed_command() = "catena";
  for (const std::string& word : arguments) typed_command() += " " + quoted(word);
}

void ReportOption::add(CLI::App& command) {
  command.add_option("--report", file, "a page to look at it in a browser: FILE.html")->type_name("FILE");
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
  scene.payloads = payloads_of(options, robot);
  if (options.rigid)
    for (JointDescription& joint : scene.robot.joints) joint.drive = {};
  if (options.snap) scene.notes.emplace_back("Computed with --snap; the page computes with the robot as it was read.");
  return scene;
}

report::Scene scene_of(const ModelOptions& options, const Robot& robot, const std::string& kind) {
  return scene_of(options, options.model, robot, kind);
}

std::string page_template() {
  for (const fs::path& place : places()) {
    std::ifstream in(place, std::ios::binary);
    if (!in) continue;
    std::string text{std::istreambuf_iterator<char>(in), {}};
    if (!has_once(text, data_mark))
      throw std::runtime_error(
          fmt::format("{}: this is no page of catena: it must have {} once", place.string(), data_mark));
    return text;
  }
  throw std::runtime_error(
      fmt::format("the page is missing (looked for {}): 'make page' builds it where Node.js is (Debian: nodejs, npm; "
                  "emscripten for a page that computes)",
                  fmt::join(
                      [] {
                        std::vector<std::string> names;
                        for (const fs::path& place : places()) names.push_back(place.string());
                        return names;
                      }(),
                      ", ")));
}

std::string script_text(const report::Json& payload) {
  // In JSON a '<' stands in strings alone; what is not ASCII is escaped anyway.
  const std::string json = payload.dump(-1, ' ', true, report::Json::error_handler_t::replace);
  std::string out;
  out.reserve(json.size() + json.size() / 64);
  for (const char c : json) {
    if (c == '<')
      out += "\\u003c";
    else
      out += c;
  }
  return out;
}

void write_page(const std::string& path, const std::string& title, const std::vector<report::Scene>& scenes,
                const report::Json& benchmarks) {
  std::string page = page_template();
  report::Json payload = {
      {"version", 1}, {"program", "catena " CATENA_VERSION}, {"title", title}, {"scenes", report::Json::array()}};
  const auto warn = [](const std::string& line) { note("catena: warning: " + line); };
  for (const report::Scene& scene : scenes) payload["scenes"].push_back(scene.json(warn));
  if (!benchmarks.is_null()) payload["benchmarks"] = benchmarks;
  const std::string script =
      "<script type=\"application/json\" id=\"catena-data\">" + script_text(payload) + "</script>";
  const bool computes = page.find(engine_sign) != std::string::npos;
  page.replace(page.find(data_mark), data_mark.size(), script);
  write_text_file(path, page);
  note(fmt::format(
      "{}: {:.1f} MB; open it in a browser{}", path, static_cast<double>(page.size()) / 1e6,
      computes ? "" : "; it plays what was computed, but computes nothing: it was built without Emscripten"));
}

}  // namespace catena::cli
