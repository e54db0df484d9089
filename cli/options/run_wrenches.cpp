#include "options/run_wrenches.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "options/numbers.hpp"
#include "states/timed_rows.hpp"
#include "terminal/errors.hpp"
#include "terminal/words.hpp"

namespace catena::cli {
namespace {

// FRAME:REST, where both may contain colons: FRAME is the name of an existing frame.
std::pair<std::string, std::string> split_frame(const std::string& text, const std::string& option,
                                                const std::string& form, const std::string& robot,
                                                const std::vector<std::string>& frames) {
  for (std::size_t colon = text.find(':'); colon != std::string::npos; colon = text.find(':', colon + 1))
    if (const std::string frame = text.substr(0, colon);
        (frame == "tool" || std::find(frames.begin(), frames.end(), frame) != frames.end()) && colon + 1 < text.size())
      return {frame, text.substr(colon + 1)};
  if (text.find(':') == std::string::npos)
    throw UsageError(fmt::format("{} '{}': write FRAME:{}", option, printable(text), form));
  throw UsageError(fmt::format("{}: {} has no frame '{}'; its frames are {}", option, robot,
                               printable(text.substr(0, text.rfind(':'))), fmt::join(frames, ", ")));
}

constexpr const char* components = "fx,fy,fz,mx,my,mz";

FrameWrench constant_of(const std::pair<std::string, std::string>& parts, Axes axes) {
  const std::vector<double> v = parse_numbers(parts.second, "--wrench");
  if (v.size() != 6)
    throw UsageError(
        fmt::format("--wrench '{}' has {} numbers; give {}", printable(parts.second), v.size(), components));
  return {parts.first, {v[0], v[1], v[2]}, {v[3], v[4], v[5]}, axes};
}

std::vector<WrenchRow> rows_of_table(const std::string& path) {
  std::vector<WrenchRow> rows;
  for (const std::vector<double>& row : timed_rows(path, split(components, ','))) {
    WrenchRow& own = rows.emplace_back();
    own.t = row[0];
    std::copy(row.begin() + 1, row.end(), own.values.begin());
  }
  return rows;
}

}  // namespace

Wrenches wrenches_of_run(const WrenchOptions& options, const std::string& robot,
                         const std::vector<std::string>& frames) {
  if (!options.given()) return {};
  const Axes axes = options.axes == "world" ? Axes::world : Axes::frame;
  std::vector<Wrenches> all;
  for (const std::string& text : options.texts)
    all.push_back(
        constant_wrench(constant_of(split_frame(text, "--wrench", components, robot, frames), axes), Absent::waits));
  for (const std::string& text : options.tables) {
    const auto [frame, path] = split_frame(text, "--wrench-table", "FILE", robot, frames);
    all.push_back(wrench_table(frame, rows_of_table(path), axes, Absent::waits));
  }
  return together(std::move(all));
}

}  // namespace catena::cli
