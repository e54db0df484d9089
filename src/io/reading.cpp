#include "io/reading.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>

#include "io/limits.hpp"
#include "io/text.hpp"

namespace catena::io {

std::string Note::text() const {
  return fmt::format(
      "{}note: {}{}{}: not used, {}{}", place, what, attributes.empty() ? "" : " ", fmt::join(attributes, ", "),
      known ? "which does not change the results" : "and it is not known whether that changes the results",
      times == 1 ? "" : fmt::format(" ({} times, the first here)", times));
}

void Reading::error(int line, std::string text) {
  findings.errors.push_back({line, std::move(text)});
  if (findings.errors.size() > limits::problems) throw TooManyProblems{findings.errors};
}

void Reading::require_few_parts() const {
  const std::pair<std::size_t, const char*> counts[] = {{robot.links.size(), "links"},
                                                        {robot.joints.size(), "joints"},
                                                        {robot.frames.size(), "frames"},
                                                        {robot.loops.size(), "closed loops"}};
  for (const auto& [count, what] : counts)
    if (count > limits::parts)
      throw TooManyProblems{{{1, fmt::format("more than {} {}; this is not a robot file", limits::parts, what)}}};
}

// An element with several such attributes is counted once.
void Reading::note(int line, const std::string& place, const std::string& what, const std::string& attribute) {
  auto found = std::find_if(notes.begin(), notes.end(), [&](const Note& n) {
    return n.what == what && n.known && n.attributes.empty() == attribute.empty();
  });
  if (found == notes.end()) {
    if (notes.size() >= limits::notes) return;
    notes.push_back({line, place, what});
    if (!attribute.empty()) notes.back().attributes.push_back(attribute);
    return;
  }
  if (attribute.empty() || found->attributes.front() == attribute) ++found->times;
  if (attribute.empty()) return;
  if (std::find(found->attributes.begin(), found->attributes.end(), attribute) == found->attributes.end())
    found->attributes.push_back(attribute);
}

void Reading::note_unknown(int line, const std::string& what) {
  for (Note& n : notes)
    if (n.what == what && !n.known) return static_cast<void>(++n.times);
  if (notes.size() < limits::notes) notes.push_back({line, "", what, {}, false});
}

std::optional<Vec3<double>> normalized(const Vec3<double>& v) {
  const double largest = std::max({std::abs(v.x), std::abs(v.y), std::abs(v.z)});
  if (largest < std::numeric_limits<double>::min()) return std::nullopt;  // or it has few digits
  constexpr double rounding = 4.0 * std::numeric_limits<double>::epsilon();
  if (std::abs(dot(v, v) - 1.0) <= rounding) return v;
  // Scaled first, so that neither tiny nor huge components underflow or overflow.
  const Vec3<double> scaled{v.x / largest, v.y / largest, v.z / largest};
  const double length = std::sqrt(dot(scaled, scaled));
  return Vec3<double>{scaled.x / length, scaled.y / length, scaled.z / length};
}

std::optional<LoopType> loop_type(std::string_view name) {
  for (std::size_t k = 0; k < loop_type_names.size(); ++k)
    if (loop_type_names[k] == name) return static_cast<LoopType>(k);
  return std::nullopt;
}

std::string loop_type_choices() {
  return fmt::format("{} or {}", fmt::join(loop_type_names.begin(), loop_type_names.end() - 1, ", "),
                     loop_type_names.back());
}

std::string unknown_loop_type(std::string_view name) {
  return fmt::format("type {} must be {}{}", quoted(name), loop_type_choices(), did_you_mean(name, loop_type_names));
}

}  // namespace catena::io
