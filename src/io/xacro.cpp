#include "io/xacro.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <sstream>
#include <utility>
#include <vector>

#include "io/file.hpp"
#include "io/packages.hpp"
#include "io/text.hpp"
#include "system/descriptor.hpp"
#include "system/own_process.hpp"
#include "system/process.hpp"
#include "system/temporary.hpp"

namespace catena::io {
namespace {

namespace fs = std::filesystem;

constexpr double longest_run = 60.0;                            // s
constexpr std::size_t largest_output = std::size_t{64} << 20U;  // as of robot files
constexpr int not_installed = 97;                               // the status that `launcher` ends with

// Runs the Python package. Modules are not looked for in the folder where the user stands.
constexpr const char* launcher =
    "import sys\n"
    "sys.path[:] = [folder for folder in sys.path if folder]\n"
    "try:\n"
    "    import xacro\n"
    "except ImportError:\n"
    "    sys.exit(97)\n"
    "xacro.main()\n";

// xacro asks this module for $(find NAME). Without ROS there is none; this one reads names and folders from a file
// beside it. The environment has the folders once more, for the xacro of ROS 1, which asks another.
constexpr const char* finder = R"(import os
import sys

sys.modules[__name__ + ".packages"] = sys.modules[__name__]


def get_package_share_directory(name, print_warning=True):
    with open(os.path.join(os.path.dirname(__file__), "packages"), encoding="utf-8") as found:
        for line in found:
            known, folder = line.rstrip("\n").split("\t")
            if known == name:
                return folder
    sys.exit(f"error: package '{name}' is in none of the folders of --package-path and ROS_PACKAGE_PATH")
)";

// A folder of our own for what the program reads; removed with its files.
class Folder {
 public:
  Folder() {
    std::error_code ignored;
    path_ = (fs::temp_directory_path(ignored) / "catena-xacro-XXXXXX").string();
    if (!system::make_unique_folder(path_)) fail_with_errno(path_, "cannot make this folder");
    noted_ = system::note_unfinished(path_);
  }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  ~Folder() {
    files_.clear();
    system::remove_folder(path_.c_str());
    system::forget_unfinished(noted_);
  }

  const std::string& path() const { return path_; }
  std::string write(const std::string& name, std::string_view text) {
    system::Temporary& file = files_.emplace_back(path_ + "/" + name);
    const system::Descriptor open = file.create(system::for_owner);
    if (!open.open() || !system::write_all(open.get(), text)) fail_with_errno(path_ + "/" + name, "cannot be written");
    return file.path();
  }

 private:
  std::string path_;
  std::vector<system::Temporary> files_;
  system::TemporaryName* noted_ = nullptr;
};

// What runs xacro, up to its arguments.
std::vector<std::string> runner(const std::string& python, const std::string& file) {
  if (!python.empty()) return {python, "-c", launcher};
  if (const std::string program = system::on_path("xacro"); !program.empty()) return {program};
  if (const std::string found = system::on_path("python3"); !found.empty()) return {found, "-c", launcher};
  fail(file, "this is xacro, and neither xacro nor python3 is in PATH; install it with: pip install xacro");
}

// xacro passes over what it cannot use.
void require_argument(const std::string& argument, const std::string& file) {
  const std::size_t mark = argument.find(":=");
  const std::string name = argument.substr(0, mark);
  const bool has_name = !name.empty() && (std::isalpha(static_cast<unsigned char>(name[0])) != 0) &&
                        name.find_first_of(" \t\n") == std::string::npos;
  if (mark == std::string::npos || !has_name || trimmed(argument.substr(mark + 2)).empty() ||
      argument.find(":=", mark + 2) != std::string::npos || argument.find('\0') != std::string::npos)
    fail(file, fmt::format("an argument for xacro must be NAME:=VALUE, not {}", io::quoted(argument)));
}

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  for (std::size_t at = 0; (at = text.find(from, at)) != std::string::npos; at += to.size())
    text.replace(at, from.size(), to);
  return text;
}

// What it says about the error, in one line: "undefined variable; when instantiating macro: arm (…); in file: …".
std::string reason(const std::string& errors, const std::string& file) {
  std::vector<std::string> lines;
  std::istringstream in(errors);
  std::string last;
  for (std::string line; std::getline(in, line);) {
    line = trimmed(line);
    if (line.starts_with("Check that:")) break;
    if (!line.empty()) last = line;
    const bool starts = line.starts_with("error: ") || line.starts_with("XML parsing error: ");
    if (starts) lines.clear();
    if (line == "when processing file: " + file) continue;
    line = line.substr(0, line.find(" [Errno "));  // repeats what stands before it
    if (!line.empty() && (starts || !lines.empty())) lines.push_back(starts ? line.substr(line.find(": ") + 2) : line);
  }
  constexpr std::size_t most_lines = 5;
  if (lines.size() > most_lines) lines.resize(most_lines);
  if (lines.empty()) lines = {last};  // of a traceback: the exception
  constexpr std::size_t longest = 1000;
  const std::string all = fmt::format("{}", fmt::join(lines, "; "));
  return all.size() > longest ? all.substr(0, longest) + "…" : all;
}

std::vector<std::string> variables(const Folder& folder, const LoadOptions& options) {
  const auto before = [](const char* name, std::vector<std::string> first) {
    for (std::string& other : listed_folders(name)) first.push_back(std::move(other));
    return fmt::format("{}={}", name, fmt::join(first, std::string(1, system::between_folders)));
  };
  return {before("PYTHONPATH", {folder.path()}), before("ROS_PACKAGE_PATH", options.package_path), "PYTHONUTF8=1",
          "PYTHONDONTWRITEBYTECODE=1"};
}

system::Finished run(const system::Program& program, const std::string& file) {
  try {
    return system::run_program(program);
  } catch (const system::StartError& error) {
    fail(file, fmt::format("xacro: {}", error.what()));
  }
}

}  // namespace

bool is_xacro(std::string_view text) {
  constexpr std::string_view element = "<xacro:", comment = "<!--", end = "-->";
  if (!trimmed(text).starts_with('<')) return false;
  for (;;) {
    const std::size_t found = text.find(element), skipped = text.find(comment);
    if (found == std::string_view::npos) return false;
    if (found < skipped) return true;
    const std::size_t after = text.find(end, skipped + comment.size());
    if (after == std::string_view::npos) return false;
    text.remove_prefix(after + end.size());
  }
}

std::string expand_xacro(std::string_view text, const std::string& file, bool is_on_disk, const LoadOptions& options) {
  Folder folder;
  std::string packages;
  for (const auto& [name, place] : find_packages(options.package_path, is_on_disk ? file : ""))
    if ((name + place).find_first_of("\t\n\r") == std::string::npos) packages += name + "\t" + place + "\n";
  folder.write("packages", packages);
  folder.write("ament_index_python.py", finder);
  std::error_code ignored;
  const std::string path = is_on_disk ? fs::absolute(file, ignored).string() : folder.write("text.xacro", text);
  system::Program program{.words = runner(options.python, file),
                          .variables = variables(folder, options),
                          .timeout = longest_run,
                          .most_output = largest_output,
                          .errors_apart = true,
                          .ends_when_full = true};
  program.words.push_back(path);
  for (const std::string& argument : options.xacro) {
    require_argument(argument, file);
    program.words.push_back(argument);
  }
  system::Finished finished = run(program, file);
  if (finished.timed_out) fail(file, fmt::format("xacro took longer than {} s", longest_run));
  if (finished.full) fail(file, "xacro expands it to more than 64 MiB; this is not a robot file");
  if (finished.status == not_installed)
    fail(file, "this is xacro, which is not installed; install it with: pip install xacro");
  if (finished.status != 0)
    fail(file, "xacro: " + reason(replaced(replaced(finished.errors, path, file), folder.path() + "/", ""), file));
  if (is_xacro(finished.output)) fail(file, "xacro left xacro elements in its result");
  return std::move(finished.output);
}

}  // namespace catena::io
