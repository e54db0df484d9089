#include "run/level.hpp"

#include <cstdlib>
#include <stdexcept>
#include <string>

#include "run/compiled_level.hpp"

namespace catena {

Arena* open_arena_of_program() { return detail::open_arena; }

namespace {

std::string names_of(const std::vector<Level>& list) {
  std::string names;
  for (const Level& l : list)
    if (l.runs_here) names += (names.empty() ? "" : ", ") + std::string(l.name);
  return names;
}

// Text from outside, shortened to one line that a terminal can show.
std::string shown(std::string_view word) {
  std::string out;
  for (const char c : word.substr(0, 40)) out += c >= ' ' && c <= '~' ? c : '?';
  return out;
}

const Level& choose(const std::vector<Level>& list, std::string_view asked) {
  const Level* best = nullptr;
  for (const Level& l : list) {
    if (l.name == asked && !l.runs_here)
      throw std::runtime_error("CATENA_LEVEL: this processor does not have the instructions of '" + std::string(asked) +
                               "'; it has " + names_of(list));
    if (asked.empty() ? l.runs_here : l.name == asked) best = &l;
  }
  if (best == nullptr)
    throw std::runtime_error("CATENA_LEVEL: there is no level '" + shown(asked) + "'; this machine has " +
                             names_of(list));
  return *best;
}

}  // namespace

const std::vector<Level>& levels() {
  static const std::vector<Level> list = [] {
    std::vector<Level> all{{"baseline", true}};
    for (const CompiledLevel& compiled : compiled_levels()) all.push_back({compiled.name, compiled.runs_here});
    return all;
  }();
  return list;
}

const Level& level() {
  static const Level& chosen = [&]() -> const Level& {
    const char* asked = std::getenv("CATENA_LEVEL");  // NOLINT(concurrency-mt-unsafe): read once
    return choose(levels(), asked == nullptr ? "" : asked);
  }();
  return chosen;
}

bool has_wide_vectors() {
#ifdef __AVX512F__
  return true;
#else
  return level().name == "x86-64-v4";
#endif
}

}  // namespace catena
