// Text shared by the readers and writers: numbers in and out without a locale, quoting, and the nearest known word.
#pragma once

#include <initializer_list>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "catena/math/vec3.hpp"

namespace catena::io {

// The whole of `text`, blanks around it aside, as a number; a leading '+' is allowed, nothing else is left over.
std::optional<double> parse_number(std::string_view text);

std::string_view trimmed(std::string_view text);
std::string quoted(std::string_view text);  // in single quotes, cut when long: for messages
// The text cut to a length that fits a line, control characters and broken bytes replaced: it came from outside.
std::string printable(std::string_view text);
std::string shortest(double value);  // the fewest digits that read back to the same number
std::string listed(const Vec3<double>& v, std::string_view separator);

// The word of `known` that `word` is most likely a slip of, empty when none is close.
std::string nearest(std::string_view word, std::span<const std::string_view> known);
// "; did you mean 'mass'?" or nothing.
std::string did_you_mean(std::string_view word, std::span<const std::string_view> known);

}  // namespace catena::io
