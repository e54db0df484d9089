// Splits lists as people type them.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

namespace catena::cli {

// The parts between separators, empty ones included: "a,,b" has three.
inline std::vector<std::string> split(std::string_view text, char separator) {
  std::vector<std::string> parts;
  for (std::size_t start = 0; start <= text.size();) {
    const std::size_t end = std::min(text.find(separator, start), text.size());
    parts.emplace_back(text.substr(start, end - start));
    start = end + 1;
  }
  return parts;
}

}  // namespace catena::cli
