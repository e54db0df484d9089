// Included before files that write and read doubles with <charconv>: the C++ library of Debian's Emscripten supports
// integers only. Implemented with fmt, whose shortest digits are the same, and with strtod.
#pragma once

#include <fmt/format.h>

#include <cerrno>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <string>

namespace std {

inline to_chars_result to_chars(char* first, char* last, double value) {
  const auto out = fmt::format_to_n(first, static_cast<size_t>(last - first), "{}", value);
  const string text = fmt::format("{}", value);
  return {out.out, text.size() > static_cast<size_t>(last - first) ? errc::value_too_large : errc{}};
}
inline to_chars_result to_chars(char* first, char* last, float value) { return to_chars(first, last, double(value)); }
inline to_chars_result to_chars(char* first, char* last, double value, chars_format, int precision) {
  const auto out = fmt::format_to_n(first, static_cast<size_t>(last - first), "{:.{}g}", value, precision);
  return {out.out, errc{}};
}
inline from_chars_result from_chars(const char* first, const char* last, double& value) {
  const string text(first, last);
  if (text.empty() || text.front() == '+' || text.front() == ' ' || text.find_first_of("xX") != string::npos)
    return {first, errc::invalid_argument};
  char* end = nullptr;
  errno = 0;
  const double read = strtod(text.c_str(), &end);
  if (end == text.c_str()) return {first, errc::invalid_argument};
  const char* at = first + (end - text.c_str());
  if (errno == ERANGE && isinf(read)) return {at, errc::result_out_of_range};
  value = read;
  return {at, errc{}};
}

}  // namespace std
