// What a fuzz target found: something that the library promises does not hold.
#pragma once

#include <algorithm>
#include <stdexcept>
#include <string>
#include <string_view>

namespace catena::fuzz {

class Violation : public std::logic_error {
 public:
  using std::logic_error::logic_error;
};

inline void require(bool holds, const std::string& what) {
  if (!holds) throw Violation(what);
}

// What people are told of a bad input: lines that a terminal can show, each of a bearable length.
inline void require_readable(std::string_view message) {
  constexpr std::size_t longest_line = 4000, most_lines = 1000;
  require(!message.empty(), "an empty message");
  require(static_cast<std::size_t>(std::count(message.begin(), message.end(), '\n')) < most_lines, "too many lines");
  while (!message.empty()) {
    const std::string_view line = message.substr(0, message.find('\n'));
    require(line.size() <= longest_line, "a line of " + std::to_string(line.size()) + " characters");
    require(
        std::none_of(line.begin(), line.end(), [](char c) { return static_cast<unsigned char>(c) < ' ' || c == 0x7F; }),
        "a control character in: " + std::string(line));
    message.remove_prefix(std::min(line.size() + 1, message.size()));
  }
}

// What may be refused, by one of these exceptions, is refused in words.
template <class Refusal, class... Others, class Use>
void or_say_why(const Use& use) {
  try {
    if constexpr (sizeof...(Others) > 0)
      or_say_why<Others...>(use);
    else
      use();
  } catch (const Refusal& error) {
    require_readable(error.what());
  }
}

}  // namespace catena::fuzz
