#include <fmt/format.h>

#include <algorithm>

#include "options/model_options.hpp"
#include "terminal/errors.hpp"

namespace catena::cli {

// Warnings of one kind are merged into one line.
void warn(const std::vector<Warning>& warnings) {
  constexpr std::ptrdiff_t many = 10;
  std::vector<std::string_view> said;
  for (const Warning& warning : warnings) {
    const auto like_it = [&](const Warning& other) { return other.kind == warning.kind; };
    if (std::count_if(warnings.begin(), warnings.end(), like_it) < many) {
      note(warning.text);
      continue;
    }
    if (std::find(said.begin(), said.end(), warning.kind) != said.end()) continue;
    said.push_back(warning.kind);
    std::vector<std::string> others;
    for (const Warning& other : warnings)
      if (like_it(other) && &other != &warning) others.push_back(other.who);
    note(fmt::format("{} … and {} more like it: {}", warning.text, others.size(), fmt::join(others, ", ")));
  }
}

}  // namespace catena::cli
