// What the names of columns mean: "tau3" is the third entry of tau and "tau:elbow" an entry by name; "M2_1" is an entry
// of the matrix M, "t" a number.
#pragma once

#include <charconv>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace catena::io {

struct ColumnName {
  std::string_view array;              // "tau", "M", "t"
  std::vector<std::uint64_t> indices;  // from 1: {3}, {2, 1}, none; {0} for an entry by name
};

inline ColumnName parse_column_name(std::string_view name) {
  const auto trailing_number = [](std::string_view text, std::uint64_t& number) {
    const std::string_view digits = text.substr(text.find_last_not_of("0123456789") + 1);
    std::from_chars(digits.data(), digits.data() + digits.size(), number);
    return digits.size();
  };
  if (const std::size_t colon = name.find(':'); colon != std::string_view::npos) return {name.substr(0, colon), {0}};
  std::uint64_t last = 0, row = 0;
  const std::size_t last_digits = trailing_number(name, last);
  if (last_digits == 0 || last_digits == name.size()) return {name, {}};
  const std::string_view before = name.substr(0, name.size() - last_digits);
  if (before.size() > 2 && before.ends_with('_')) {
    const std::string_view head = before.substr(0, before.size() - 1);
    const std::size_t row_digits = trailing_number(head, row);
    if (row_digits > 0 && row_digits < head.size()) return {head.substr(0, head.size() - row_digits), {row, last}};
  }
  return {before, {last}};
}

// Removes the next field of a CSV line, quotes included; a comma inside quotes belongs to the field.
inline std::string_view take_field(std::string_view& rest, bool& more) {
  std::size_t end = 0;
  if (rest.starts_with('"')) {
    for (bool inside = false; end < rest.size() && (inside || rest[end] != ','); ++end) inside ^= rest[end] == '"';
  } else {
    end = rest.find(',') == std::string_view::npos ? rest.size() : rest.find(',');
  }
  more = end < rest.size();
  const std::string_view field = rest.substr(0, end);
  rest.remove_prefix(more ? end + 1 : end);
  return field;
}

// A field without surrounding blanks and quotes.
inline std::string_view unquoted(std::string_view text) {
  const auto trim = [&text] {
    while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) text.remove_prefix(1);
    while (!text.empty() && (text.back() == ' ' || text.back() == '\t')) text.remove_suffix(1);
  };
  trim();
  if (text.size() >= 2 && text.front() == '"' && text.back() == '"') {
    text = text.substr(1, text.size() - 2);
    trim();
  }
  return text;
}

// A text made safe for messages: it comes from outside and may contain anything.
inline std::string shown(std::string_view text) {
  constexpr std::size_t longest = 40;
  std::string out;
  for (const char c : text.substr(0, longest)) out += (c >= ' ' && c <= '~') ? c : '?';
  return text.size() > longest ? out + "..." : out;
}

}  // namespace catena::io
