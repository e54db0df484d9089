// Error messages about files.
#pragma once

#include <fmt/format.h>

#include <cerrno>
#include <cstring>
#include <string>
#include <string_view>

#include "catena/validate.hpp"
#include "catena/write_error.hpp"

namespace catena::io {

[[noreturn]] inline void fail(const std::string& file, const std::string& what) {
  throw ModelError(format_problems(file, {{0, what}}));
}
[[noreturn]] inline void fail_with_errno(const std::string& file, std::string_view what) {
  fail(file, fmt::format("{}: {}", what, std::strerror(errno)));
}
// Reports errno.
[[noreturn]] inline void fail_to_write(const std::string& file) {
  throw WriteError(fmt::format("{}: cannot be written: {}", file, std::strerror(errno)));
}

}  // namespace catena::io
