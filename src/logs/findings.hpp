// Adds findings to a list, in words.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "catena/log.hpp"

namespace catena::logs {

class FindingList {
 public:
  explicit FindingList(std::vector<LogFinding>& list) : list_(list) {}

  void note(std::string kind, int joint, double number, std::string text) {
    list_.push_back({std::move(kind), LogFinding::Weight::note, joint, number, std::move(text), {}});
  }
  void warn(std::string kind, int joint, double number, std::string text, std::string cure = {}) {
    list_.push_back({std::move(kind), LogFinding::Weight::warning, joint, number, std::move(text), std::move(cure)});
  }

 private:
  std::vector<LogFinding>& list_;
};

// "1 row", "2 rows".
inline std::string counted(std::size_t count, const char* what) {
  return fmt::format("{} {}{}", count, what, count == 1 ? "" : "s");
}

// The value below which this share of the numbers lies; 0 for none.
inline double quantile(std::vector<double> values, double share) {
  if (values.empty()) return 0.0;
  const auto at = values.begin() + static_cast<std::ptrdiff_t>(share * static_cast<double>(values.size() - 1));
  std::nth_element(values.begin(), at, values.end());
  return *at;
}

}  // namespace catena::logs
