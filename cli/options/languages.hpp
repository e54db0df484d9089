// Languages of generated code by their names on the command line.
#pragma once

#include <fmt/format.h>

#include <string>
#include <string_view>
#include <vector>

#include "catena/code.hpp"

namespace catena::cli {

// The languages that accept an option, as typed on the command line.
template <class Takes>
std::string languages_with(Takes&& takes) {
  std::vector<std::string_view> names;
  for (const LanguageInfo& language : languages())
    if (takes(language)) names.push_back(language.name);
  return fmt::format("--lang {}", fmt::join(names, ", "));
}

inline const LanguageInfo* find_language(const std::string& name) {
  for (const LanguageInfo& language : languages())
    if (language.name == name) return &language;
  return nullptr;
}

}  // namespace catena::cli
