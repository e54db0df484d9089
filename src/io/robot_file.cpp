// Whole robot files: reads the bytes, chooses the format, and reports problems.
#include "catena/robot_file.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstring>
#include <optional>
#include <utility>

#include "catena/tables.hpp"
#include "io/file.hpp"
#include "io/formats.hpp"
#include "io/limits.hpp"
#include "io/reading.hpp"
#include "io/source_text.hpp"
#include "io/text.hpp"
#include "system/descriptor.hpp"

namespace catena {

namespace {

using io::fail;
using io::fail_with_errno;
using system::Descriptor;

Descriptor open_file(const std::string& path) { return Descriptor(system::open_file(path, system::opening::to_read)); }

std::string read_bytes(const Descriptor& file, const std::string& path) {
  if (!file.open()) fail_with_errno(path, "cannot read this file");
  std::string text;
  std::vector<char> block(std::size_t{1} << 16U);
  while (true) {
    const std::ptrdiff_t got = system::read_some(file.get(), block.data(), block.size());
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) fail_with_errno(path, "cannot read this file");
    if (got == 0) return text;
    text.append(block.data(), static_cast<std::size_t>(got));
    if (text.size() > io::limits::file) fail(path, "larger than 64 MiB; this is not a robot file");
  }
}

// What all formats reject before any parsing.
std::optional<Problem> not_text(std::string_view text) {
  if (io::trimmed(text).empty()) return Problem{1, "the file is empty"};
  const std::size_t zero = text.find('\0');
  if (zero == std::string_view::npos) return std::nullopt;
  const auto line = 1 + std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(zero), '\n');
  return Problem{static_cast<int>(line), "a zero byte: this is binary data or UTF-16, not UTF-8 text"};
}

// What no robot has, and what would take too long to check.
std::optional<Problem> beyond_limits(const Robot& robot) {
  std::size_t terms = 0;
  for (const JointDescription& joint : robot.joints) terms += joint.coupling.terms.size();
  if (terms > io::limits::parts)
    return Problem{1, fmt::format("more than {} terms of couplings; this is not a robot file", io::limits::parts)};
  const auto overlong = [](const auto& parts) -> std::optional<Problem> {
    for (const auto& part : parts)
      if (part.name.size() > io::limits::name) return Problem{std::max(1, part.line), io::overlong_name(part.name)};
    return std::nullopt;
  };
  if (robot.name.size() > io::limits::name) return Problem{std::max(1, robot.line), io::overlong_name(robot.name)};
  for (const auto& problem :
       {overlong(robot.links), overlong(robot.joints), overlong(robot.frames), overlong(robot.loops)})
    if (problem) return problem;
  return std::nullopt;
}

void append(std::vector<Problem>& to, const std::vector<Problem>& more) {
  to.insert(to.end(), more.begin(), more.end());
}

void sort_by_line(std::vector<Problem>& problems) {
  std::stable_sort(problems.begin(), problems.end(),
                   [](const Problem& a, const Problem& b) { return a.line < b.line; });
}

// The first problems, and how many there are beside them.
std::string listed_problems(const std::string& file, std::vector<Problem> problems) {
  sort_by_line(problems);
  const std::size_t others = problems.size() - std::min(problems.size(), io::limits::problems);
  problems.resize(problems.size() - others);
  if (others > 0)
    problems.push_back({0, fmt::format("more than {} problems; the others are not listed", io::limits::problems)});
  return format_problems(file, problems);
}

// The last step of every reader: checks common to all formats, then the robot, or one exception with all problems.
Robot accept(io::Reading reading, const std::string& file, const LoadOptions& options) {
  Findings& all = reading.findings;
  reading.robot.lenient = options.lenient;
  reading.require_few_parts();
  if (const auto problem = beyond_limits(reading.robot)) throw ModelError(format_problems(file, {*problem}));
  if (!reading.robot.links.empty()) {
    const Findings parts = validate_parts(reading.robot);
    append(all.errors, parts.errors);
    append(all.warnings, parts.warnings);
    const Findings tree = reading.connected ? validate_tree(reading.robot) : Findings{};
    append(all.errors, tree.errors);
    if (all.ok()) append(all.warnings, tree.warnings);  // mass that could not be read is not missing mass
    if (all.ok() && reading.connected) append(all.errors, close_loops(reading.robot));
    const Robot& read = reading.robot;
    if (all.ok() && reading.connected && !read.loops.empty() && read.floating.empty() && read.dof() == 0)
      all.errors.push_back({read.loops.front().line, "the closed loops hold every joint; a robot has one that moves"});
  }
  if (options.strict) append(all.errors, all.warnings);
  if (!all.ok()) throw ModelError(listed_problems(file, all.errors));
  sort_by_line(all.warnings);
  for (const Problem& warning : all.warnings)
    reading.robot.warnings.push_back(
        {format_problems(file, {{warning.line, "warning: " + warning.text}}), warning.who, warning.kind});
  if (options.notes != nullptr) {
    std::stable_sort(reading.notes.begin(), reading.notes.end(),
                     [](const io::Note& a, const io::Note& b) { return a.line < b.line; });
    for (const io::Note& note : reading.notes)
      options.notes->push_back(format_problems(file, {{note.line, note.text()}}));
  }
  return std::move(reading.robot);
}

Robot parse(std::string_view text, const std::string& file, io::Reading (*read)(const io::RobotText&),
            const LoadOptions& options) {
  if (const auto problem = not_text(text)) throw ModelError(format_problems(file, {*problem}));
  if (text.size() > io::limits::file) fail(file, "larger than 64 MiB; this is not a robot file");
  try {
    return accept(read({text, file, options.lenient}), file, options);
  } catch (const io::TooManyProblems& many) {
    throw ModelError(listed_problems(file, many.errors));
  }
}

}  // namespace

Robot parse_toml(std::string_view text, const std::string& file, const LoadOptions& options) {
  return parse(text, file, io::read_toml, options);
}

Robot parse_urdf(std::string_view text, const std::string& file, const LoadOptions& options) {
  return parse(text, file, io::read_urdf, options);
}

Robot parse_robot(std::string_view text, const std::string& file, const LoadOptions& options) {
  const io::RobotFormat& format = io::format_of(file, text);
  if (format.expand == nullptr) return parse(text, file, format.read, options);
  const io::SourceText made = io::expanded({std::string(text), file}, false, options);
  return parse(made.text, made.name, io::format_of(made.name, made.text).read, options);
}

namespace io {

SourceText expanded(SourceText source, bool is_on_disk, const LoadOptions& options) {
  const RobotFormat& format = format_of(source.name, source.text);
  if (format.expand == nullptr) return source;
  if (const auto problem = not_text(source.text)) throw ModelError(format_problems(source.name, {*problem}));
  return {format.expand(source.text, source.name, is_on_disk, options),
          fmt::format("{} (expanded by {})", source.name, format.name)};
}

SourceText read_source(const std::string& path, const LoadOptions& options) {
  const bool from_stdin = path == "-";
  const std::string name = from_stdin ? "<stdin>" : path;
  std::string text = read_bytes(from_stdin ? Descriptor(::dup(STDIN_FILENO)) : open_file(path), name);
  return expanded({std::move(text), name}, !from_stdin, options);
}

}  // namespace io

Robot load_robot(const std::string& path, const LoadOptions& options) {
  const io::SourceText source = io::read_source(path, options);
  return parse_robot(source.text, source.name, options);
}

std::vector<Visual> read_visuals(const std::string& path, const LoadOptions& options) {
  if (path.empty() || path == "-") return {};
  try {
    const io::SourceText source = io::read_source(path, options);
    const io::RobotFormat& format = io::format_of(source.name, source.text);
    if (format.visuals == nullptr) return {};
    return format.visuals({.text = source.text, .file = path, .lenient = true, .package_path = options.package_path});
  } catch (const ModelError&) {
    return {};
  } catch (const io::TooManyProblems&) {
    return {};
  }
}

void save_robot(const Robot& robot, const std::string& path, std::string_view format_name) {
  const io::RobotFormat* format = format_name.empty() ? io::format_to_write(path) : io::format_named(format_name);
  if (format == nullptr && !format_name.empty())
    fail(path, fmt::format("{} is not a format that Catena writes; known: {}", io::quoted(format_name),
                           fmt::join(io::format_names(), ", ")));
  if (format == nullptr) fail(path, "the ending must be " + io::endings_in_words(io::Use::writing));
  write_text_file(path, format->write(robot));
}

}  // namespace catena
