#include "terminal/errors.hpp"

#include <cstdio>

namespace catena::cli {

void complain(const std::string& lines) {
  std::fputs(lines.c_str(), stderr);
  if (!lines.ends_with('\n')) std::fputc('\n', stderr);
}

bool& quiet() {
  static bool given = false;
  return given;
}

void note(const std::string& lines) {
  if (!quiet()) complain(lines);
}

bool& strict() {
  static bool given = false;
  return given;
}

void doubt(const std::string& line) {
  if (strict()) throw UsageError(line);
  note("catena: warning: " + line);
}

}  // namespace catena::cli
