// Helpers for writing source text.
#pragma once

#include <initializer_list>
#include <string>
#include <utility>

namespace catena {

// Replaces every occurrence of each key by its text.
inline std::string substitute(std::string text,
                              std::initializer_list<std::pair<std::string, std::string>> replacements) {
  for (const auto& [key, replacement] : replacements)
    for (std::size_t at = text.find(key); at != std::string::npos; at = text.find(key, at + replacement.size()))
      text.replace(at, key.size(), replacement);
  return text;
}

}  // namespace catena
