// Text functions for the readers and writers: numbers in and out without a locale, quoting, and the nearest known word.
#pragma once

#include <initializer_list>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "catena/math/vec3.hpp"

namespace catena::io {

// The whole `text` as a number, without surrounding blanks; a leading '+' is allowed, trailing characters are not.
std::optional<double> parse_number(std::string_view text);

std::string_view trimmed(std::string_view text);
std::vector<std::string_view> words_of(std::string_view text);  // between blanks
std::string quoted(std::string_view text);                      // in single quotes, shortened if long: for messages
// The text shortened to fit a line, with control characters and invalid bytes replaced: it comes from outside.
// "the name 'xxx…' has 1200 bytes; names have at most 1000".
std::string overlong_name(std::string_view name);
std::string printable(std::string_view text);
std::string shortest(double value);  // the fewest digits that read back to the same number
std::string listed(const Vec3<double>& v, std::string_view separator);

// The word of `known` that `word` most likely misspells; empty when none is close.
std::string nearest(std::string_view word, std::span<const std::string_view> known);
// "; did you mean 'mass'?" or empty.
std::string did_you_mean(std::string_view word, std::span<const std::string_view> known);

}  // namespace catena::io
